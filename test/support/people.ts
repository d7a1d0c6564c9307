import assert from 'node:assert/strict';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, DiscordStandIn, Person, SeenModal, Upload } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { isFinished } from '../../sandbox/prompt/show.ts';
import { messageOf, modalOf, type Shown, type TestGuild, textOf } from './bot.ts';

/** What people do with the bot, in a line each; what they press is named by its label. */

/** The service's message about servers that it has accepted, as everybody reads it who is told of them. */
export const ACCEPTED = 'Servers have been added for review.';

type Options = Readonly<Record<string, string | number>>;
type Values = Readonly<Record<string, string>>;

export const addServer = (person: Person, server: string, options: Options = {}): Promise<Answer> =>
  person.slash('addserver', { game: 'cs2', server, ...options });

/** Pastes a list into the window of /addservers. */
export async function paste(person: Person, servers: string, options: Options = {}): Promise<Answer> {
  return person.submit(await person.slash('addservers', options), { servers });
}

/** Gives /addservers a file. */
export const sendFile = (person: Person, content: string | Uint8Array, options: Values = {}) =>
  person.slash('addservers', { file: upload('list.txt', content), ...options });

/** A window with what stands in its fields. */
export interface Opened {
  readonly modal: SeenModal;
  readonly typed: Values;
}

const editLabelOf = (answer: Shown) =>
  labelsOf(answer).find((label) => /^(?:Edit|Fix \d+ lines?)$/.test(label)) ?? 'Edit';

/** Opens the window of a message's button. */
export async function openWindow(
  person: Person,
  answer: Shown,
  label = editLabelOf(answer),
): Promise<Opened> {
  const modal = modalOf(await person.press(answer, label));
  const fields = modalFields(modal.data).map(({ id, value = '' }) => [id, value]);
  return { modal, typed: Object.fromEntries(fields) };
}

/** Opens that window, and submits it with other values in some of its fields. */
export async function edit(person: Person, answer: Shown, changes: Values, label?: string): Promise<Answer> {
  const { modal, typed } = await openWindow(person, answer, label);
  return person.submit(modal, { ...typed, ...changes });
}

/** /settings asks Discord three things, of the 50 a second that a bot may ask: for people, a second has gone by. */
export function openSettings({ discord, admin }: Pick<TestGuild, 'discord' | 'admin'>): Promise<Answer> {
  discord.clock.advance(1_000);
  return admin.slash('settings');
}

/** Opens the page of a setting, by the name that the list of what can be changed has for it. */
export async function openSetting(
  guild: Pick<TestGuild, 'discord' | 'admin'>,
  name: string,
): Promise<Answer> {
  return guild.admin.pick(await openSettings(guild), [name]);
}

/** Makes a change in the settings with a button on the page of one. */
export async function pressSetting(
  guild: Pick<TestGuild, 'discord' | 'admin'>,
  name: string,
  label: string,
): Promise<Answer> {
  return guild.admin.press(await openSetting(guild, name), label);
}

/** Makes a change in the settings with a select on the page of one. */
export async function pickSetting(
  guild: Pick<TestGuild, 'discord' | 'admin'>,
  name: string,
  value: string,
): Promise<Answer> {
  return guild.admin.pick(await openSetting(guild, name), [value]);
}

/** Chooses the games that may be submitted in the guild, of those on the first page. */
export async function allowGames(
  guild: Pick<TestGuild, 'discord' | 'admin'>,
  games: readonly string[],
): Promise<Answer> {
  return guild.admin.pick(await openSetting(guild, 'Games'), games);
}

export async function setQuota(guild: Pick<TestGuild, 'discord' | 'admin'>, quota: string): Promise<Answer> {
  return edit(guild.admin, await openSetting(guild, 'Daily quota'), { quota }, 'Change …');
}

export async function removeKey(admin: Person): Promise<Answer> {
  return admin.press(await admin.slash('removekey'), 'Remove the key');
}

/** Posts a panel in the channel where the admin is; the message that everybody sees. */
export async function postPanel(
  { discord, admin }: Pick<TestGuild, 'discord' | 'admin'>,
  text = '',
): Promise<SeenMessage> {
  const answer = messageOf(await admin.submit(modalOf(await admin.slash('panel')), { text }));
  const id = /\/(\d+)\)$/.exec(answer.current?.content ?? '')?.[1];
  const panel = discord.messages({ channelId: admin.channelId }).find((message) => message.id === id);
  assert(panel, `no panel was posted: ${textOf(answer)}`);
  return panel;
}

