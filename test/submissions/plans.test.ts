import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { SnowflakeUtil } from 'discord.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTakenInteractions } from '../../src/discord/taken.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/collection.ts';
import { createTables, type Database } from '../../src/storage/database.ts';
import { MIGRATIONS, migrate } from '../../src/storage/migrations.ts';
import { createStatements } from '../../src/storage/statements.ts';
import { createTidying } from '../../src/submissions/pruning.ts';
import { recorder } from '../storage/temporary.ts';
import { addDone, partsOver } from '../support/submissions.ts';

const sqlite = new DatabaseSync(':memory:');
let statements: { readonly sql: string; readonly parameters: readonly unknown[] }[] = [];
let database: Pick<Database, 'tables' | 'execute' | 'inGuild'>;

beforeAll(async () => {
  const queue = createStatements(sqlite);
  await migrate({ path: ':memory:', tables: createTables(queue), statements: queue, migrations: MIGRATIONS });
  const execute: Database['execute'] = (sql, parameters = []) => {
    statements.push({ sql, parameters });
    return queue.execute(sql, parameters);
  };
  database = {
    execute,
    tables: createTables({ execute }),
    inGuild: (_, change, options) => queue.transaction(change, options),
  };
});

/** How SQLite finds what the statements of a task are about: the indices, and tables that are read as a whole. */
async function plansOf(task: () => Promise<unknown>): Promise<readonly string[]> {
  statements = [];
  await task();
  const steps = statements.flatMap(({ sql, parameters }) =>
    sqlite
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...(parameters as string[]))
      .map(({ detail }) => String(detail)),
  );
  const found = steps.flatMap((step) => {
    const search = /^SEARCH \w+ USING (?:COVERING )?INDEX (\w+) \((.*)\)$/.exec(step);
    if (search) return `${search[1]} (${search[2]})`.replace('sqlite_autoindex_', '');
    // What a subquery or a list of values has found is gone through, and put into order.
    return /^SCAN (?:latest|some|times)$|^(?:CO-ROUTINE|LIST SUBQUERY|USE TEMP B-TREE|CORRELATED SCALAR SUBQUERY|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|MERGE|LEFT|RIGHT)/.test(
      step,
    )
      ? []
      : step;
  });
  return [...new Set(found)].sort();
}

const at = Date.now();
const by = { guildId: '1', user: { id: '7', name: 'member' } };
const server = { server: 's.example.com', port: 27015, game: 'cs2' };
const draft = {
  source: 'options',
  rows: [{ line: 1, text: '', ok: true, submission: server }],
  previous: [],
  includesPrevious: false,
} as const;

/** What is searched, by the index and by the columns of it that are used. A table that is read as a whole says SCAN. */
const OF_SERVERS = 'servers_1 (submission_id=?)';
const SERVER = 'servers_1 (submission_id=? AND position=?)';
const SUBMISSION = 'submissions_1 (id=?)';
const OF_INTERACTION = 'submissions_by_interaction (interaction_id=?)';
const DRAFTS_OF_MEMBER = 'submissions_by_member (guild_id=? AND user_id=? AND state=?)';
const OLD_DRAFTS = 'submissions_by_state (state=? AND created_at<?)';
const LIMITS = [
  'servers_by_hash (guild_id=? AND user_hash=? AND reserved_at>? AND reserved_at<?)',
  'servers_by_member (guild_id=? AND user_id=? AND reserved_at>? AND reserved_at<?)',
  'servers_by_reservation (guild_id=? AND reserved_at>? AND reserved_at<?)',
];
const HISTORY = 'servers_by_time (guild_id=? AND ended_at>?)';
const HISTORY_OF_MEMBER = 'servers_by_member_time (guild_id=? AND user_id=? AND ended_at>?)';

