import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  gameMark,
  readFilter,
  type SubmissionsDeps,
  submissionsCommand,
  writeFilter,
} from '../../commands/submissions/command.ts';
import { DEFAULTS } from '../../src/guilds/settings.ts';
import { customId } from '../../src/interactions/controls.ts';
import { readPage, writePage } from '../../src/interactions/pager.ts';
import type { HistoryEntry, HistoryFilter } from '../../src/submissions/history.ts';
import { anyContext } from './context.ts';

const snowflake = fc.bigInt({ min: 10n ** 16n, max: 2n ** 64n - 1n }).map(String);
const filter = fc.record({
  userId: fc.oneof(fc.constant(''), snowflake),
  game: fc.oneof(fc.constant(''), fc.string().map(gameMark)),
  outcome: fc.constantFrom(undefined, 'accepted', 'not-sent' as const),
  server: fc.string({ maxLength: 45 }).map((text) => text.slice(0, 45)),
});

describe('the filter in a custom id', () => {
  it('comes back as it was, and fits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), filter, (page, wanted) => {
        const written = writePage(page, writeFilter(wanted));
        const read = readPage(written);
        expect({ page: read.wanted, filter: readFilter(read.state) }).toEqual({ page, filter: wanted });
        expect(customId('submissions', 'page', written).length).toBeLessThanOrEqual(100);
      }),
    );
    const { data } = commandOver(async () => 0);
    expect(data).toMatchObject({
      options: expect.arrayContaining([expect.objectContaining({ name: 'server', max_length: 45 })]),
    });
  });

  it('may be anything at all', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { wanted, state } = readPage(text);
        expect(wanted).not.toBeNaN();
        expect(readFilter(state).userId).toMatch(/^\d*$/);
      }),
    );
  });
});

/** The command over a history that counts and is read so, and has such entries. */
function commandOver(
  count: (which: HistoryFilter) => Promise<number>,
  read: () => Promise<void> = async () => {},
  entries: readonly HistoryEntry[] = [],
) {
  const history = {
    find: async (_guildId: string, which: HistoryFilter) => {
      await count(which);
      return [];
    },
    countServers: (_guildId: string, which: HistoryFilter) => count(which),
    entries: async () => [],
    size: async () => 0,
    games: async () => new Set(['gone']),
    async *all() {
      await read();
      for (const entry of entries) yield [entry];
    },
  };
  const games = { all: [{ name: 'Rust', alias: 'rust' }] };
  const settings = { get: async () => DEFAULTS };
  const approvals = { waiting: async () => [] };
  return submissionsCommand({ history, games, settings, approvals } as unknown as SubmissionsDeps);
}

describe('the history', () => {
  it('is a member’s own, whatever a button says, and an admin’s whole', async () => {
    const asked: HistoryFilter[] = [];
    const command = commandOver(async (which) => asked.push(which));
    async function see(isAdmin: boolean, wanted: Partial<Parameters<typeof writeFilter>[0]>) {
      const argument = writePage(
        1,
        writeFilter({ userId: '', game: '', outcome: undefined, server: '', ...wanted }),
      );
      await command.presses?.page?.run(anyContext({ isAdmin, argument }));
      return asked.at(-1);
    }
    expect(await see(false, {})).toEqual({ userId: '4' });
    await expect(see(false, { userId: '7' })).rejects.toThrow();
    expect(await see(true, {})).toEqual({});
    expect(await see(true, { userId: '7', server: 'PLAY' })).toEqual({ userId: '7', address: 'play' });
    expect(await see(true, { game: gameMark('rust') })).toEqual({ game: 'rust' });
    expect(await see(true, { game: gameMark('gone') })).toEqual({ game: 'gone' });
    // Nothing has a game that nobody knows.
    expect(await see(true, { game: gameMark('other') })).toEqual({ game: '' });
  });

  it('has no more of one submission', async () => {
    const asked: HistoryFilter[] = [];
    const command = commandOver(async (which) => {
      asked.push(which);
      return 0;
    });
    for (const action of ['servers', 'turn']) {
      for (const isAdmin of [false, true]) {
        const run = command.presses?.[action]?.run(anyContext({ isAdmin, argument: writePage(1, 'x') }));
        await expect(run).rejects.toThrow('No submission matches this.');
      }
    }
    const [member, admin] = [{ id: 'x', userId: '4' }, { id: 'x' }];
    expect(asked).toEqual([member, admin, member, admin]);
  });

  it('is exported once of a member at a time, and again once that has ended, however it did', async () => {
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

  it('is exported as far as Discord takes files: of less than 10 MiB each, and 25 MiB together', async () => {
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
    const sizes = files.map(({ data }: { data: Buffer }) => data.length);
    const MiB = 1024 ** 2;
    expect(Math.max(...sizes)).toBeLessThan(10 * MiB);
    expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBeLessThan(25 * MiB);
    expect(content).toContain('/submissions');
  });
});
