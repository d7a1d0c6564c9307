import { randomUUID } from 'node:crypto';
import { ComponentType, PermissionFlagsBits } from 'discord.js';
import { describe, expect, onTestFinished } from 'vitest';
import { createCommands } from '../../commands/index.ts';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import { ROLES } from '../../sandbox/people.ts';
import { parseCustomId } from '../../src/interactions/controls.ts';
import { allNotified, endGathering, inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import {
  type Bot,
  BREACHES,
  botTest,
  messageOf,
  modalOf,
  setKey,
  type TestGuild,
  textOf,
} from '../support/bot.ts';
import {
  addServer,
  adds,
  allowGames,
  type Component,
  chooseLogChannel,
  componentsOf,
  deleteName,
  edit,
  giveCommand,
  lines,
  openSetting,
  openSettings,
  paste,
  pickSetting,
  postComponents,
  postPanel,
  pressSetting,
  pressSubmit,
  staffChannel,
  stopManaging,
} from '../support/people.ts';

/*
 * Everyone who can see a message can read its custom ids. A custom id must not let a user act for another member, in
 * another guild or without the required permission.
 */

/** Buttons and select menus that all members may use, but only for their own data. */
const OPEN_PRESSES = [
  'addserver:new',
  'addservers:new',
  'games:all',
  'games:page',
  'privacy:cancel',
  'privacy:forget',
  'privacy:forgetme',
  'privacy:messages',
  'submissions:export',
  'submissions:member',
  'submissions:mine',
  'submissions:page',
  'submissions:open',
  'submissions:remove',
  'submissions:resubmit',
  'submissions:turn',
  'submissions:waiting',
  'submissions:withdraw',
  'submit:again',
  'submit:anew',
  'submit:another',
  'submit:anyway',
  'submit:askgame',
  'submit:cancel',
  'submit:change',
  'submit:choose',
  'submit:continue',
  'submit:correct',
  'submit:edit',
  'submit:game',
  'submit:include',
  'submit:letters',
  'submit:page',
  'submit:ports',
  'submit:query',
  'submit:repair',
  'submit:send',
  'submit:sendone',
  'submit:take',
  'submit:undo',
  'submit:use',
];
/** A list in which each line has two ports. */
const TWO_PORTS = 'a | a.example.com:7777 | 27015\nb | b.example.com:7777 | 27015';

/** Buttons and select menus that require “Manage Server” or the approval role. */
const GUARDED_PRESSES = [
  'blocks:ask',
  'blocks:lift',
  'blocks:list',
  'blocks:member',
  'keystatus:check',
  'panel:new',
  'privacy:confirm',
  'privacy:erase',
  'removekey:ask',
  'removekey:cancel',
  'removekey:confirm',
  'setkey:again',
  'setkey:enter',
  'settings:change',
  'settings:open',
  'settings:type',
  'submissions:all',
  'submissions:approve',
  'submissions:approveall',
  'submissions:approvethese',
  'submissions:correct',
  'submissions:decline',
  'submissions:declineall',
  'submissions:duplicate',
  'submissions:refuse',
  'submissions:resend',
  'submissions:undo',
];
/** Modals that belong to a submission. Other members only get an error. */
const SUBMITS_OF_A_SUBMISSION = [
  'submit:changed',
  'submit:correct',
  'submit:fields',
  'submit:game',
  'submit:lines',
];
/** Modals that only contain the user's own input. */
const OPEN_SUBMITS = ['submit:another', 'submit:paste', 'submit:retyped'];
const GUARDED_SUBMITS = [
  'blocks:add',
  'panel:post',
  'setkey:again',
  'setkey:save',
  'settings:type',
  'submissions:correct',
  'submissions:decline',
  'submissions:declines',
  'submissions:refuse',
];

const PRESSES = [...OPEN_PRESSES, ...GUARDED_PRESSES];
const SUBMITS = [...SUBMITS_OF_A_SUBMISSION, ...OPEN_SUBMITS, ...GUARDED_SUBMITS];
/** Whether the bot shows this button here. `submissions:refuse` only exists in messages of earlier versions. */
const isShown = (name: string) => name !== 'submissions:refuse';
const GUARDED = new Set([...GUARDED_PRESSES, ...GUARDED_SUBMITS]);

/** `createCommands` doesn't call any of its dependencies. */
const { commands, actions } = createCommands({} as Parameters<typeof createCommands>[0]);
const named = [
  ...commands.map((command) => [command.data.name, command] as const),
  ...Object.entries(actions),
];
const declared = (kind: 'presses' | 'submits') =>
  named.flatMap(([name, { [kind]: handlers = {} }]) =>
    Object.keys(handlers).map((action) => `${name}:${action}`),
  );

/** Returns the same user in another guild. */
function inOther({ discord, id, name, channelId }: TestGuild, person: Person): Person {
  const guild = { id, name, channelId };
  return discord.person({ ...ROLES.admin, guild, name: person.name, userId: person.userId });
}

const REFUSED = 'You need the “Manage Server” permission';
const NOT_YOURS = "This isn't yours. Only the member who started it can use it.";

/** A button or select menu that the bot showed to a user in the guild. */
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

/** Every kind of button, menu and modal that the bot showed in a guild. */
interface Everything {
  readonly guild: TestGuild;
  readonly controls: readonly Control[];
  /** Opens every modal. Each modal can be submitted once. */
  readonly openWindows: () => Promise<readonly Opened[]>;
  /** The preview of an unsubmitted list. */
  readonly list: Answer;
}

const it = botTest({ key: null, timing: { declineUndoMs: 60_000 } });

const nameOf = (customId: string): string => {
  const { command, action } = parseCustomId(customId);
  return `${command}:${action}`;
};

async function showEverything(guild: TestGuild): Promise<Everything> {
  const { admin, member, discord, listing } = guild;
  const shown: Pick<Control, 'by' | 'answer'>[] = [];
  const show = (by: Control['by'], answer: Answer): Answer => {
    shown.push({ by, answer });
    return answer;
  };
  show('admin', await admin.slash('help'));
  show('admin', await setKey(admin, 'wrong-key'));
  show('member', await addServer(member, 'no-key.example.com:1'));
  await setKey(admin, 'sandbox-key');

  const sentences = Array.from(
    { length: 26 },
    (_, n) => `you can play on unclear.example.com:${n + 1} today`,
  );
  const cancelled = await paste(member, 'cancelled.example.com:1 cs2');
  show('member', await member.press(cancelled, 'Cancel'));
  show('member', await paste(member, sentences.join('\n')));
  show('member', await paste(member, 'join us on unclear.example.com:1 Counter-Strike 2'));
  show('member', await addServer(member, 'no-port.example.com'));
  for (let n = 1; n <= 10; n += 1) show('member', await addServer(member, `more.example.com:${n}`));
  await pressSubmit(member, await paste(member, lines(12)));
  await listing.behave({ kind: 'down' });
  await addServer(member, 'refused.example.com:3');
  await listing.behave({ kind: 'ok' });
  show('member', await addServer(member, 's1.example.com:27015'));
  const list = show(
    'member',
    await paste(member, `${lines(1)}\nnew.example.com:1 cs2\nno-port.example.com cs2`),
  );
  show('member', await paste(member, 'no-game.example.com:1'));
  show('member', await paste(member, TWO_PORTS, { game: 'ark' }));
  show('member', await paste(member, 'fine.example.com:1 cs2\nᴘʟᴀʏ.example.com:1 cs2'));
  const near = [28015, 28016].map((port) => `Rust nemen: near.example.com:${port}`);
  const message = discord.say(member, near.join('\n'));
  show('member', await member.useOnMessage('Submit servers', message));
  show('member', await paste(member, '['));
  await listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } });
  const refused = 'refused.example.com:1 cs2\nrefused.example.com:2 cs2';
  const report = await pressSubmit(member, await paste(member, refused));
  await listing.behave({ kind: 'ok' });
  show('member', { kind: 'message', message: report });
  const shrunk = await pressSubmit(
    member,
    await paste(member, 'sent.example.com:1 cs2\nleft.example.com:0 cs2'),
  );
  show('member', { kind: 'message', message: shrunk });
  await listing.behave({ kind: 'reset' }, 1);
  const unconfirmed = await pressSubmit(member, await paste(member, 'lost.example.com:1 cs2'));
  show('member', { kind: 'message', message: unconfirmed });
  show('member', await member.slash('games'));
  show('member', await member.slash('games', { search: 'no such game' }));
  const history = show('member', await member.slash('submissions'));
  show('member', await member.pick(history, ['2. 12 game servers: s0.example.com:27015 and 11 more']));
  show('member', await member.pick(history, ['lost.example.com:1']));
  show('member', await member.press(show('member', await member.slash('privacy')), 'Delete my name'));

  show('admin', await openSetting(guild, 'Panels'));
  show('member', { kind: 'message', message: await postPanel(guild) });
  await chooseLogChannel(guild);
  discord.guildEvents.addRole(guild, { name: 'staff', mentionable: true });
  show('admin', await openSettings(guild));
  for (const name of [
    'Log channel',
    'Role for key problems',
    'Daily quota',
    'Announcements',
    'Panels',
    'Language for everyone',
  ])
    show('admin', await openSetting(guild, name));
  show('admin', await pickSetting(guild, 'Role for key problems', '@staff'));
  show('admin', await allowGames(guild, ['ark', 'cs2']));
  for (const name of ['keystatus', 'removekey']) show('admin', await admin.slash(name));
  const label = 'Delete all data for this Discord server';
  show('admin', await admin.press(show('admin', await admin.slash('privacy')), label));
  const old = [await addServer(admin, 'no-port.example.com'), await paste(admin, 'no-port.example.com cs2')];
  await deleteName(admin);
  for (const answer of old) show('admin', await admin.press(answer, 'Edit'));

  // Deleting the admin's name must not change this person's blocks and decisions.
  const channelId = staffChannel(guild);
  const second = guild.discord.person({ ...ROLES.admin, guild, name: 'second', channelId });
  const listBlocks = (person: Person) => openSetting({ ...guild, admin: person }, 'Blocked here');
  const askWhatToBlock = async (person: Person) =>
    modalOf(await person.press(await listBlocks(person), 'Block an address or id'));
  await second.submit(await askWhatToBlock(second), { what: 'blocked.example.org' });
  show('admin', await listBlocks(admin));
  show('admin', await admin.submit(await askWhatToBlock(admin), { what: ' ' }));

  const approval = await pressSetting(guild, 'Approval', 'Turn approval on');
  show('admin', await admin.pick(approval, ['@staff']));
  await addServer(member, 'unconfirmed.waits.example.com:1');
  const toResend = { kind: 'message', message: await waitingIn(guild) } as const;
  await guild.listing.behave({ kind: 'status', status: 500 }, 1);
  await second.press(toResend, 'Approve');
  show('admin', toResend);
  const many = await paste(member, lines(11).replaceAll('.example', '.waits.example'));
  show('member', { kind: 'message', message: await pressSubmit(member, many) });
  show('member', await addServer(member, 'waits.example.com:1'));
  await member.press(await addServer(member, 'withdrawn.waits.example.com:1'), 'Withdraw');
  const past = await member.press(await member.slash('submissions'), 'History');
  show('member', await member.pick(past, ['withdrawn.waits.example.com:1']));
  const toDecide = { kind: 'message', message: await waitingIn(guild) } as const;
  show('admin', toDecide);
  await addServer(guild.person({ role: 'moderator' }), 'others.example.com:1');
  await addServer(second, 'others.example.com:1');
  await addServer(guild.person({ role: 'moderator' }), 'declined.example.com:1');
  const toUndo = await waitingIn(guild);
  await edit(second, toUndo, { reason: 'No.' }, 'Decline');
  show('admin', { kind: 'message', message: toUndo });
  const queueOf = async (who: string) => admin.pick(await admin.slash('submissions'), [who]);
  show('admin', await queueOf('moderator (1)'));
  const queue = show('admin', await queueOf('member (2)'));
  show('admin', await admin.press(await queueOf('member (2)'), 'Approve all 2 from @member'));
  await pressSetting(guild, 'Approval', 'Turn approval off');

  const controls = shown.flatMap(({ by, answer }) =>
    componentsOf(answer).flatMap((component) => {
      const { custom_id: id } = component;
      return id === undefined ? [] : [{ by, answer, id, component }];
    }),
  );
  return {
    guild,
    controls: [...new Map(controls.map((control) => [`${control.by} ${control.id}`, control])).values()],
    openWindows: () => openWindows(guild, controls, { toDecide, queue }),
    list,
  };
}

