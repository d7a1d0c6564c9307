import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { submissionsCommand } from '../../commands/submissions/command.ts';
import { entryText, groupText } from '../../commands/submissions/entries.ts';
import { addressPart, gameMark, readFilter, writeFilter } from '../../commands/submissions/filter.ts';
import { DEFAULTS } from '../../src/guilds/settings.ts';
import { customId } from '../../src/interactions/controls.ts';
import { readPage, writePage } from '../../src/interactions/pager.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import type { HistoryEntry, HistoryFilter, SubmissionEntry } from '../../src/submissions/history.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import { anyContext, onlyDeps } from './context.ts';

const snowflake = fc.bigInt({ min: 10n ** 16n, max: 2n ** 64n - 1n }).map(String);
const filter = fc.record({
  userId: fc.oneof(fc.constant(''), snowflake),
  game: fc.oneof(fc.constant(''), fc.string().map(gameMark)),
  outcome: fc.constantFrom(undefined, 'accepted', 'declined', 'not-sent' as const),
  server: fc.string({ maxLength: 45 }).map((text) => text.slice(0, 45)),
});

describe('the filter in a custom id', () => {
  it("stays within Discord's limit and survives a round trip", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), filter, (page, wanted) => {
        const written = writePage(page, writeFilter(wanted));
        const read = readPage(written);
        expect({ page: read.wanted, filter: readFilter(read.state) }).toEqual({ page, filter: wanted });
        expect(customId('submissions', 'page', written).length).toBeLessThanOrEqual(100);
      }),
    );
    expect(addressPart(`${'long.'.repeat(20)}example.com:27015`)).toHaveLength(45);
  });

  it('never causes an error, whatever the string', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { wanted, state } = readPage(text);
        expect(wanted).not.toBeNaN();
        expect(readFilter(state).userId).toMatch(/^\d*$/);
      }),
    );
  });
});

/** The filters of the exports. */
const exportedWith: HistoryFilter[] = [];

/** Creates the /submissions command with a stub history. */
function commandOver(
  count: (which: HistoryFilter) => Promise<number>,
  read: () => Promise<void> = async () => {},
  entries: readonly HistoryEntry[] = [],
  find: (guildId: string) => Promise<Submission | undefined> = async () => undefined,
  found: readonly (readonly string[])[] = [],
  more: object = {},
) {
  const history = {
    find: async (_guildId: string, which: HistoryFilter) => {
      await count(which);
      return found;
    },
    entries: async (_guildId: string, ids: readonly string[]) =>
      ids.map((id) => ({ id, state: 'done', userId: '4', userName: 'mia', counts: {}, at: 0 })),
    unsent: async () => [],
    size: async () => 0,
    gameAliases: async () => new Set(['gone']),
    async *all(_guildId: string, which: HistoryFilter) {
      exportedWith.push(which);
      await read();
      for (const entry of entries) yield [entry];
    },
  };
  const games = indexGames([{ name: 'Rust', alias: 'rust' }]);
  const submissions = { find };
  const settings = { getOrThrow: async () => ({ ...DEFAULTS, approvalRoleId: 'moderators' }) };
  const approvals = { waiting: async () => [], countWaiting: async () => 0 };
  const drafts = { unfinished: async () => undefined };
  return submissionsCommand(onlyDeps({ history, submissions, games, settings, approvals, drafts, ...more }));
}

it('/submissions stops looking for an unfinished list after checking three', async () => {
  const submission = { server: 'a.example.com', port: 1, game: 'rust' };
  const rows = [{ kind: 'ready', line: 1, submission }];
  let looked = 0;
  const command = commandOver(async () => 0, undefined, [], undefined, [], {
    drafts: {
      async unfinished(_who: unknown, over: readonly string[]) {
        looked += 1;
        const newest = { id: `${over.length}`, source: 'text', rows, isTried: false, hasChoices: false };
        return over.length < 10 ? { newest, count: 10 - over.length } : undefined;
      },
    },
    alreadySubmitted: { find: async () => new Map(rows.map((row) => [row, {}])) },
  });
  await command.run?.(anyContext());
  expect(looked).toBe(3);
});

