import { ComponentType, PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCommands } from '../../commands/index.ts';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { modalOf, openAppScene, type Scene, setKey, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  allowGames,
  type Component,
  chooseLogChannel,
  componentsOf,
  giveCommand,
  lines,
  openSettings,
  paste,
  postComponents,
  pressSubmit,
} from '../support/people.ts';

/*
 * Custom ids are no secret: Discord sends them to whoever sees a message. Whatever the bot has put into one, only its
 * member may change what it is about, in its guild, and with the permission that it takes.
 */

/** What they declare touches none of what the commands work with. */
const commands = createCommands({} as Parameters<typeof createCommands>[0]);
const actionsOf = (kind: 'presses' | 'submits') =>
  commands.flatMap(({ data, [kind]: handlers = {} }) =>
    Object.keys(handlers).map((action) => `${data.name}:${action}`),
  );
/** Those that take a permission: all of a command that takes one, and those that take one of their own. */
const guarded = new Set(
  commands.flatMap(({ data, permission, presses = {}, submits = {} }) =>
    Object.entries({ ...presses, ...submits })
      .filter(([, handler]) => (handler.permission ?? permission) !== undefined)
      .map(([action]) => `${data.name}:${action}`),
  ),
);
const REFUSED = 'You need the “Manage Server” permission';

/** A button or a select that the bot has shown to somebody of the first guild. */
interface Control {
  readonly by: 'member' | 'admin';
  readonly answer: Answer;
  readonly id: string;
  readonly component: Component;
}

interface Opened {
  readonly by: Control['by'];
  readonly modal: SeenModal;
}

let scene: Scene;
let controls: readonly Control[];
/** A window of every kind for each who is to submit it: it can be submitted once. */
let windows: Readonly<Record<'member' | 'guild', readonly Opened[]>>;
/** A list that its member has not submitted yet. */
let list: Answer;

const nameOf = (customId: string): string => {
  const { command, action } = parseCustomId(customId);
  return `${command}:${action}`;
};

beforeAll(async () => {
  scene = await openAppScene();
  const { admin, member, listing } = scene;
  const shown: Pick<Control, 'by' | 'answer'>[] = [];
  const show = (by: Control['by'], answer: Answer): Answer => {
    shown.push({ by, answer });
    return answer;
  };
  show('admin', await admin.slash('help'));
  show('admin', await setKey(admin, 'wrong-key'));
  show('member', await addServer(member, 'no-key.example.com:1'));
  await setKey(admin, 'sandbox-key');

  show('member', await addServer(member, 'no-port.example.com'));
  for (let n = 1; n <= 10; n += 1) await addServer(member, `more.example.com:${n}`);
  await pressSubmit(member, await paste(member, lines(12)));
  show('member', await addServer(member, 's1.example.com:27015'));
  list = show('member', await paste(member, `${lines(1)}\nnew.example.com:1 cs2\nno-port.example.com cs2`));
  show('member', await paste(member, 'no-game.example.com:1'));
  const message = scene.discord.say(member, 'even rust nemen op near.example.com:28015');
  show('member', await member.useOnMessage('Submit servers', message));
  show('member', await paste(member, '['));
  await listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } });
  const report = await pressSubmit(member, await paste(member, 'refused.example.com:1 cs2'));
  await listing.behave({ kind: 'ok' });
  show('member', { kind: 'message', message: report });
  await listing.behave({ kind: 'reset' }, 1);
  const unconfirmed = await pressSubmit(member, await paste(member, 'lost.example.com:1 cs2'));
  show('member', { kind: 'message', message: unconfirmed });
  show('member', await member.slash('games'));
  show('member', await member.press(show('member', await member.slash('submissions')), 'Show 3'));
  show('member', await member.press(show('member', await member.slash('privacy')), 'Delete my name'));

  show('member', await admin.submit(modalOf(await admin.slash('panel')), { text: '' }));
  await chooseLogChannel(scene);
  scene.discord.guildEvents.addRole(
    { id: admin.guildId, name: '', channelId: '' },
    { name: 'staff', mentionable: true },
  );
  show('admin', await admin.pick(await openSettings(scene), ['@staff']));
  show('admin', await allowGames(scene, ['ark', 'cs2']));
  for (const name of ['keystatus', 'removekey']) show('admin', await admin.slash(name));
  const label = 'Delete all data of this Discord server';
  show('admin', await admin.press(show('admin', await admin.slash('privacy')), label));
  const old = [await addServer(admin, 'no-port.example.com'), await paste(admin, 'no-port.example.com cs2')];
  await admin.press(await admin.press(await admin.slash('privacy'), 'Delete my name'), 'Delete my name');
  for (const answer of old) show('admin', await admin.press(answer, 'Edit'));

  controls = shown.flatMap(({ by, answer }) =>
    componentsOf(answer).flatMap((component) => {
      const { custom_id: id } = component;
      return id === undefined ? [] : [{ by, answer, id, component }];
    }),
  );
  windows = { member: await openWindows(), guild: await openWindows() };
});
afterAll(() => scene?.close());