let shared: Promise<Everything> | undefined;
/** Shows everything once, in the guild of the first test that needs it. These tests don't change the guild's data. */
const sharedEverything = (guild: TestGuild): Promise<Everything> => (shared ??= showEverything(guild));

/** Buttons that open a modal. A draft with one line has a different modal from a longer draft. */
const OPENERS = [
  'addserver:new',
  'blocks:ask',
  'panel:new',
  'setkey:again',
  'setkey:enter',
  'settings:type',
  'submit:another',
  'submit:askgame',
  'submit:change',
  'submit:correct',
  'submit:edit',
];
const kindOf = ({ data }: SeenModal): string =>
  [nameOf(data.custom_id), ...modalFields(data).map(({ id }) => id)].join(' ');

async function openWindows(
  guild: TestGuild,
  controls: readonly Control[],
  { toDecide, queue }: { readonly toDecide: Answer; readonly queue: Answer },
): Promise<readonly Opened[]> {
  const { admin, member } = guild;
  const opened: Opened[] = [
    { by: 'member', modal: modalOf(await member.slash('addservers')) },
    { by: 'admin', modal: modalOf(await admin.slash('panel')) },
    { by: 'admin', modal: modalOf(await inStaff(guild, 'admin').press(toDecide, 'Decline')) },
    { by: 'admin', modal: modalOf(await inStaff(guild, 'admin').press(toDecide, 'Correct…')) },
    { by: 'admin', modal: modalOf(await admin.press(queue, 'Decline all 2 from @member')) },
  ];
  for (const { by, answer, id } of controls.filter((control) => OPENERS.includes(nameOf(control.id)))) {
    const found = await guild[by].press(answer, id);
    // A member can have only ten drafts, so buttons of older drafts don't open a modal.
    if (found.kind !== 'modal') continue;
    const { modal } = found;
    const kind = kindOf(modal);
    if (!opened.some((each) => kindOf(each.modal) === kind)) opened.push({ by, modal });
  }
  return opened;
}