describe('a statement that runs for an interaction searches an index', () => {
  const limit = { servers: 3, seconds: 3600 };
  const parts = () => partsOver(database, { member: limit, guild: limit });

  it('of a submission, from its draft to its end', async () => {
    const { records } = parts();
    const plans = await plansOf(async () => {
      await records.saveDraft(by, 'd', draft);
      await records.saveDraft(by, 'd', draft);
    });
    expect(plans).toEqual([OF_SERVERS, SUBMISSION, DRAFTS_OF_MEMBER, OLD_DRAFTS]);
    expect(await plansOf(() => records.findDraft(by, 'd'))).toEqual([OF_SERVERS, SUBMISSION]);
    expect(await plansOf(() => records.isSubmitted(by, 'd'))).toEqual([OF_SERVERS, SUBMISSION]);
    expect(await plansOf(() => records.begin('d', 'x', [0]))).toEqual([SERVER, SUBMISSION]);
    expect(await plansOf(() => records.carriedOutBy('1', 'x'))).toEqual([OF_SERVERS, OF_INTERACTION]);
    expect(await plansOf(() => records.leave('d', [0]))).toEqual([SERVER]);
    const outcome = { kind: 'accepted', message: 'Yes.' } as const;
    expect(await plansOf(() => records.end('d', [0], outcome))).toEqual([SERVER]);
    expect(await plansOf(() => records.finish('d'))).toEqual([SUBMISSION]);
    await records.saveDraft(by, 'e', draft);
    expect(await plansOf(() => records.dropDraft('1', 'e'))).toEqual([OF_SERVERS, SUBMISSION]);
  });

  it('of its checks', async () => {
    await addDone(database, { id: 'a', guildId: '1', userId: '7', at, hosts: ['a', 'b', 'c'] });
    const { checks } = parts();
    const servers = [server, { ...server, port: 1 }];
    expect(await plansOf(() => checks.run(by, { servers, again: true }))).toEqual([
      'servers_by_address (guild_id=? AND address=? AND outcome=? AND reserved_at>?)',
      ...LIMITS,
    ]);
    expect(
      await plansOf(() => checks.submittedBefore({ guildId: '1', userId: '7' }, [{ server: 'a', port: 1 }])),
    ).toEqual([
      'servers_by_address (guild_id=? AND address=? AND outcome=? AND reserved_at=?)',
      'servers_by_address (guild_id=? AND address=? AND outcome=?)',
      SUBMISSION,
    ]);
    // The member has used up all of it, and the second everything but the limit of the guild.
    for (const userId of ['7', '8']) {
      const ask = () => checks.room({ guildId: '1', userId, count: 1, dailyQuota: 100 });
      expect((await ask()).held?.by).toBe(userId === '7' ? 'member-limit' : 'guild-limit');
      expect(await plansOf(ask)).toEqual(LIMITS);
    }
  });

  it.each([
    [{}, [SERVER, HISTORY, SUBMISSION]],
    [{ userId: '7' }, [SERVER, HISTORY_OF_MEMBER, HISTORY, SUBMISSION]],
    [{ game: 'cs2', address: 'a' }, [SERVER, HISTORY, SUBMISSION]],
  ])('of a page of the history, with the filter %j', async (filter, expected) => {
    const { history } = parts();
    const plans = await plansOf(async () => {
      await history.count('1', filter);
      await history.page('1', filter, { offset: 10, limit: 10 });
      await history.isFull('1');
      for await (const _ of history.all('1', filter));
    });
    expect(plans).toEqual(expected);
  });

  it('of the games that a guild submits most', async () => {
    const { history } = parts();
    expect(await plansOf(() => history.latestGames('1', at))).toEqual([
      'servers_by_time (guild_id=? AND ended_at<?)',
    ]);
    expect(statements.map(({ sql, parameters }) => [/limit \?$/.test(sql), parameters.at(-1)])).toEqual([
      [true, 1_000],
    ]);
  });

  it('of an interaction itself', async () => {
    const encryption = createEncryption([randomBytes(32)]);
    const taken = createTakenInteractions({ database, logger: recorder(), encryption });
    const interactionId = String(SnowflakeUtil.generate({ timestamp: at }));
    const interaction = {
      ...{ interactionId, guildId: '1', channelId: '1', user: by.user, permissions: '0', locale: 'de' },
      ...{ guildLocale: 'de', token: new Secret('token'), shape: 'update' as const, isPrivate: true },
    } as const;
    expect(await plansOf(() => taken.remember(interaction))).toEqual([]);
    expect(await plansOf(() => taken.forget(interaction))).toEqual(['interactions_1 (id=?)']);
  });
});

describe('what is done from time to time', () => {
  it('searches an index for what is past its time', async () => {
    const { pruning, erasure } = partsOver(database);
    await addDone(database, { id: 'b', guildId: '1', userId: '7', at: 1, hosts: ['a'] });
    expect(await plansOf(() => pruning.prune())).toEqual(
      [
        // An index of those few rows that have a hash.
        'SCAN servers USING INDEX servers_by_hash',
        'interactions_by_guild (guild_id>?)',
        OF_SERVERS,
        SUBMISSION,
        'servers_by_outcome (outcome=? AND ended_at<?)',
        SERVER,
        HISTORY,
        'submissions_by_member (guild_id>?)',
        OLD_DRAFTS,
      ].sort(),
    );
    const tidying = createTidying({ database, logger: recorder() });
    const plans = await plansOf(async () => {
      await tidying.start();
      await tidying.tidy();
    });
    await tidying.stop();
    expect(plans.filter((plan) => plan.startsWith('SCAN'))).toEqual([]);
    expect(plans).toContain('submissions_with_refused_lines (ended_at<?)');
    const erased = await plansOf(async () => {
      await erasure.forgetMember('1', '7');
      await erasure.deleteGuild('1');
    });
    expect(erased.filter((plan) => plan.startsWith('SCAN'))).toEqual([]);
  });
});