/** Lets somebody use a command under Integrations, whatever Discord shows by default. */
export function giveCommand({ discord }: Pick<TestGuild, 'discord'>, name: string, person: Person): void {
  const command = discord.commands().find((each) => each.name === name);
  assert(command, `there is no /${name}`);
  discord.allowCommand(person, command.id);
}

/** The requests that submit servers, as they arrived. */
export const adds = ({ listing }: Pick<TestGuild, 'listing'>) =>
  listing.requests.filter(({ action }) => action === 'add');

/** Those with this server. */
export const addsOf = (guild: Pick<TestGuild, 'listing'>, host: string) =>
  adds(guild).filter(({ servers }) => servers.some(({ server }) => server === host));

export const upload = (filename: string, content: string | Uint8Array): Upload => ({
  filename,
  bytes: Buffer.from(content),
});

/** `count` lines with a server each: `s0.example.com:27015 cs2`. */
export const lines = (count: number, game = 'cs2'): string =>
  Array.from({ length: count }, (_, n) => `s${n}.example.com:27015 ${game}`).join('\n');

/** Waits for what comes after the progress bar. */
export async function reported(answer: Shown): Promise<SeenMessage> {
  const message = messageOf(answer);
  for (;;) {
    const change = message.changed();
    if (isFinished(message)) return message;
    await change;
  }
}

/** Presses the Submit button of a preview, and waits for the report. */
export async function pressSubmit(person: Person, preview: Shown): Promise<SeenMessage> {
  const button = labelsOf(preview).find((label) => /^(Submit|Try again|Erneut|\d+)/.test(label));
  assert(button, `there is no button to submit with: ${textOf(preview)}`);
  return reported(await person.press(preview, button));
}

/** The labels of a message's buttons. */
export function labelsOf(answer: Shown): readonly string[] {
  return componentsOf(answer).flatMap(({ label }) => label ?? []);
}

export interface Component {
  readonly type: number;
  readonly label?: string;
  readonly custom_id?: string;
  readonly options?: readonly { readonly value: string; readonly default?: boolean }[];
  readonly style?: number;
  readonly placeholder?: string;
}

export function componentsOf(answer: Shown): readonly Component[] {
  const rows = (messageOf(answer).current?.components ?? []) as unknown as {
    readonly components: readonly Component[];
  }[];
  return rows.flatMap(({ components }) => components);
}

/** The rows of an attached CSV file, without the header; no cell of the tests has a line break in it. */
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

/** The channel of the guild that is not the one where people are. */
export function staffChannel({ discord, admin }: Pick<TestGuild, 'discord' | 'admin'>): string {
  // Also one that the bot itself is no longer in, which is in no list.
  const guild = { id: admin.guildId, name: '', channelId: '' };
  const channel = discord.channels(guild).find(({ name }) => name === 'staff');
  assert(channel, 'the guild has no #staff');
  return channel.id;
}

/** Makes #staff the log channel of the guild. */
export async function chooseLogChannel({ admin }: Pick<TestGuild, 'admin'>): Promise<void> {
  const page = await admin.pick(await admin.slash('settings'), ['Log channel']);
  const { current } = messageOf(await admin.pick(page, ['#staff']));
  assert.match(current?.content ?? '', /Log channel\*\*: <#\d+>/, 'the log channel was not taken');
}

/** What the log has said so far, message by message, texts and embeds; the first is the greeting. */
export function logMessages(guild: Pick<TestGuild, 'discord' | 'admin'>): readonly string[] {
  return guild.discord
    .messages({ channelId: staffChannel(guild) })
    .map(({ current }) => [current?.content, current?.embeds[0]?.description].filter(Boolean).join('\n'));
}

/** The entries of the log, without its greeting. */
export function logLines(guild: Pick<TestGuild, 'discord' | 'admin'>): readonly string[] {
  return logMessages(guild)
    .slice(1)
    .flatMap((text) => text.split('\n'));
}

/** A message of the bot that everyone sees, with these rows, posted in its name; none where Discord limits what is posted. */
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