interface Place {
  readonly bot: Bot;
  /** The guild in which the buttons, menus and modals were shown. */
  readonly guild: TestGuild;
}
type Who = Pick<Person, 'guildId' | 'userId'>;

/** Returns the guild's data, except for this user's data. */
async function stored({ bot: { store }, guild }: Place, { guildId, userId }: Who): Promise<string> {
  const owner = guildId === guild.id ? userId : '';
  const values = 'SELECT * FROM keyv WHERE key LIKE ? AND key <> ?';
  const found = [...(await store.rows(values, `%${guild.id}%`, `untold:${guild.id}:${owner}`))];
  for (const table of ['drafts', 'choices', 'submissions', 'servers']) {
    const others = `SELECT * FROM ${table} WHERE guild_id = ? AND user_id IS DISTINCT FROM ?`;
    found.push(...(await store.rows(others, guild.id, owner)));
  }
  found.push(...(await store.rows('SELECT * FROM blocks WHERE guild_id = ?', guild.id)));
  const lines = found.map((row) => JSON.stringify(row));
  // PostgreSQL returns rows in any order, and the order can change after an ANALYZE.
  return lines.toSorted().join('\n');
}

/** Input for every kind of modal. It never leads to a request to the service. */
const TYPED = {
  server: '10.0.0.1',
  servers: '10.0.0.1:1 cs2',
  game: 'cs2',
  key: '   ',
  quota: '5',
  port: '1',
  what: 'typed.example.org',
};
const typedInto = (modal: SeenModal, typed: Readonly<Record<string, string>> = TYPED) =>
  Object.fromEntries(modalFields(modal.data).map(({ id }) => [id, typed[id] ?? '']));

