import assert from 'node:assert/strict';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, DiscordStandIn, Person, SeenModal, Upload } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { isFinished } from '../../sandbox/prompt/show.ts';
import { messageOf, modalOf, type Shown, type TestGuild, textOf } from './bot.ts';

/** Functions that each perform one user action. Buttons, menus and fields are identified by their labels. */

/** The service's message about accepted servers, as members see it. */
export const ACCEPTED = 'Servers have been added for review.';

type Options = Readonly<Record<string, string | number>>;
type Values = Readonly<Record<string, string>>;

export const addServer = (person: Person, server: string, options: Options = {}): Promise<Answer> =>
  person.slash('addserver', { game: 'cs2', server, ...options });

/** Pastes a list into the modal that /addservers opens. */
export async function paste(person: Person, servers: string, options: Options = {}): Promise<Answer> {
  return person.submit(await person.slash('addservers', options), { servers });
}

/** Runs /addservers with a file. */
export const sendFile = (person: Person, content: string | Uint8Array, options: Values = {}) =>
  person.slash('addservers', { file: upload('list.txt', content), ...options });

/** A modal and the current values of its fields. */
export interface Opened {
  readonly modal: SeenModal;
  readonly typed: Values;
}

const editLabelOf = (answer: Shown) =>
  labelsOf(answer).find((label) => /^(?:Edit|Fix \d+ lines?)$/.test(label)) ?? 'Edit';

/** Presses a message's button and returns the modal that it opens. */
export async function openModal(person: Person, answer: Shown, label = editLabelOf(answer)): Promise<Opened> {
  const modal = modalOf(await person.press(answer, label));
  const fields = modalFields(modal.data).map(({ id, value = '' }) => [id, value]);
  return { modal, typed: Object.fromEntries(fields) };
}

/** Opens a button's modal, changes some of its fields and submits it. */
export async function edit(person: Person, answer: Shown, changes: Values, label?: string): Promise<Answer> {
  const { modal, typed } = await openModal(person, answer, label);
  return person.submit(modal, { ...typed, ...changes });
}

/**
 * Opens /settings, which makes three requests. First advances the clock by a second, because Discord only allows 50
 * requests per second.
 */
export function openSettings({ discord, admin }: Pick<TestGuild, 'discord' | 'admin'>): Promise<Answer> {
  discord.clock.advance(1_000);
  return admin.slash('settings');
}

/** Opens a setting's page by choosing its name in the menu. */
export async function openSetting(
  guild: Pick<TestGuild, 'discord' | 'admin'>,
  name: string,
): Promise<Answer> {
  return guild.admin.pick(await openSettings(guild), [name]);
}

/** Changes a setting by pressing a button on its page. */
export async function pressSetting(
  guild: Pick<TestGuild, 'discord' | 'admin'>,
  name: string,
  label: string,
): Promise<Answer> {
  return guild.admin.press(await openSetting(guild, name), label);
}

/** Stops managing the guild's first panel. */
export const stopManaging = async (guild: Pick<TestGuild, 'discord' | 'admin'>): Promise<Answer> =>
  guild.admin.press(await pressSetting(guild, 'Panels', 'Stop managing'), 'Stop managing');

/** Changes a setting by choosing an option on its page. */
export async function pickSetting(
  guild: Pick<TestGuild, 'discord' | 'admin'>,
  name: string,
  value: string,
): Promise<Answer> {
  return guild.admin.pick(await openSetting(guild, name), [value]);
}

/** Allows these games in the guild. All of them must be on the first page. */
export async function allowGames(
  guild: Pick<TestGuild, 'discord' | 'admin'>,
  games: readonly string[],
): Promise<Answer> {
  return guild.admin.pick(await openSetting(guild, 'Games'), games);
}

export async function setQuota(guild: Pick<TestGuild, 'discord' | 'admin'>, quota: string): Promise<Answer> {
  return edit(guild.admin, await openSetting(guild, 'Daily quota'), { quota }, 'Change the quota');
}

export async function removeKey(admin: Person): Promise<Answer> {
  return admin.press(await admin.slash('removekey'), 'Remove key');
}

/** Deletes a user's name in /privacy, and confirms this. */
export async function deleteName(person: Person): Promise<Answer> {
  const question = await person.press(await person.slash('privacy'), 'Delete my name');
  return person.press(question, 'Delete my name');
}

/** Posts a panel in the admin's channel. @returns the public message */
export async function postPanel(
  { discord, admin }: Pick<TestGuild, 'discord' | 'admin'>,
  text = '',
): Promise<SeenMessage> {
  const answer = messageOf(await admin.submit(modalOf(await admin.slash('panel')), { text }));
  const id = /\/(\d+)\)$/m.exec(answer.current?.content ?? '')?.[1];
  const panel = discord.messages({ channelId: admin.channelId }).find((message) => message.id === id);
  assert(panel, `no panel was posted: ${textOf(answer)}`);
  return panel;
}

/** Lets a user run a command despite its default permissions, as admins can do under Integrations. */
export function giveCommand({ discord }: Pick<TestGuild, 'discord'>, name: string, person: Person): void {
  const command = discord.commands().find((each) => each.name === name);
  assert(command, `there is no /${name}`);
  discord.allowCommand(person, command.id);
}