async function openWindows(): Promise<readonly Opened[]> {
  const forms = [
    'addserver:edit',
    'addserver:new',
    'addservers:retype',
    'addservers:askgame',
    'addservers:edit',
    'addservers:editall',
  ];
  const opened: Opened[] = [
    { by: 'member', modal: modalOf(await scene.member.slash('addservers')) },
    { by: 'admin', modal: modalOf(await scene.admin.slash('panel')) },
  ];
  for (const name of [...forms, 'setkey:enter', 'setkey:again', 'settings:quota']) {
    const control = controls.find(({ id }) => nameOf(id) === name);
    if (!control) throw new Error(`${name} was not shown`);
    const { by, answer, id } = control;
    opened.push({ by, modal: modalOf(await scene[by].press(answer, id)) });
  }
  return opened;
}

/** What is stored of the first guild that is not this person's own. */
async function stored({ guildId, userId }: Pick<Person, 'guildId' | 'userId'>): Promise<string> {
  const of = scene.admin.guildId;
  const owner = guildId === of ? userId : '';
  const rows = await scene.store.rows('SELECT * FROM keyv WHERE key LIKE ?', `%${of}%`);
  const found = [...rows];
  for (const table of ['submissions', 'servers', 'deletions']) {
    const others = `SELECT * FROM ${table} WHERE guild_id = ? AND user_id IS DISTINCT FROM ?`;
    found.push(...(await scene.store.rows(others, of, owner)));
  }
  return JSON.stringify(found);
}

/** What typed into any window sends nothing to the service, whoever types it. */
const TYPED = {
  server: '10.0.0.1',
  servers: '10.0.0.1:1 cs2',
  game: 'cs2',
  key: '   ',
  quota: '5',
  port: '1',
};
const typedInto = (modal: SeenModal, typed: Readonly<Record<string, string>> = TYPED) =>
  Object.fromEntries(modalFields(modal.data).map(({ id }) => [id, typed[id] ?? '']));

let hosts = 0;
/** What could be submitted, if the window let somebody else: another address each time. */
function submittable(): typeof TYPED {
  hosts += 1;
  const server = `typed-${hosts}.example.com`;
  return { ...TYPED, server, servers: `${server}:1 cs2` };
}

/** Something that somebody does leaves all that is stored of others as it is, and the service alone. */
async function changesNothing(
  who: Pick<Person, 'guildId' | 'userId'>,
  act: () => Promise<void>,
): Promise<void> {
  // The lines of what was submitted go right after their member was told.
  const untold = "SELECT id FROM submissions WHERE state = 'done' AND draft IS NOT NULL";
  await expect.poll(() => scene.store.rows(untold)).toEqual([]);
  const before = await stored(who);
  const requests = scene.listing.requests.length;
  await act();
  expect(await stored(who)).toBe(before);
  expect(scene.listing.requests).toHaveLength(requests);
}

/** What is chosen in a select; a button has nothing. */
function chosenIn({ type, options }: Component): readonly string[] | undefined {
  if (type === ComponentType.StringSelect) return [options?.[0]?.value ?? ''];
  if (type === ComponentType.RoleSelect) return ['@staff'];
  return type === ComponentType.ChannelSelect ? ['#staff'] : undefined;
}

/** Somebody uses a copy of a control that stands where everybody sees it; what they read. */
async function use({ id, component }: Control, person: Person): Promise<string> {
  // Discord takes five messages in five seconds in a channel.
  scene.discord.clock.advance(1_000);
  const row = { type: ComponentType.ActionRow, components: [{ ...component, disabled: false }] };
  const copy = await postComponents(scene, person.channelId, [row]);
  if (!copy) throw new Error(`${id} was not posted`);
  const values = chosenIn(component);
  const answer = await (values ? person.pick(copy, values, id) : person.press(copy, id));
  if (answer.kind !== 'modal') return textOf(answer);
  return textOf(await person.submit(answer.modal, typedInto(answer.modal)));
}