/** Returns valid input with a new address. If a modal accepted another user's input, this server would be submitted. */
function submittable(): typeof TYPED {
  const server = `typed-${randomUUID()}.example.com`;
  return { ...TYPED, server, servers: `${server}:1 cs2` };
}

/** Checks that an action doesn't change other users' data and doesn't submit a server. */
async function changesNothing(place: Place, who: Who, act: () => Promise<void>): Promise<void> {
  const { bot, guild } = place;
  // The bot updates moderators' messages in the background, and then records what they show.
  const outdated = 'SELECT id FROM submissions WHERE revision > shown_revision';
  await expect.poll(() => bot.store.rows(outdated)).toEqual([]);
  const before = await stored(place, who);
  const requests = adds(guild).length;
  await act();
  expect(await stored(place, who)).toBe(before);
  expect(adds(guild)).toHaveLength(requests);
}

/** Returns a value to choose in a select menu, or `undefined` for a button. */
function chosenIn({ type, options }: Component): readonly string[] | undefined {
  if (type === ComponentType.StringSelect) {
    const [first] = [...(options ?? [])].toSorted(
      (one, other) => Number(one.default ?? 0) - Number(other.default ?? 0),
    );
    return [first?.value ?? ''];
  }
  if (type === ComponentType.RoleSelect) return ['@staff'];
  if (type === ComponentType.UserSelect) return ['@member'];
  return type === ComponentType.ChannelSelect ? ['#staff'] : undefined;
}

