import { describe, expect } from 'vitest';
import { modalFields, modalTexts } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import { turnApprovalOn } from '../support/approval.ts';
import { botTest, modalOf, type TestGuild, textOf } from '../support/bot.ts';
import {
  addServer,
  allowGames,
  deleteName,
  edit,
  labelsOf,
  type Opened,
  openModal,
  openSetting,
  paste,
  postPanel,
  pressSubmit,
  setQuota,
} from '../support/people.ts';

/*
 * Discord's mobile apps remember a form's input by its custom id. Nevertheless, every form must show the content that the
 * bot sends.
 */

const it = botTest();

/** Opens a form, submits a change and reopens the form. */
async function editTwice(person: Person, answer: Answer, changes: Opened['typed']): Promise<Opened[]> {
  const first = await openModal(person, answer);
  await person.submit(first.modal, { ...first.typed, ...changes });
  return [first, await openModal(person, answer)];
}

/** Reopens the form from each message after the drafts are deleted. */
async function fillInAgain({ member }: TestGuild, messages: readonly Answer[]): Promise<Opened[]> {
  await deleteName(member);
  const opened: Opened[] = [];
  for (const message of messages) {
    const label = labelsOf(message).find((each) => each.startsWith('Fix ')) ?? 'Edit';
    await member.press(message, label);
    opened.push(await openModal(member, message, 'Edit'));
  }
  return opened;
}

interface Prefilled {
  /** The prefix of the form's custom id. */
  readonly name: string;
  /** The field whose content is different when the form is reopened. */
  readonly field: string;
  readonly texts: readonly [string, string];
  open(guild: TestGuild): Promise<Opened[]>;
}

/** Returns the two lines of a list as they appear in the form. */
const linesOf = (server: string): string =>
  `1. ${server} Counter-Strike 2\n2. other.example.com:1 Counter-Strike 2`;
/** Returns the two lines of a list as the message shows them. */
const shownOf = (server: string): string => `${server} cs2\nother.example.com:1 Counter-Strike 2`;
const pasteLines = (person: Person, server: string) => paste(person, linesOf(server).replace(/^\d\. /gm, ''));

