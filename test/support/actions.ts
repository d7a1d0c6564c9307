import assert from 'node:assert/strict';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import { upload } from './lists.ts';
import { messageOf, modalOf, type Scene } from './scene.ts';

/** What people do with the bot, in a line each; what they press is named by its label. */

/** What the listing service says of servers that it has taken. */
export const ACCEPTED = 'Servers have been added for review.';

type Options = Readonly<Record<string, string | number>>;
type Values = Readonly<Record<string, string>>;

export const addServer = (person: Person, server: string, options: Options = {}): Promise<Answer> =>
  person.slash('addserver', { game: 'cs2', server, ...options });

export const press = (person: Person, answer: Answer, label: string): Promise<Answer> =>
  person.press(messageOf(answer), label);

export const pick = (person: Person, answer: Answer, values: readonly string[]): Promise<Answer> =>
  person.pick(messageOf(answer), values);

/** Pastes a list into the window of /addservers. */
export async function paste(person: Person, servers: string, options: Options = {}): Promise<Answer> {
  return person.submit(modalOf(await person.slash('addservers', options)), { servers });
}

/** Gives /addservers a file. */
export const sendFile = (person: Person, content: string | Uint8Array, options: Values = {}) =>
  person.slash('addservers', { file: upload('list.txt', content), ...options });

/** A window with what stands in its fields. */
export interface Opened {
  readonly modal: SeenModal;
  readonly typed: Values;
}

/** Opens the window of a message's button. */
export async function openWindow(person: Person, answer: Answer, label = 'Edit'): Promise<Opened> {
  const modal = modalOf(await press(person, answer, label));
  const fields = modalFields(modal.data).map(({ id, value = '' }) => [id, value]);
  return { modal, typed: Object.fromEntries(fields) };
}

/** Opens that window, and submits it with other values in some of its fields. */
export async function edit(person: Person, answer: Answer, changes: Values, label = 'Edit'): Promise<Answer> {
  const { modal, typed } = await openWindow(person, answer, label);
  return person.submit(modal, { ...typed, ...changes });
}

/** /settings asks Discord three things, of the 50 a second that a bot may ask: for people, a second has gone by. */
export function openSettings({ discord, admin }: Pick<Scene, 'discord' | 'admin'>): Promise<Answer> {
  discord.clock.advance(1_000);
  return admin.slash('settings');
}

/** Chooses the games that may be submitted in the guild, of those on the first page. */
export async function allowGames(
  scene: Pick<Scene, 'discord' | 'admin'>,
  games: readonly string[],
): Promise<Answer> {
  const page = await press(scene.admin, await openSettings(scene), 'Games …');
  return pick(scene.admin, page, games);
}

export async function setQuota(scene: Pick<Scene, 'discord' | 'admin'>, quota: string): Promise<Answer> {
  return edit(scene.admin, await openSettings(scene), { quota }, 'Daily quota …');
}

export async function removeKey(admin: Person): Promise<Answer> {
  return press(admin, await admin.slash('removekey'), 'Remove the key');
}

/** Lets somebody use a command under Integrations, whatever Discord shows by default. */
export function giveCommand({ discord }: Pick<Scene, 'discord'>, name: string, person: Person): void {
  const command = discord.commands().find((each) => each.name === name);
  assert(command, `there is no /${name}`);
  discord.allowCommand(person, command.id);
}

/** The requests that submit servers, as they arrived. */
export const adds = ({ listing }: Pick<Scene, 'listing'>) =>
  listing.requests.filter(({ action }) => action === 'add');

/** Those with this server. */
export const addsOf = (scene: Pick<Scene, 'listing'>, host: string) =>
  adds(scene).filter(({ servers }) => servers.some(({ server }) => server === host));
