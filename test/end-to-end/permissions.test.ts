import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCommands } from '../../commands/index.ts';
import type { Person } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import {
  button,
  type Control,
  createSignedIds,
  customId,
  rows,
  select,
} from '../../src/discord/components/controls.ts';
import { sealedReply } from '../../src/discord/deliver.ts';
import { Secret } from '../../src/secret.ts';
import { postComponents } from '../support/forged-button.ts';
import { modalOf, openAppScene, type Scene, textOf } from '../support/scene.ts';

/** What they declare touches none of what the commands work with. */
const commands = createCommands({} as Parameters<typeof createCommands>[0]);
const forAdmins = commands.filter(({ permission }) => permission !== undefined);

interface Used {
  readonly command: string;
  readonly action: string;
}
const nameOf = ({ command, action }: Used): string => `${command}:${action}`;

/** Those that take a permission: all of a command that takes one, and those that take one of their own. */
const needing = (kind: 'presses' | 'submits'): readonly Used[] =>
  commands.flatMap((command) =>
    Object.entries(command[kind] ?? {})
      .filter(([, handler]) => (handler.permission ?? command.permission) !== undefined)
      .map(([action]) => ({ command: command.data.name, action })),
  );
const pressed = needing('presses');

const REFUSED = 'This takes the permission “Manage Server”.';
/** Discord takes five messages in 5 seconds in a channel, with five rows each, with five buttons or a select each. */
const MOST = 5;

let scene: Scene;
/** Was given every command under Integrations. */
let person: Person;
let buttons: SeenMessage;
let selects: readonly SeenMessage[];

beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
  const [guild] = scene.discord.guilds;
  if (!guild) throw new Error('the stand-in has no guild');
  person = scene.person({ role: 'other' });
  for (const { data } of forAdmins) {
    const id = scene.discord.commands().find(({ name }) => name === data.name)?.id ?? '';
    scene.discord.setIntegrations(guild, id, [{ id: person.userId, type: 'user', allow: true }]);
  }
  buttons = await post(inFives(pressed.map((used) => button(idOf(used, 'b'), nameOf(used)))));
  const each = pressed.map((used) => {
    const options = [{ label: nameOf(used), value: nameOf(used) }];
    return [select({ id: idOf(used, 's'), placeholder: 'Pick', options })];
  });
  selects = await Promise.all(inFives(each).map(post));
});
afterAll(() => scene?.close());

const idOf = ({ command, action }: Used, argument: string) => customId(command, action, argument);

function inFives<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return items.length === 0 ? [] : [items.slice(0, MOST), ...inFives(items.slice(MOST))];
}

/** A message of the bot, as a command would have posted it. */
function post(lines: readonly (readonly (Control | undefined)[])[]): Promise<SeenMessage> {
  const ids = createSignedIds(new Secret(scene.token));
  const reply = sealedReply({ components: rows(...lines) }, ids, { guildId: person.guildId });
  return postComponents(scene, 0, reply.components ?? []);
}

const allow = (permissions: bigint) => scene.discord.guildEvents.setPermissions(person, permissions);

/** What the operator's log says of refusals. */
const refusals = () =>
  scene
    .log()
    .filter(({ msg }) => msg === 'refused: the member lacks the permission')
    .map(({ time: _time, level: _level, msg: _msg, interactionId: _id, ...rest }) => rest);

async function expectRefusal(used: Partial<Used>, use: () => Promise<string>): Promise<void> {
  const asked = scene.listing.requests.length;
  const before = refusals().length;
  allow(PermissionFlagsBits.ViewChannel);
  expect(await use()).toContain(REFUSED);
  // Nothing that was typed, chosen or carried by the button is in it.
  expect(refusals().slice(before)).toEqual([{ guildId: person.guildId, ...used }]);
  expect(scene.listing.requests.length).toBe(asked);
}

describe('without the permission that it takes', () => {
  it.each(forAdmins.map(({ data }) => data.name))('/%s is refused and logged', async (command) => {
    await expectRefusal({ command }, async () => textOf(await person.slash(command)));
  });

  it.each(pressed.map(nameOf))('a button and a select %s are refused and logged', async (name) => {
    const place = pressed.findIndex((used) => nameOf(used) === name);
    const message = selects[Math.floor(place / MOST)];
    if (!message) throw new Error('it was not posted');
    await expectRefusal(pressed[place] ?? {}, async () => textOf(await person.press(buttons, name)));
    await expectRefusal(pressed[place] ?? {}, async () => textOf(await person.pick(message, [name])));
  });

  it.each(
    needing('submits').map(({ command, action }) => [command, action] as const),
  )('a modal %s:%s that was opened with it is refused and logged', async (command, action) => {
    const used = { command, action };
    allow(PermissionFlagsBits.ManageGuild);
    const isOnButton = pressed.some((each) => nameOf(each) === nameOf(used));
    const modal = modalOf(
      isOnButton ? await person.press(buttons, nameOf(used)) : await person.slash(command),
    );
    const fields = command === 'setkey' ? { key: 'CANARY-key' } : { quota: '7' };
    await expectRefusal(used, async () => textOf(await person.submit(modal, fields)));
  });

  it('nothing was changed by any of it', async () => {
    allow(PermissionFlagsBits.ManageGuild);
    expect(textOf(await person.slash('keystatus'))).toContain('API key');
    expect(textOf(await person.slash('settings'))).toMatch(
      /Log channel: none.*Daily quota: none.*Announcements: off/s,
    );
  });
});

describe('the permission that a command takes', () => {
  it('is what Discord is told of who may see it', () => {
    const seen = scene.discord
      .commands()
      .map(({ name, default_member_permissions: needed }) => [name, needed]);
    const manageGuild = String(PermissionFlagsBits.ManageGuild);
    const declared = commands.map(({ data, permission }) => [data.name, permission ? manageGuild : null]);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(declared));
  });

  it('is taken by every command, button, select and modal that is for admins', () => {
    expect(forAdmins.map(({ data }) => data.name)).toEqual(['setkey', 'keystatus', 'removekey', 'settings']);
    expect(pressed.map(nameOf)).toEqual(
      expect.arrayContaining(['keystatus:check', 'removekey:confirm', 'privacy:erase', 'privacy:confirm']),
    );
    expect(needing('submits').map(nameOf)).toEqual(['setkey:save', 'setkey:again', 'settings:quota']);
  });
});