describe('a button or a select that was shown to somebody else', () => {
  it('is one of every kind that there is', () => {
    expect([...new Set(controls.map(({ id }) => nameOf(id)))].toSorted()).toEqual(
      actionsOf('presses').toSorted(),
    );
    const opened = windows.member.map(({ modal }) => nameOf(modal.data.custom_id));
    expect(opened.toSorted()).toEqual(actionsOf('submits').toSorted());
  });

  it('changes nothing for another member, who lacks the permission where one is taken', async () => {
    const other = scene.person({ role: 'other' });
    for (const control of controls) {
      await changesNothing(other, async () => {
        const said = await use(control, other);
        expect([control.id, said.includes(REFUSED)]).toEqual([control.id, guarded.has(nameOf(control.id))]);
        expect(said).not.toMatch(/(?:new|no-port|refused|s1)\.example\.com/);
      });
    }
  });

  it('changes nothing of a member for an admin', async () => {
    for (const control of controls.filter(({ by }) => by === 'member'))
      await changesNothing(scene.admin, async () => void (await use(control, scene.admin)));
  });

  it('changes nothing here from another guild', async () => {
    for (const control of controls) {
      const person = scene.person({ role: control.by, guild: 1 });
      await changesNothing(person, async () => {
        expect(await use(control, person)).not.toMatch(/(?:new|no-port|refused|s1)\.example\.com/);
      });
    }
  });

  it('works for whom it was shown to', async () => {
    expect(textOf(await pressSubmit(scene.member, list))).toContain('1 sent for review');
    expect(textOf(await addServer(scene.member, 'at-the-end.example.com:1'))).toContain(ACCEPTED);
  });
});

describe('a window that somebody else has opened', () => {
  const nobody = { user: '100000000000000001', permissions: '0' };

  it('changes nothing when another member submits it, who lacks the permission where one is taken', async () => {
    for (const { by, modal } of windows.member) {
      const said = await submitAs(by, modal, { ...nobody, guild: scene.admin.guildId });
      expect([modal.data.custom_id, said.includes(REFUSED)]).toEqual([
        modal.data.custom_id,
        guarded.has(nameOf(modal.data.custom_id)),
      ]);
    }
  });

  it('changes nothing here when the same person submits it in another guild', async () => {
    const guild = scene.person({ guild: 1 }).guildId;
    const permissions = String(PermissionFlagsBits.ManageGuild);
    for (const { by, modal } of windows.guild)
      await submitAs(by, modal, { guild, permissions, user: scene[by].userId });
  });

  interface Forged {
    readonly user: string;
    readonly guild: string;
    readonly permissions: string;
  }

  /** Who opened it submits it, and Discord says that somebody else did; what is answered. */
  async function submitAs(by: Control['by'], modal: SeenModal, forged: Forged): Promise<string> {
    const { user: id, guild, permissions } = forged;
    let said = '';
    onTestFinished(() => scene.discord.gateway.disturbDispatch({}));
    scene.discord.gateway.disturbDispatch({
      alter(payload) {
        const { member } = Object(payload);
        const user = { ...member.user, id };
        return { ...payload, guild_id: guild, member: { ...member, permissions, user } };
      },
    });
    await changesNothing({ guildId: guild, userId: id }, async () => {
      said = textOf(await scene[by].submit(modal, typedInto(modal, submittable())));
    });
    return said;
  }
});

describe('the permission that a command takes', () => {
  const forAdmins = commands
    .filter(({ permission }) => permission !== undefined)
    .map(({ data }) => data.name);

  it('is what Discord is told of who may see it', () => {
    const needed = String(PermissionFlagsBits.ManageGuild);
    const seen = scene.discord
      .commands()
      .map((command) => [command.name, command.default_member_permissions]);
    expect(Object.fromEntries(seen)).toEqual(
      Object.fromEntries(
        commands.map(({ data }) => [data.name, forAdmins.includes(data.name) ? needed : null]),
      ),
    );
    expect(forAdmins).toEqual(['setkey', 'keystatus', 'removekey', 'settings', 'panel']);
  });

  it.each(
    forAdmins,
  )('keeps /%s from who was given it under Integrations alone, which is logged', async (name) => {
    const { member } = scene;
    expect(await member.slash(name)).toMatchObject({ kind: 'refused' });
    giveCommand(scene, name, member);
    await changesNothing(member, async () => expect(textOf(await member.slash(name))).toContain(REFUSED));
    const logged = scene.log().filter(({ msg }) => msg === 'refused: the member lacks the permission');
    expect(logged.at(-1)).toMatchObject({ guildId: member.guildId, command: name });
    // Nothing that was typed, chosen or carried by a button is in any of these lines.
    for (const { time: _t, level: _l, msg: _m, interactionId: _i, ...rest } of logged)
      expect(Object.keys(rest).filter((key) => !['guildId', 'command', 'action'].includes(key))).toEqual([]);
  });
});