/** Returns the history's filter after a member has entered these options. */
async function filterFrom(options: Readonly<Record<string, string>>): Promise<HistoryFilter | undefined> {
  const asked: HistoryFilter[] = [];
  const command = commandOver(async (which) => asked.push(which));
  await command.run?.(anyContext({ field: (name) => options[name] ?? '' }));
  return asked[0];
}

describe('the history', () => {
  it('shows members only their own submissions, even if they forge a button', async () => {
    const asked: HistoryFilter[] = [];
    const command = commandOver(async (which) => asked.push(which));
    async function see(isAdmin: boolean, wanted: Partial<Parameters<typeof writeFilter>[0]>) {
      const argument = writePage(
        1,
        writeFilter({ userId: '', game: '', outcome: undefined, server: '', ...wanted }),
      );
      const before = asked.length;
      await command.presses?.page?.run(anyContext({ isAdmin, argument }));
      // The bot then searches for waiting submissions.
      return asked[before];
    }
    expect(await see(false, {})).toEqual({ readerId: '4', userId: '4' });
    const asked7 = asked.length;
    await see(false, { userId: '7' });
    expect(asked).toHaveLength(asked7);
    expect(await see(true, {})).toEqual({ readerId: '4' });
    expect(await see(true, { userId: '7', server: 'PLAY' })).toEqual({
      readerId: '4',
      userId: '7',
      address: 'play',
    });
    expect(await see(true, { game: gameMark('rust') })).toEqual({ readerId: '4', game: 'rust' });
    expect(await see(true, { game: gameMark('gone') })).toEqual({ readerId: '4', game: 'gone' });
    // For an unknown game, the filter matches nothing.
    expect(await see(true, { game: gameMark('other') })).toEqual({ readerId: '4', game: '' });
  });

  it('shows moderators all decisions, but lets them export only their own submissions', async () => {
    const asked: HistoryFilter[] = [];
    const command = commandOver(async (which) => asked.push(which), undefined, [], undefined, [['x']]);
    const argument = writePage(1, ':::');
    const moderator = { isAdmin: false, roleIds: ['moderators'], argument };
    const pressed = await command.presses?.page?.run(anyContext(moderator));
    expect(asked.at(-1)).toEqual({ readerId: '4', isDecided: true });
    expect(JSON.stringify(pressed)).not.toContain('submissions:export');
    const own = await command.presses?.page?.run(
      anyContext({ ...moderator, argument: writePage(1, writeFilter({ ...readFilter(''), userId: '4' })) }),
    );
    expect(JSON.stringify(own)).toContain('submissions:export');
    await command.presses?.page?.run(anyContext({ ...moderator, roleIds: [] }));
    expect(asked.at(-1)).toEqual({ readerId: '4', userId: '4' });
    const file = await command.presses?.export?.run(anyContext(moderator));
    expect(Object(file).files).toHaveLength(1);
    expect(exportedWith.at(-1)).toEqual({ readerId: '4', userId: '4' });
  });

  it.each([
    ['steam://connect/Play.Example.com:27015/secret', 'play.example.com:27015'],
    ['[8.8.8.8:27015]', '8.8.8.8:27015'],
    ['<8.8.8.8 27015>', '8.8.8.8:27015'],
    ['2606:4700::1', '2606:4700::1'],
    ['[2606:4700::1]:3', '[2606:4700::1]:3'],
    ['mc.ex', 'mc.ex'],
    [' PLAY', 'play'],
    [':27015', ':27015'],
    ['203.0', '203.0'],
    ['exämple.de', 'xn--exmple-cua.de'],
  ])('can be filtered by a full or partial address in any form: %s', async (server, address) =>
    expect(await filterFrom({ server })).toMatchObject({ address }));

  it.each([
    ['Rust', 'rust'],
    ['rusd', 'rust'],
    ['gone', 'gone'],
    ['quake', ''],
  ])('can be filtered by game, even if it is misspelt: %s', async (game, alias) =>
    expect(await filterFrom({ game })).toMatchObject({ game: alias }));

  it('shows the active filter', async () => {
    const options = { member: '7', game: 'rust', outcome: 'rejected', server: 'a`b' };
    const command = commandOver(async () => 0, undefined, [], undefined, [['x']]);
    const filtered = anyContext({ field: (name) => Object(options)[name] ?? '' });
    const { embeds } = Object(await command.run?.(filtered));
    expect(embeds[0].description).toMatch(/^\*\*Only:\*\* <@7> · Rust · `a'b` · rejected\n1 submission/);
    const { embeds: all } = Object(await command.run?.(anyContext()));
    expect(all[0].description).toMatch(/^1 submission/);
  });

  it.each([
    ['several in one entry', [['a', 'b', 'c'], ['d']], '4 submissions, newest first'],
    ['more than it can show', Array.from({ length: 1_001 }, (_, n) => [`${n}`]), '1,000+ submissions'],
    [
      'more than it can show, in few entries',
      [Array.from({ length: 1_000 }, (_, n) => `${n}`), ['z']],
      '1,000+',
    ],
  ])('shows the correct number of submissions if there are %s', async (_, found, text) => {
    const command = commandOver(async () => 0, undefined, [], undefined, found);
    const { embeds } = Object(await command.run?.(anyContext()));
    expect(embeds[0].description).toMatch(new RegExp(`^${text.replace('+', '\\+')}`));
  });

  it("lets only admins and the submitter browse a submission's servers", async () => {
    const outcomes = ['accepted', 'rejected', undefined, 'accepted'] as const;
    const all = Array.from({ length: 12 }, (_, n) => {
      const kind = outcomes[n % outcomes.length];
      const outcome = kind && { kind, message: 'Said.' };
      return { line: n, server: { server: `s${n}`, port: 1, game: 'rust' }, outcome };
    });
    const submission = { userId: '4', servers: [...all, ...all.slice(0, 2)] } as unknown as Submission;
    async function see(context: Parameters<typeof anyContext>[0], page: number, id = 'x') {
      const found = commandOver(
        async () => 0,
        undefined,
        [],
        async (guildId) => (guildId === '2' && id === 'x' ? submission : undefined),
      );
      const shown = await found.presses?.turn?.run(anyContext({ ...context, argument: writePage(page, id) }));
      return JSON.stringify(shown).match(/s\d+(?=:1)/g);
    }
    const first = ['s1', 's5', 's9', 's1', 's0', 's3', 's4', 's7', 's8', 's11'];
    expect(await see({ isAdmin: false }, 1)).toEqual(first);
    expect(await see({ isAdmin: true, user: { id: '9', name: 'adam' } }, 1)).toEqual(first);
    expect(await see({ isAdmin: false }, 2)).toEqual(['s0']);
    expect(await see({ isAdmin: false, user: { id: '9', name: 'eve' } }, 1)).toBeNull();
    expect(await see({ guildId: '1' }, 1)).toBeNull();
    expect(await see({ isAdmin: true }, 1, 'y')).toBeNull();
  });

  it('lets each member run only one export at a time', async () => {
    const reads: PromiseWithResolvers<void>[] = [];
    const command = commandOver(
      async () => 0,
      async () => {
        const read = Promise.withResolvers<void>();
        reads.push(read);
        await read.promise;
      },
    );
    const run = async (id: string) => command.presses?.export?.run(anyContext({ user: { id, name: 'mia' } }));
    const first = run('2');
    const other = run('3');
    await expect(run('2')).rejects.toThrow('still working');
    await expect.poll(() => reads.length).toBe(2);
    reads[1]?.resolve();
    expect(await other).toHaveProperty('files');
    reads[0]?.reject(new Error('a fault'));
    await expect(first).rejects.toThrow('a fault');
    const last = run('2');
    await expect.poll(() => reads.length).toBe(3);
    reads[2]?.resolve();
    expect(await last).toHaveProperty('files');
  });

  it('shows which declined servers were corrected, and how', () => {
    const entry: SubmissionEntry = {
      ...{ id: '1', draftId: '2', at: 0, userId: '4', userName: 'mia', state: 'declined' },
      counts: { accepted: 0, rejected: 0, 'not-sent': 1, unknown: 0 },
      ...{ decidedBy: '5', decidedByName: 'mod', declineReason: undefined },
      ...{ correctedBy: '5', correctedByName: 'mod' },
      correctedFrom: { server: 'a.example.com', port: 28015, game: 'rust' },
      only: {
        ...{ at: 0, userId: '4', userName: 'mia', server: 'a.example.com', port: 28099, game: 'rust' },
        outcome: { kind: 'not-sent', reason: 'declined' },
      },
      first: undefined,
    };
    const other = { ...entry, id: '3', correctedBy: undefined, correctedFrom: undefined };
    const games = indexGames([{ name: 'Rust', alias: 'rust' }]);
    const lines = groupText(anyContext(), [entry, other], { games, isOwn: true }).split('\n');
    expect(lines.slice(-2)).toEqual([
      '`a.example.com:28099` · Corrected by \\@mod · Port: `28015` → `28099`',
      '`a.example.com:28099`',
    ]);
  });

  it('shows the full decline reason once the entry is opened', () => {
    const words = '*_'.repeat(150);
    const entry: SubmissionEntry = {
      ...{ id: '1', draftId: '2', at: 0, userId: '4', userName: 'mia', state: 'declined' },
      counts: { accepted: 0, rejected: 0, 'not-sent': 1, unknown: 0 },
      ...{ decidedBy: '5', decidedByName: 'mod', declineReason: { key: undefined, words } },
      ...{ correctedBy: undefined, correctedByName: '', correctedFrom: undefined },
      only: {
        ...{ at: 0, userId: '4', userName: 'mia', server: 'a.example.com', port: 1, game: 'rust' },
        outcome: { kind: 'not-sent', reason: 'declined' },
      },
      first: undefined,
    };
    const options = { number: undefined, games: indexGames([]), isOwn: true };
    const whole = '\\*\\_'.repeat(150);
    expect(entryText(anyContext(), entry, options)).not.toContain(whole);
    expect(entryText(anyContext(), entry, { ...options, isOpened: true })).toContain(whole);
    expect(groupText(anyContext(), [entry, entry], { ...options, isOpened: true })).toContain(whole);
  });
});

