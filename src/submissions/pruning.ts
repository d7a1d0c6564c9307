import { AFTER_START_MS, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Database } from '../storage/database.ts';
import { kysely } from '../storage/kysely.ts';
import type { Checks } from './checks.ts';
import { INTERRUPTED, outcomeToStore } from './draft.ts';
import { type Erasure, inParts, ROWS_AT_ONCE } from './erasure.ts';
import { MOST_ENTRIES } from './history.ts';
import { DRAFT_LIVES_MS } from './record.ts';

const DAY_MS = 86_400_000;
/** How long it is kept that the service refused a server, or that it was not sent. */
export const REFUSED_KEPT_DAYS = 30;
/** How often what is past its time goes. */
const EVERY_MS = 600_000;

interface PruningDeps {
  readonly database: Pick<Database, 'tables'>;
  readonly checks: Pick<Checks, 'countsSince'>;
  readonly erasure: Pick<Erasure, 'guilds' | 'dropOldHashes'>;
  /** How long it is kept that a server was accepted, or may have been received. */
  readonly days: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Pruning extends Part {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Lets go of all that is past its time now. */
  prune(): Promise<void>;
}

/**
 * Keeps the history as small as is promised: what is too old goes, and of a guild with too much of it what was not sent, then the oldest.
 * Nothing goes for its age that a limit still counts. In small steps, after the start and every 10 minutes.
 */
export function createPruning(deps: PruningDeps): Pruning {
  const { database, checks, erasure, days, logger, now = Date.now } = deps;
  const { tables } = database;
  let first: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;

  const positions = () => positionsOf(tables);

  const drop = async (some: Some): Promise<number> => (isStopped ? 0 : dropSome(tables, some));

  async function dropOld(): Promise<void> {
    const at = now();
    const counted = checks.countsSince('all');
    const before = (kept: number) => Math.min(at - kept * DAY_MS, counted);
    for (const [outcome, kept] of [
      ['accepted', days],
      ['unknown', days],
      ['rejected', Math.min(days, REFUSED_KEPT_DAYS)],
      ['not-sent', Math.min(days, REFUSED_KEPT_DAYS)],
    ] as const) {
      const old = positions().where('outcome', '=', outcome).where('ended_at', '<=', before(kept));
      await inParts(() => drop(old.limit(ROWS_AT_ONCE)));
    }
    await dropOver(tables, before(days));
  }

  async function prune(): Promise<void> {
    await erasure.dropOldHashes();
    await dropOld();
    for await (const guildId of erasure.guilds()) {
      if (isStopped) return;
      await dropExcess(tables, guildId, drop);
    }
  }

  /** At most once at a time. */
  function pruneLater(): void {
    running ??= prune()
      .catch((error: unknown) => {
        logger.warn(
          { err: error },
          'what is past its time could not be removed from the history; will try again',
        );
      })
      .finally(() => {
        running = undefined;
      });
  }

  return {
    name: 'pruning',
    prune,
    async start() {
      first = setTimeout(pruneLater, AFTER_START_MS).unref();
      timer = setInterval(pruneLater, EVERY_MS).unref();
    },
    async stop() {
      isStopped = true;
      clearTimeout(first);
      clearInterval(timer);
      await running;
    },
  };
}

/** Those whose servers are kept apart, in the history of a previous version, or have gone when the bot was stopped. */
async function dropOver(tables: Database['tables'], before: number): Promise<void> {
  const over = await tables
    .selectFrom('submissions')
    .select('id')
    .where('state', '=', 'done')
    .where('created_at', '<=', before)
    .limit(ROWS_AT_ONCE)
    .execute();
  if (over.length > 0)
    await dropEmpty(
      tables,
      over.map(({ id }) => id),
    );
}

/** What was not sent goes first: nobody pushes out with it what the guild has submitted. It holds no reservation. */
async function dropExcess(
  tables: Database['tables'],
  guildId: string,
  drop: (some: Some) => Promise<number>,
): Promise<void> {
  const ofGuild = positionsOf(tables).where('guild_id', '=', guildId).where('ended_at', 'is not', null);
  const { count } = await ofGuild
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const notSent = ofGuild.where('reserved_at', 'is', null).where('outcome', '=', 'not-sent');
  const oldest = ofGuild.orderBy('ended_at').orderBy('submission_id').orderBy('position');
  let excess = count - MOST_ENTRIES;
  for (const some of [notSent, oldest]) {
    for (let dropped = 1; dropped > 0 && excess > 0; excess -= dropped) {
      dropped = await drop(some.limit(Math.min(excess, ROWS_AT_ONCE)));
    }
  }
}

/** Deletes those that have no server any more. */
async function dropEmpty(tables: Database['tables'], ids: readonly string[]): Promise<void> {
  await tables
    .deleteFrom('submissions')
    .where('id', 'in', ids)
    .where('state', '=', 'done')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('servers').select('position').whereRef('submission_id', '=', 'submissions.id'))),
    )
    .execute();
}