/** Posts a copy of a button or menu where everyone can see it, and uses it. Returns the content of the reply. */
async function use(bot: Bot, { id, component }: Control, person: Person): Promise<string> {
  // Discord allows five messages per channel in five seconds, and the button may post another one.
  bot.discord.clock.advance(2_000);
  const row = { type: ComponentType.ActionRow, components: [{ ...component, disabled: false }] };
  const copy = await postComponents(bot, person.channelId, [row]);
  if (!copy) throw new Error(`${id} was not posted`);
  const values = chosenIn(component);
  const answer = await (values ? person.pick(copy, values, id) : person.press(copy, id));
  if (answer.kind !== 'modal') return textOf(answer);
  return textOf(await person.submit(answer.modal, typedInto(answer.modal)));
}

type Data = Readonly<Record<string, unknown>>;

/** Runs an action, but replaces the data of its interaction before it reaches the bot. */
async function forged(bot: Bot, data: Data, act: () => Promise<Answer>): Promise<Answer> {
  const { gateway } = bot.discord;
  onTestFinished(() => gateway.disturbDispatch({}));
  gateway.disturbDispatch({
    alter: (payload) => ({ ...payload, data: { ...Object(payload).data, ...data } }),
  });
  try {
    return await act();
  } finally {
    gateway.disturbDispatch({});
  }
}

/** Returns the components of a submitted modal the way Discord sends them. */
const typedFields = (typed: typeof TYPED) =>
  Object.entries(typed).map(([custom_id, value]) => ({
    type: ComponentType.Label,
    component: { type: ComponentType.TextInput, custom_id, value },
  }));