it('an export of the history gives the reason for each unsent server, but no outdated advice', async () => {
  const entry = { at: 0, userId: '4', userName: 'mia', server: 'a.example.com', port: 1, game: 'rust' };
  const entries = (['down', 'rate-limited'] as const).map((reason) => {
    return { ...entry, outcome: { kind: 'not-sent', reason } } as const;
  });
  const command = commandOver(async () => 0, undefined, entries);
  const { files = [] } = Object(await command.presses?.export?.run(anyContext()));
  const text = String(files[0].data);
  expect(text).toContain(
    '"The listing service had just failed several times, so the bot didn\'t contact it."',
  );
  expect(text).toContain('"The listing service received too many requests with this API key."');
});

it("an export of the history includes moderators' corrections", async () => {
  const entry: HistoryEntry = {
    ...{ at: 0, userId: '4', userName: 'mia', server: 'a.example.com', port: 28099, game: 'rust' },
    outcome: { kind: 'accepted', message: 'Yes.' },
    correctedFrom: { server: 'a.example.com', port: 28015, game: 'rust' },
  };
  const command = commandOver(async () => 0, undefined, [entry]);
  const { files = [] } = Object(await command.presses?.export?.run(anyContext()));
  expect(String(files[0].data)).toMatch(/,"correction"\r\n.*,"Port: 28015 → 28099"\r\n$/);
});

it('an export of the history is limited to 10 MiB', async () => {
  const entry: HistoryEntry = {
    at: 0,
    userId: '4',
    userName: 'mia',
    server: 'x'.repeat(500_000),
    port: 27015,
    game: 'rust',
    outcome: { kind: 'accepted', message: 'Yes.' },
  };
  const command = commandOver(async () => 0, undefined, Array(60).fill(entry));
  const { content, files = [] } = Object(await command.presses?.export?.run(anyContext()));
  expect(files).toHaveLength(1);
  expect(files[0].data.length).toBeLessThan(10 * 1024 ** 2);
  expect(content).toContain('/submissions');
});
