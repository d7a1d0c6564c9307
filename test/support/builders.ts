import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createApprovals } from '../../src/approval/approvals.ts';
import { createWaitingSubmissions } from '../../src/approval/waiting-store.ts';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createBlocks } from '../../src/guilds/blocks.ts';
import { createGuildSettings, DEFAULTS } from '../../src/guilds/settings.ts';
import { createBreaker } from '../../src/listing/breaker.ts';
import type { Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { createGuard } from '../../src/listing/guard.ts';
import { createTurns, createWorkTurns } from '../../src/pacing/turns.ts';
import { EMPTY_ROW, type InvalidRow, isReady, type ReadyRow } from '../../src/server-lists/row.ts';
import type { ClaimJob } from '../../src/storage/claim-job.ts';
import { createEncryption, type Encryption } from '../../src/storage/encryption.ts';
import type { Store } from '../../src/storage/store.ts';
import type { ServersTable } from '../../src/storage/tables.ts';
import { type CheckedDraft, createCheck } from '../../src/submissions/check.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import type { Submitter } from '../../src/submissions/drafts.ts';
import { createPipeline, type Observer, type PipelineDeps } from '../../src/submissions/pipeline.ts';
import type { SubmissionStoreDeps } from '../../src/submissions/store-deps.ts';
import { createSubmissionStore } from '../../src/submissions/submission-store.ts';
import { Secret } from '../../src/text/secret.ts';
import { games } from './arbitraries.ts';
import { openStore } from './database.ts';
import { recorder } from './machine.ts';

export type PartsOptions = Partial<Omit<SubmissionStoreDeps, 'store' | 'myTurn'>>;

/** Creates the parts of the bot that read and change the submissions in a store. */
export function partsOver(
  store: SubmissionStoreDeps['store'] & Pick<Store, 'values'>,
  options: PartsOptions = {},
) {
  const records = createSubmissionStore({
    processId: 'this process',
    days: 365,
    member: { servers: 1000, seconds: 3600 },
    guild: { servers: 5000, seconds: 3600 },
    myTurn: createWorkTurns(),
    ...options,
    store,
    createWaitingSubmissions,
  });
  const settings = createGuildSettings({ store, logger: recorder() });
  const blocks = createBlocks({ store, settings, ...options });
  return {
    ...records,
    settings,
    blocks,
    approvals: createApprovals({ ...records, ...options, store, blocks, settings }),
  };
}

/** Calls `partsOver` with a new store and a clock that only the test moves. */
export async function openParts(now: number, options: PartsOptions = {}) {
  const store = await openStore();
  const clock = { now };
  return { ...partsOver(store, { now: () => clock.now, ...options }), store, clock };
}

interface DoneOptions {
  readonly id: string;
  readonly guildId: string;
  readonly userId: string;
  readonly userName?: string;
  /** When the submission ended, in milliseconds since 1970. */
  readonly at: number;
  readonly hosts: readonly string[];
  readonly port?: number;
  readonly game?: string;
  /** `null` if the submission hasn't ended. */
  readonly outcome?: ServersTable['outcome'];
  readonly message?: string;
}

/** How many rows each statement inserts. SQLite allows 32,766 values per statement. */
const AT_ONCE = 1_000;

/** Inserts a submission and its servers. The submission has ended unless `outcome` is `null`. */
export async function addDone(store: Pick<Store, 'tables'>, done: DoneOptions): Promise<void> {
  const { id, guildId, userId, userName = `name of ${userId}`, at, hosts, port = 27015 } = done;
  const { game = 'cs2', outcome = 'accepted', message = 'Yes.' } = done;
  await store
    .tables()
    .insertInto('submissions')
    .values({
      id,
      guild_id: guildId,
      user_id: userId,
      user_name: userName,
      draft_id: `of ${id}`,
      state: outcome === null ? 'running' : 'done',
      interaction_id: `by ${id}`,
      process_id: 'this process',
      created_at: at,
      started_at: at,
      ended_at: outcome === null ? null : at,
      revision: 0,
      shown_revision: 0,
    })
    .execute();
  const servers = hosts.map(
    (host, position): ServersTable => ({
      submission_id: id,
      position,
      guild_id: guildId,
      user_id: userId,
      line: position + 1,
      host,
      port,
      query_port: null,
      game,
      address: `${host}:${port}`,
      reserved_at: outcome === 'not-sent' ? null : at,
      sent_at: outcome === 'not-sent' ? null : at,
      ended_at: outcome === null ? null : at,
      outcome,
      message,
      reason: null,
    }),
  );
  for (let from = 0; from < servers.length; from += AT_ONCE) {
    await store
      .tables()
      .insertInto('servers')
      .values(servers.slice(from, from + AT_ONCE))
      .execute();
  }
}

interface FillOptions {
  readonly count: number;
  /**
   * When the first list of 1,000 servers ended, in milliseconds since 1970. Each later list ends a second after the
   * previous list.
   */
  readonly at: number;
  readonly message?: string;
}

const LIST = 1_000;

/** Fills a guild's history with `count` servers. Two members take turns submitting them in lists of a thousand. */
export async function fill(
  store: Pick<Store, 'tables' | 'inGuild'>,
  guildId: string,
  { count, at, message = 'Yes.' }: FillOptions,
): Promise<void> {
  await store.inGuild(guildId, async () => {
    for (let from = 0; from < count; from += LIST) {
      const userId = from % (2 * LIST) === 0 ? '7' : '8';
      await addDone(store, { id: `${guildId}-${from}`, guildId, userId, at: at + from, hosts: [] });
    }
    // A single statement is faster, because passing a row's values takes longer than writing the row.
    await sql`
      INSERT INTO servers (submission_id, position, guild_id, user_id, line, host, port, game, address, reserved_at, sent_at,
        ended_at, outcome, message)
      WITH RECURSIVE positions (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM positions WHERE n + 1 < ${LIST}),
        numbered AS (SELECT *, CAST(ended_at - ${at} AS INTEGER) + n AS number FROM submissions, positions WHERE guild_id = ${guildId})
      SELECT id, n, guild_id, user_id, n + 1, 's' || number || '.example.com', 27015,
        CASE (number - n) % ${3 * LIST} WHEN 0 THEN 'rust' ELSE 'cs2' END,
        's' || number || '.example.com:27015', ended_at, ended_at, ended_at, 'accepted', ${message}
      FROM numbered WHERE number < ${count}`.execute(store.tables());
  });
}

/** Returns a row with a server that can be submitted. */
export function readyRow(line: number, server: string, more: Partial<ServerSubmission> = {}): ReadyRow {
  const submission = { server, port: 27015, game: 'cs2', ...more };
  return { kind: 'ready', line, submission };
}

/** Returns an invalid row, which doesn't contain an address. */
export const invalidRow = (line: number, server = 'x'): InvalidRow => ({
  kind: 'invalid',
  line,
  problem: { code: 'no-address' },
  typed: { ...EMPTY_ROW, server },
});

/** Returns a draft of `length` servers that are ready to be submitted. Their addresses are unique to this draft. */
export const readyDraft = (id: string, length: number, name = id): Draft => ({
  id,
  source: 'text',
  rows: Array.from({ length }, (_, n) => readyRow(n + 1, `${name}-${n}.example.com`)),
});

/** Returns the result of checking a draft with these rows in a guild with a key and the default settings. */
export function checkedDraft(draft: Draft, more: Partial<CheckedDraft> = {}): CheckedDraft {
  const ready = draft.rows.filter(isReady);
  return {
    kind: 'checked',
    draft,
    choices: undefined,
    ready,
    heldBack: [],
    alreadySubmitted: new Map(),
    allowance: { count: ready.length },
    needsModerator: false,
    blocked: undefined,
    settings: DEFAULTS,
    key: { kind: 'usable', key: new Secret('key'), setAt: '', problem: undefined },
    ...more,
  };
}

interface SubmissionOptions {
  readonly interactionId: string;
  readonly draft: Draft;
  /** The rows to submit. The default is every row that is ready. */
  readonly rows?: readonly ReadyRow[];
  /**
   * The deadline for a moderator's decision, in milliseconds since 1970. Without a deadline, the submission runs
   * immediately.
   */
  readonly expiresAt?: number;
}

/** Submits a draft the way the pipeline does. @returns the submission's id */
export async function beginSubmission(
  {
    drafts,
    submissions,
    waitingSubmissions,
  }: Pick<ReturnType<typeof partsOver>, 'drafts' | 'submissions' | 'waitingSubmissions'>,
  by: Submitter,
  { interactionId, draft, rows = draft.rows.filter(isReady), expiresAt }: SubmissionOptions,
): Promise<string> {
  await drafts.save(by, draft);
  const submission = { ...by, draftId: draft.id, interactionId, rows };
  return expiresAt === undefined
    ? submissions.begin(submission, false)
    : waitingSubmissions.begin({ ...submission, expiresAt });
}

export interface PipelineOptions extends PartsOptions {
  /** Returns the listing service's response to a request. */
  readonly add: (servers: readonly ServerSubmission[], key: string) => Promise<Outcome> | Outcome;
  readonly observers?: readonly Observer[];
  readonly showApproval?: PipelineDeps['showApproval'];
  /** Called when the service rejects a guild's key for the first time. */
  readonly onKeyRejected?: (guildId: string) => void;
  /** Whether this process still owns the interaction. */
  readonly isOwner?: () => boolean;
  /** The default is a new store. */
  readonly store?: Store;
  readonly encryption?: Encryption;
}

/** A list of games that never changes. */
export const freshGames = {
  ...games,
  isFresh: () => true,
  refresh: async () => undefined,
  refreshSoon: () => undefined,
};

/** Creates the parts between the dispatcher and the service's HTTP client, which handle submissions. */
export async function openPipeline(options: PipelineOptions) {
  const { add, now = Date.now, observers = [], onKeyRejected, isOwner = () => true } = options;
  const { showApproval = async () => undefined } = options;
  const logger = recorder();
  const store = options.store ?? (await openStore());
  const parts = partsOver(store, options);
  const { encryption = createEncryption([randomBytes(32)]) } = options;
  const keys = createApiKeys({ store, encryption, logger, now });
  const { settings } = parts;
  const guard = createGuard({
    turns: createTurns({ maxConcurrent: 8, now }),
    breaker: createBreaker(),
    firstWaitMs: 1,
  });
  const check = createCheck({ ...parts, keys, games: freshGames, guard });
  const pipeline = createPipeline({
    ...parts,
    store,
    keys,
    settings,
    check,
    listing: { add: async (servers, key) => add(servers, key.reveal()) },
    guard,
    async demandOwned() {
      if (!isOwner()) throw new Error('another process has taken it over');
    },
    showApproval,
    showDueApprovals: () => undefined,
    encryptNotice: async () => null,
    observers,
    onKeyChange: async (guildId, change) => {
      if (change === 'rejected') onKeyRejected?.(guildId);
    },
    longestRequestMs: 60_000,
    recordPausesMs: [1, 1],
    logger,
    now,
  });
  return { ...parts, store, keys, check, pipeline, logger };
}

/** Runs a job as if this were the only process. */
export const claimJob: ClaimJob = async (_name, _ms, work) => {
  await work();
  return true;
};