/** Submits a modal that the bot didn't open for this user. Returns the content of the reply. */
async function submitForged(
  bot: Bot,
  person: Person,
  { custom_id, typed }: { readonly custom_id: string; readonly typed: typeof TYPED },
): Promise<string> {
  const window = modalOf(await person.slash('addservers'));
  const data = { custom_id, components: typedFields(typed) };
  return textOf(await forged(bot, data, () => person.submit(window, typedInto(window))));
}

/** Matches other users' servers. */
const OTHERS = /(?:new|no-port|refused|s1|unclear)\.example\.com/;

it('these tests cover every button, menu and modal action', async ({ guild }) => {
  const { controls, openWindows } = await sharedEverything(guild);
  const windows = await openWindows();
  const shown = new Set(controls.map(({ id }) => nameOf(id)));
  expect([...shown].toSorted()).toEqual(PRESSES.filter(isShown).toSorted());
  const opened = windows.map(({ modal }) => nameOf(modal.data.custom_id));
  expect([...new Set(opened)].toSorted()).toEqual(SUBMITS.filter(isShown).toSorted());
  // Each of these actions opens two kinds of modals, such as a quota or a panel form for settings.
  const twofold = opened.filter((name, index) => opened.indexOf(name) < index);
  expect(twofold.toSorted()).toEqual(['settings:type', 'submit:changed', 'submit:correct']);
  expect(declared('presses').toSorted()).toEqual(PRESSES.toSorted());
  expect(declared('submits').toSorted()).toEqual(SUBMITS.toSorted());
});

describe("using someone else's button or menu", () => {
  it("doesn't change or reveal their data", async ({ bot, guild: own }) => {
    const { guild, controls } = await sharedEverything(own);
    const other = guild.person({ role: 'other' });
    for (const control of controls) {
      await changesNothing({ bot, guild }, other, async () => {
        const said = await use(bot, control, other);
        expect([control.id, said.includes(REFUSED)]).toEqual([control.id, GUARDED.has(nameOf(control.id))]);
        expect(said).not.toMatch(OTHERS);
      });
    }
  });

  it('has no effect even for an admin', async ({ bot, guild: own }) => {
    const { guild, controls } = await sharedEverything(own);
    const { admin } = guild;
    for (const control of controls.filter(({ by }) => by === 'member'))
      await changesNothing({ bot, guild }, admin, async () => void (await use(bot, control, admin)));
  });

  it('has no effect in another guild', async ({ bot, guild: own }) => {
    const { guild, controls } = await sharedEverything(own);
    const elsewhere = await bot.newGuild({ key: 'sandbox-key' });
    for (const control of controls) {
      const person = inOther(elsewhere, guild[control.by]);
      await changesNothing({ bot, guild }, person, async () => {
        expect(await use(bot, control, person)).not.toMatch(OTHERS);
      });
    }
  });

  it("doesn't stop the member from using it", async ({ guild: own }) => {
    const { guild, list } = await sharedEverything(own);
    expect(textOf(await pressSubmit(guild.member, list))).toContain('1 sent for review');
  });
});