/** Returns the requests that submitted servers, in the order in which they arrived. */
export const adds = ({ listing }: Pick<TestGuild, 'listing'>) =>
  listing.requests.filter(({ action }) => action === 'add');

/** Returns the requests that submitted this server. */
export const addsOf = (guild: Pick<TestGuild, 'listing'>, host: string) =>
  adds(guild).filter(({ servers }) => servers.some(({ server }) => server === host));

export const upload = (filename: string, content: string | Uint8Array): Upload => ({
  filename,
  bytes: Buffer.from(content),
});

/** Returns `count` lines with one server each: `s0.example.com:27015 cs2`. */
export const lines = (count: number, game = 'cs2'): string =>
  Array.from({ length: count }, (_, n) => `s${n}.example.com:27015 ${game}`).join('\n');

/** Waits until the report replaces the progress bar. */
export async function reported(answer: Shown): Promise<SeenMessage> {
  const message = messageOf(answer);
  for (;;) {
    const change = message.changed();
    if (isFinished(message)) return message;
    await change;
  }
}

/** Waits for a file that a button creates. The bot prepares files one at a time, for all members. */
export async function withFile(answer: Shown, name: string): Promise<SeenMessage> {
  const message = messageOf(answer);
  for (;;) {
    const change = message.changed();
    if (message.file(name) !== undefined) return message;
    await change;
  }
}

/** Presses Export and waits for the file. */
export const exportAll = async (person: Person, found: Shown, label = 'Export'): Promise<SeenMessage> =>
  withFile(await person.press(found, label), 'submissions.csv');

/** Presses Submit on a preview and waits for the report. */
export async function pressSubmit(person: Person, preview: Shown): Promise<SeenMessage> {
  const button = labelsOf(preview).find((label) => /^(Submit|Erneut|\d+)/.test(label));
  assert(button, `there is no button to submit with: ${textOf(preview)}`);
  return reported(await person.press(preview, button));
}

/** Returns the labels of a message's buttons. */
export function labelsOf(answer: Shown): readonly string[] {
  return componentsOf(answer).flatMap(({ label }) => label ?? []);
}

/** Returns the custom id of a message's control. @param start the id without the part that differs each time */
export const idOf = (answer: Shown, start: string): string | undefined =>
  componentsOf(answer).find(({ custom_id }) => custom_id?.startsWith(start))?.custom_id;

export interface Component {
  readonly type: number;
  readonly label?: string;
  readonly custom_id?: string;
  readonly options?: readonly {
    readonly label: string;
    readonly value: string;
    readonly default?: boolean;
  }[];
  readonly style?: number;
  readonly placeholder?: string;
}

export function componentsOf(answer: Shown): readonly Component[] {
  const rows = (messageOf(answer).current?.components ?? []) as unknown as {
    readonly components: readonly Component[];
  }[];
  return rows.flatMap(({ components }) => components);
}

/** Returns the rows of an attached CSV file without the header. This assumes that no cell contains a line break. */
export function csvOf(message: SeenMessage, name: string): readonly (readonly string[])[] {
  const text = message.file(name)?.toString();
  assert(text, `there is no file ${name}`);
  return text
    .replace(/^\ufeff/, '')
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.slice(1, -1).split('","'));
}

/** Returns the id of #staff, the guild's second channel. The users are in the first channel. */
export function staffChannel({ discord, admin }: Pick<TestGuild, 'discord' | 'admin'>): string {
  // Builds the guild from its id, because no list contains the guild once the bot has left.
  const guild = { id: admin.guildId, name: '', channelId: '' };
  const channel = discord.channels(guild).find(({ name }) => name === 'staff');
  assert(channel, 'the guild has no #staff');
  return channel.id;
}

/** Makes #staff the guild's log channel. */
export async function chooseLogChannel({ admin }: Pick<TestGuild, 'admin'>): Promise<void> {
  const page = await admin.pick(await admin.slash('settings'), ['Log channel']);
  const { current } = messageOf(await admin.pick(page, ['#staff']));
  assert.match(current?.content ?? '', /Log channel\*\*: <#\d+>/, 'the log channel was not set');
}

/** Returns the content and embed of each message in the log so far. The first message is the greeting. */
export function logMessages(guild: Pick<TestGuild, 'discord' | 'admin'>): readonly string[] {
  return guild.discord
    .messages({ channelId: staffChannel(guild) })
    .map(({ current }) => [current?.content, current?.embeds[0]?.description].filter(Boolean).join('\n'));
}

/** Returns the log's entries, without the greeting. */
export function logLines(guild: Pick<TestGuild, 'discord' | 'admin'>): readonly string[] {
  return logMessages(guild)
    .slice(1)
    .flatMap((text) => text.split('\n'));
}

/** Posts a public message with these components as the bot. @returns `undefined` if the post hits Discord's rate limit */
export async function postComponents(
  { discord, token }: { readonly discord: DiscordStandIn; readonly token: string },
  channelId: string,
  components: readonly object[],
): Promise<SeenMessage | undefined> {
  const response = await fetch(`${discord.apiUrl}/v10/channels/${channelId}/messages`, {
    method: 'POST',
    headers: {
      'user-agent': 'DiscordBot (https://example.org, 1.0)',
      authorization: `Bot ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ content: 'forged', components }),
  });
  const { id } = (await response.json()) as { readonly id?: string };
  return discord.messages({ channelId }).find((seen) => seen.id === id);
}