const PREFILLED: readonly Prefilled[] = [
  {
    name: 'submit:fields',
    field: 'server',
    texts: ['first.example.com', 'second.example.com'],
    open: async ({ member }) =>
      editTwice(member, await addServer(member, 'first.example.com'), { server: 'second.example.com' }),
  },
  {
    name: 'submit:fields',
    field: 'server',
    texts: ['first.example.com', 'second.example.com'],
    open: async (guild) =>
      fillInAgain(guild, [
        await addServer(guild.member, 'first.example.com'),
        await addServer(guild.member, 'second.example.com'),
      ]),
  },
  {
    name: 'submit:changed',
    field: 'server',
    texts: ['first.example.com', 'second.example.com'],
    async open(guild) {
      await turnApprovalOn(guild);
      const waits = await addServer(guild.member, 'first.example.com:1');
      return editTwice(guild.member, waits, { server: 'second.example.com:1' });
    },
  },
  {
    name: 'submit:fields',
    field: 'server',
    texts: ['first.example.com', 'second.example.com'],
    open: async ({ member }) =>
      editTwice(member, await paste(member, 'first.example.com cs2'), { server: 'second.example.com' }),
  },
  {
    name: 'submit:lines',
    field: 'servers',
    texts: ['1. first.example.com Counter-Strike 2', '1. second.example.com Counter-Strike 2'],
    open: async ({ member }) =>
      editTwice(member, await pasteLines(member, 'first.example.com'), {
        servers: '1. second.example.com cs2',
      }),
  },
  {
    name: 'submit:correct',
    field: 'servers',
    texts: [linesOf('first.example.com:1'), linesOf('second.example.com:1')],
    async open({ member, listing }) {
      await listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } });
      const message = await pressSubmit(member, await pasteLines(member, 'first.example.com:1'));
      return editTwice(member, { kind: 'message', message }, { servers: linesOf('second.example.com:1') });
    },
  },
  {
    name: 'submit:changed',
    field: 'servers',
    texts: [linesOf('first.example.com:1'), linesOf('second.example.com:1')],
    async open(guild) {
      const { member } = guild;
      await turnApprovalOn(guild);
      const message = await pressSubmit(member, await pasteLines(member, 'first.example.com:1'));
      const first = await openModal(member, message);
      await member.submit(first.modal, { servers: linesOf('second.example.com:1') });
      return [first, await openModal(member, message)];
    },
  },
  {
    name: 'submit:retyped',
    field: 'servers',
    texts: ['[', '{'],
    open: async ({ member }) => editTwice(member, await paste(member, '['), { servers: '{' }),
  },
  {
    name: 'submit:paste',
    field: 'servers',
    texts: [shownOf('first.example.com'), shownOf('second.example.com')],
    open: async (guild) =>
      fillInAgain(guild, [
        await pasteLines(guild.member, 'first.example.com'),
        await pasteLines(guild.member, 'second.example.com'),
      ]),
  },
  {
    name: 'submit:paste',
    field: 'game',
    texts: ['cs2', 'ark'],
    async open(guild) {
      const { member } = guild;
      await allowGames(guild, ['ark', 'cs2']);
      const [first, second] = [
        modalOf(await member.slash('addservers', { game: 'cs2' })),
        modalOf(await member.slash('addservers', { game: 'ark' })),
      ];
      return [first, second].map((modal) => ({ modal, typed: standingIn(modal) }));
    },
  },
  {
    name: 'settings:type:1:panels',
    field: 'text',
    texts: ['Be kind.', 'Be brief.'],
    async open(guild) {
      await postPanel(guild, 'Be kind.');
      return editTwice(guild.admin, await openSetting(guild, 'Panels'), { text: 'Be brief.' });
    },
  },
  {
    name: 'submit:fields',
    field: 'game',
    texts: ['cs2', 'ark'],
    async open(guild) {
      const panel = await postPanel(guild);
      const opened: Opened[] = [];
      for (const game of ['cs2', 'ark']) {
        await edit(guild.admin, await openSetting(guild, 'Panels'), { game });
        opened.push(await openModal(guild.member, panel, 'Submit a game server'));
      }
      return opened;
    },
  },
  {
    name: 'settings:type:1:quota',
    field: 'quota',
    texts: ['5', '7'],
    async open(guild) {
      const { admin } = guild;
      await setQuota(guild, '5');
      const first = await openModal(admin, await openSetting(guild, 'Daily quota'), 'Change the quota');
      await admin.submit(first.modal, { quota: '7' });
      return [first, await openModal(admin, await openSetting(guild, 'Daily quota'), 'Change the quota')];
    },
  },
];

const standingIn = ({ data }: SeenModal): Opened['typed'] =>
  Object.fromEntries(modalFields(data).map(({ id, value = '' }) => [id, value]));

describe('a prefilled form', () => {
  it.for(PREFILLED)('shows the current values whenever it is opened ($name, $texts)', async ({
    name,
    field,
    texts,
    open,
  }, { guild }) => {
    const opened = await open(guild);
    expect(opened.map(({ typed }) => typed[field])).toEqual(texts);
    for (const { modal } of opened) expect(modal.data.custom_id).toMatch(new RegExp(`^${name}:`));
  });
});

describe("a form that isn't prefilled", () => {
  it('keeps the input if the user accidentally closes it', async ({ member }) => {
    const window = async () => modalOf(await member.slash('addservers'));
    member.close(await window(), { servers: 'typed.example.com:1 cs2' });
    const again = await window();
    expect(standingIn(again)).toMatchObject({ servers: 'typed.example.com:1 cs2' });
    expect(textOf(await member.submit(again, {}))).toContain('typed.example.com');
  });

  it('shows up-to-date text when it is reopened', async ({ guild, member }) => {
    const window = async () => modalOf(await member.slash('addservers')).data;
    const before = await window();
    await turnApprovalOn(guild);
    const after = await window();
    expect(modalTexts(after).join()).toContain('A moderator reviews submissions');
    expect(after.custom_id).not.toBe(before.custom_id);
  });

  it('never shows a previously entered key', async ({ admin }) => {
    const refused = await admin.submit(modalOf(await admin.slash('setkey')), { key: 'wrong-key' });
    const windows = [() => admin.slash('setkey'), () => admin.press(refused, 'Enter an API key')];
    for (const open of windows) {
      admin.close(modalOf(await open()), { key: 'a key' });
      expect(standingIn(modalOf(await open()))).toEqual({ key: '' });
    }
  });
});