describe("submitting someone else's modal", () => {
  it('has no effect if the user lacks permissions', async ({ bot, guild: own }) => {
    const { guild, openWindows } = await sharedEverything(own);
    const somebody = { userId: '100000000000000001', guildId: guild.id, permissions: '0' };
    for (const window of (await openWindows()).filter(isOfSomebody)) {
      const said = await submitAs({ bot, guild }, window, somebody);
      const { custom_id: id } = window.modal.data;
      expect([id, said.includes(REFUSED)]).toEqual([id, GUARDED.has(nameOf(id))]);
    }
  });

  it('has no effect in another guild', async ({ bot, guild }) => {
    const { openWindows } = await showEverything(guild);
    const { id: guildId } = await bot.newGuild({ key: 'sandbox-key' });
    const permissions = String(PermissionFlagsBits.ManageGuild);
    for (const window of (await openWindows()).filter(isOfSomebody))
      await submitAs({ bot, guild }, window, { userId: guild[window.by].userId, guildId, permissions });
  });

  /** Whether a modal contains a user's data. An empty modal only has the submitter's input. */
  const isOfSomebody = ({ modal }: Opened) =>
    !/^submit:(?:fields:(?:#|$)|another:)/.test(modal.data.custom_id);

  /** Submits a modal, but replaces its user and guild before it reaches the bot. Returns the content of the reply. */
  async function submitAs(
    place: Place,
    { by, modal }: Opened,
    forged: Who & { readonly permissions: string },
  ): Promise<string> {
    const { userId: id, guildId, permissions } = forged;
    const { gateway } = place.bot.discord;
    onTestFinished(() => gateway.disturbDispatch({}));
    gateway.disturbDispatch({
      alter(payload) {
        const { member } = Object(payload);
        const user = { ...member.user, id };
        return { ...payload, guild_id: guildId, member: { ...member, permissions, user } };
      },
    });
    let said = '';
    await changesNothing(place, forged, async () => {
      said = textOf(await place.guild[by].submit(modal, typedInto(modal, submittable())));
    });
    return said;
  }
});

describe("a forged modal with a submission's id", () => {
  it("doesn't change another member's or guild's data", async ({ bot, guild, admin, member }) => {
    // The presses follow each other so quickly that they can exceed Discord's 50 requests per second.
    bot.mayBreak(BREACHES.tooOften, 5);
    await setKey(admin, 'sandbox-key');
    await addServer(member, 'no-port.example.com');
    await addServer(member, 's1.example.com:27015');
    await paste(member, 'new.example.com:1 cs2');
    await member.press(await paste(member, 'cancelled.example.com:1 cs2'), 'Cancel');
    await turnApprovalOn(guild);
    await addServer(member, 'decided.example.com:1');
    await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
    await endGathering(bot, guild);
    await allNotified(bot, guild);
    await addServer(member, 'waits.example.com:1');
    // A submission has no draft after a moderator's decision.
    const drafts = await bot.store.rows(
      `SELECT coalesce(drafts.id, draft_id) AS id, drafts.id IS NULL AS is_deleted, state
        FROM drafts FULL JOIN submissions ON draft_id = drafts.id
        WHERE coalesce(drafts.guild_id, submissions.guild_id) = ?`,
      guild.id,
    );
    const kinds = drafts.map(({ is_deleted, state }) => `${state}${is_deleted ? ', deleted' : ''}`);
    expect(kinds.toSorted()).toEqual(['done', 'done, deleted', 'null', 'null', 'null', 'waiting']);

    const elsewhere = await bot.newGuild({ key: 'sandbox-key' });
    const forge = (person: Person, custom_id: string) =>
      changesNothing({ bot, guild }, person, async () => {
        for (const typed of [TYPED, submittable(), { ...submittable(), server: '' }]) {
          const said = await submitForged(bot, person, { custom_id, typed });
          expect([custom_id, said.includes(NOT_YOURS)]).toEqual([
            custom_id,
            SUBMITS_OF_A_SUBMISSION.includes(nameOf(custom_id)),
          ]);
          expect(said).not.toMatch(OTHERS);
        }
      });
    for (const { id } of drafts) {
      for (const name of SUBMITS_OF_A_SUBMISSION) {
        await forge(guild.person({ role: 'other' }), `${name}:${id}`);
        await forge(inOther(elsewhere, member), `${name}:${id}`);
      }
      for (const name of GUARDED_SUBMITS) await forge(inOther(elsewhere, admin), `${name}:${id}`);
    }
    const strays =
      'SELECT 1 FROM servers JOIN submissions ON id = submission_id WHERE servers.guild_id <> submissions.guild_id';
    expect(await bot.store.rows(strays)).toEqual([]);
  });
});

it("a forged button press doesn't change a public message", async ({ bot, guild, admin }) => {
  // The presses follow each other so quickly that they can exceed Discord's 50 requests per second.
  bot.mayBreak(BREACHES.tooOften, 5);
  const panel = await postPanel(guild, 'Ours.');
  // One of the buttons deletes the guild's data, which removes the buttons of the panels that the bot manages.
  await stopManaging(guild);
  const { controls } = await showEverything(guild);
  // If a decision succeeds, only its message shows it, and the press on the panel doesn't get a reply.
  const decided = 'SELECT id FROM submissions WHERE guild_id = ? AND expires_at IS NOT NULL';
  await bot.store.rows(`DELETE FROM servers WHERE submission_id IN (${decided})`, guild.id);
  await bot.store.rows('DELETE FROM submissions WHERE guild_id = ? AND expires_at IS NOT NULL', guild.id);
  const before = structuredClone(panel.current);
  for (const { id: custom_id } of controls) {
    // If these succeed, they only change the submission's own message, so there's no reply to wait for.
    if (['submissions:undo', 'submissions:duplicate'].includes(nameOf(custom_id))) continue;
    const answer = await forged(bot, { custom_id }, () => admin.press(panel, 'Submit a game server'));
    if (answer.kind !== 'modal') expect([custom_id, messageOf(answer).ephemeral]).toEqual([custom_id, true]);
    expect([custom_id, panel.current]).toEqual([custom_id, before]);
  }
});

it("a forged modal submission doesn't change a public message", async ({ bot, guild, admin }) => {
  await setKey(admin, 'sandbox-key');
  const panel = await postPanel(guild, 'Ours.');
  await addServer(admin, 'no-port.example.com');
  await paste(admin, 'no-game.example.com:1');
  const before = structuredClone(panel.current);
  const drafts = await bot.store.rows('SELECT id FROM drafts WHERE guild_id = ?', guild.id);
  for (const { id } of drafts) {
    for (const name of SUBMITS.filter((each) => each !== 'panel:post')) {
      const window = modalOf(await admin.press(panel, 'Submit a game server'));
      const data = { custom_id: `${name}:${id}`, components: typedFields(submittable()) };
      const answer = await forged(bot, data, () => admin.submit(window, typedInto(window)));
      expect([name, messageOf(answer).ephemeral]).toEqual([name, true]);
      expect([name, panel.current]).toEqual([name, before]);
    }
  }
});

describe("a command's required permission", () => {
  const forAdmins = commands
    .filter(({ permission }) => permission !== undefined)
    .map(({ data }) => data.name);

  it('is registered with Discord', ({ discord }) => {
    const needed = String(PermissionFlagsBits.ManageGuild);
    const seen = discord.commands().map((command) => [command.name, command.default_member_permissions]);
    expect(Object.fromEntries(seen)).toEqual(
      Object.fromEntries(
        commands.map(({ data }) => [data.name, forAdmins.includes(data.name) ? needed : null]),
      ),
    );
    expect(forAdmins).toEqual(['setkey', 'keystatus', 'removekey', 'settings', 'panel']);
  });

  it.for(forAdmins)('is enforced by the bot even if Discord lets members use /%s', async (name, {
    bot,
    guild,
    member,
  }) => {
    expect(await member.slash(name)).toMatchObject({ kind: 'rejected' });
    giveCommand(guild, name, member);
    await changesNothing({ bot, guild }, member, async () =>
      expect(textOf(await member.slash(name))).toContain(REFUSED),
    );
    const logged = bot.log().filter(({ msg }) => msg === 'denied: the member lacks the permission');
    expect(logged.at(-1)).toMatchObject({ guildId: guild.id, command: name });
    // The log lines don't contain any input, chosen values or arguments of custom ids.
    for (const { time: _t, level: _l, msg: _m, interactionId: _i, ...rest } of logged)
      expect(Object.keys(rest).filter((key) => !['guildId', 'command', 'action'].includes(key))).toEqual([]);
  });
});