const positionsOf = (tables: Database['tables']) =>
  tables.selectFrom('servers').select(['submission_id', 'position']);
type Some = ReturnType<typeof positionsOf>;

/** Deletes what is at these positions, and the submissions that have no server any more; how many servers it was. */
async function dropSome(tables: Database['tables'], some: Some): Promise<number> {
  // Mostly there is nothing: who only reads waits for nobody, and holds up nobody.
  if ((await some.executeTakeFirst()) === undefined) return 0;
  const rows = await tables
    .deleteFrom('servers')
    .where(kysely().sql<boolean>`(submission_id, position) in ${some}`)
    .returning('submission_id')
    .execute();
  const ids = [...new Set(rows.map(({ submission_id }) => submission_id))];
  if (ids.length > 0) await dropEmpty(tables, ids);
  return rows.length;
}

/** What still runs after this time has no interaction any more that could carry it out, in milliseconds. */
const LONGEST_RUN_MS = 20 * 60_000;
/** How often it is looked for. */
const TIDY_EVERY_MS = 600_000;

interface Tidying extends Part {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends now what nobody carries on. */
  tidy(): Promise<void>;
}

/**
 * Ends what nobody ends any more. At the start: of what had left in a previous run nobody knows how it ended. After the
 * start and every 10 minutes: submissions that nobody carries on, drafts past their time, and what was typed for both.
 */
export function createTidying(deps: {
  readonly database: Pick<Database, 'tables' | 'execute'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now?: () => number;
}): Tidying {
  const { database, logger, now = Date.now } = deps;
  const { tables } = database;
  let first: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const servers = () => tables.updateTable('servers').where('outcome', 'is', null);
  const unknown = () => ({ ...outcomeToStore(INTERRUPTED), ended_at: now() });

  async function endStuck(): Promise<void> {
    const at = now();
    const stuck = tables
      .selectFrom('submissions')
      .select('id')
      .where('state', '=', 'running')
      .where('started_at', '<=', at - LONGEST_RUN_MS);
    await servers()
      .set(unknown())
      .where('sent_at', 'is not', null)
      .where('submission_id', 'in', stuck)
      .execute();
    await servers()
      .set({ ...outcomeToStore({ kind: 'not-sent', reason: 'bot' }), ended_at: at, reserved_at: null })
      .where('reserved_at', 'is not', null)
      .where('submission_id', 'in', stuck)
      .execute();
    await tables
      .updateTable('submissions')
      .set({ state: 'done', ended_at: at })
      .where('state', '=', 'running')
      .where('started_at', '<=', at - LONGEST_RUN_MS)
      .execute();
  }

  async function tidy(): Promise<void> {
    await endStuck();
    await dropDrafts(tables, now() - DRAFT_LIVES_MS);
  }

  function tidyNow(): void {
    running = tidy().catch((error: unknown) => {
      logger.warn({ err: error }, 'old submissions could not be ended');
    });
  }

  return {
    name: 'submissions',
    tidy,
    async start() {
      const { outcome, message, reason, ended_at } = unknown();
      await database.execute(
        `update servers set outcome = ?, message = ?, reason = ?, ended_at = ?
          where outcome is null and sent_at is not null
            and submission_id in (select id from submissions where state = 'running')`,
        [outcome, message, reason, ended_at],
      );
      first = setTimeout(tidyNow, AFTER_START_MS).unref();
      timer = setInterval(tidyNow, TIDY_EVERY_MS).unref();
    },
    async stop() {
      clearTimeout(first);
      clearInterval(timer);
      await running;
    },
  };
}

/** Deletes drafts from before a moment, and what of those that were submitted was left out or only typed. */
async function dropDrafts(tables: Database['tables'], before: number): Promise<void> {
  const drafts = tables
    .selectFrom('submissions')
    .select('id')
    .where('state', '=', 'draft')
    .where('created_at', '<=', before);
  await inParts(() =>
    dropSome(tables, positionsOf(tables).where('submission_id', 'in', drafts).limit(ROWS_AT_ONCE)),
  );
  await tables
    .deleteFrom('submissions')
    .where('state', '=', 'draft')
    .where('created_at', '<=', before)
    .execute();
  // What was left out of a submission is no part of the history: nobody has submitted it.
  const leftOut = positionsOf(tables)
    .where('outcome', 'is', null)
    .where('ended_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('submissions')
          .select('id')
          .whereRef('id', '=', 'servers.submission_id')
          .where('state', '=', 'done')
          .where('submissions.ended_at', '<=', before),
      ),
    );
  await inParts(() => dropSome(tables, leftOut.limit(ROWS_AT_ONCE)));
  for (const lines of ['refused_lines', 'repeated_lines'] as const) {
    await tables
      .updateTable('submissions')
      .set({ [lines]: null })
      .where(lines, 'is not', null)
      .where('ended_at', '<=', before)
      .execute();
  }
}
