import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

export interface StatementResult {
  readonly rows: readonly object[];
  /** Rows that a statement without rows of its own has changed. */
  readonly changes: number;
}

/** What was written in one go: all of it is on the disk, or nothing. */
export interface Commit {
  /** Whether it survives a loss of power; otherwise it survives the end of this process only. */
  readonly synced: boolean;
}

/** A statement, a transaction or a task that is over: how long it took with its waiting, in milliseconds. */
export interface StatementEnd {
  readonly kind: Job['kind'];
  readonly ms: number;
  /** SQLite failed. What a transaction's own code threw is none of its failures. */
  readonly isFailure: boolean;
}

export interface TransactionOptions {
  /** Whether it has to survive a loss of power: 0.43 ms in place of 0.025 (measured). Without it: yes. */
  readonly synced?: boolean;
}

/**
 * The one way to the one connection. Statements that wait at the same time are written in one commit: one that fails
 * fails alone, unless the commit itself does. Every method throws what SQLite throws.
 */
export interface Statements {
  /** Runs one statement: in the transaction that it is called from, or by itself. */
  execute(sql: string, parameters?: readonly unknown[]): Promise<StatementResult>;
  /**
   * Everything that `change` executes is written as a whole, and nothing else comes in between; when it throws,
   * nothing is written. It holds up everybody, so it may wait for statements only. Called inside another
   * transaction it is a part of that one.
   */
  transaction<Result>(change: () => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /** Runs something outside of every transaction, such as VACUUM. */
  alone<Result>(task: (database: DatabaseSync) => Result): Promise<Result>;
}

interface Compiled {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

interface Job {
  readonly kind: 'read' | 'change' | 'alone';
  readonly synced: boolean;
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Statements that SQLite may compile once and run often; of some pragmas, compiling is all (SQLite docs: PRAGMA). */
const KEPT = /^\s*(?:select|insert|update|delete)\b/i;
/** More than the bot has, but for those with a list of any length. To compile one takes longer than to run it. */
const MOST_KEPT = 200;

/** Statements that write nothing. They see what was committed, and need no commit. */
const READS = /^\s*(?:select|pragma)\b/i;

export interface StatementsOptions {
  readonly onCommit?: ((commit: Commit) => void) | undefined;
  readonly onEnd?: ((end: StatementEnd) => void) | undefined;
}

export function createStatements(
  database: DatabaseSync,
  { onCommit, onEnd }: StatementsOptions = {},
): Statements {
  const inside = new AsyncLocalStorage<OpenTransaction>();
  const { run, changesSoFar } = createRunner(database);
  const enqueue = createQueue(createCommits({ database, changesSoFar, onCommit }));
  const enqueued = <Result>(job: Pick<Job, 'kind' | 'synced'>, task: () => unknown): Promise<Result> => {
    const done = enqueue<Result>(job, task);
    return onEnd ? watched(job.kind, done, onEnd) : done;
  };

  return {
    async execute(sql, parameters = []) {
      const outer = inside.getStore();
      // It was left behind by a transaction that has ended, perhaps undone: alone it must not be written.
      if (outer?.isOpen === false) throw new Error('a statement came after the end of its transaction');
      if (outer) return run(sql, parameters);
      const isRead = READS.test(sql);
      // What is committed can be read at once, unless a transaction is under way on the one connection.
      if (isRead && !database.isTransaction) return run(sql, parameters);
      return enqueued({ kind: isRead ? 'read' : 'change', synced: true }, () => run(sql, parameters));
    },
    async transaction(change, { synced = true } = {}) {
      if (inside.getStore()?.isOpen) return change();
      return enqueued({ kind: 'change', synced }, () => runInside(inside, change));
    },
    async alone(task) {
      if (inside.getStore()?.isOpen) throw new Error('this cannot run inside a transaction');
      return enqueued({ kind: 'alone', synced: false }, () => task(database));
    },
  };
}

/** Compiles statements, those that are often run once, and runs them. */
function createRunner(database: DatabaseSync) {
  const compiled = new Map<string, Compiled>();

  function compile(sql: string): Compiled {
    const known = compiled.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const made = { statement, hasRows: statement.columns().length > 0 };
    const [oldest] = compiled.keys();
    if (oldest !== undefined && compiled.size === MOST_KEPT) compiled.delete(oldest);
    if (KEPT.test(sql)) compiled.set(sql, made);
    return made;
  }

  return {
    run(sql: string, parameters: readonly unknown[]): StatementResult {
      const { statement, hasRows } = compile(sql);
      const values = parameters as SQLInputValue[];
      if (hasRows) return { rows: statement.all(...values), changes: 0 };
      return { rows: [], changes: Number(statement.run(...values).changes) };
    },
    /** Rows that were changed since the connection was opened. */
    changesSoFar: () => Number(compile('SELECT total_changes() AS n').statement.get()?.n),
  };
}

/** Runs what waits: all that was enqueued in the same turn of the event loop goes together. */
function createQueue(commit: (jobs: readonly Job[]) => Promise<void>) {
  let waiting: Job[] = [];
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    // Later in this turn of the event loop: whoever else writes in it shares the commit.
    setImmediate(() => void drain());
  }

  async function drain(): Promise<void> {
    const jobs = waiting;
    waiting = [];
    const of = (wanted: Job['kind']) => jobs.filter(({ kind }) => kind === wanted);
    for (const job of of('read')) runByItself(job);
    if (of('change').length > 0) await commit(of('change'));
    // Last, since closing the connection is one of them.
    for (const job of of('alone')) runByItself(job);
    isScheduled = false;
    schedule();
  }

  return function enqueue<Result>(job: Pick<Job, 'kind' | 'synced'>, task: () => unknown): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      waiting.push({ ...job, run: task, resolve: resolve as (value: unknown) => void, reject });
      schedule();
    });
  };
}

function runByItself(job: Job): void {
  try {
    job.resolve(job.run());
  } catch (error) {
    job.reject(error);
  }
}

interface CommitsDeps extends Pick<StatementsOptions, 'onCommit'> {
  readonly database: DatabaseSync;
  readonly changesSoFar: () => number;
}

/** Writes several jobs in one commit, each in a savepoint of its own. */
function createCommits({ database, changesSoFar, onCommit }: CommitsDeps) {
  let isSynced: boolean | undefined;

  /** Cannot be changed inside a transaction (SQLite docs: PRAGMA synchronous). */
  function sync(synced: boolean): void {
    if (isSynced !== synced) database.exec(`PRAGMA synchronous = ${synced ? 'FULL' : 'NORMAL'}`);
    isSynced = synced;
  }

  return async function commit(jobs: readonly Job[]): Promise<void> {
    const ended: (() => void)[] = [];
    try {
      const synced = jobs.some((job) => job.synced);
      sync(synced);
      database.exec('BEGIN IMMEDIATE');
      let hasWritten = false;
      for (const job of jobs) {
        const before = changesSoFar();
        const { end, isDone } = await carryOut(database, job);
        if (isDone && changesSoFar() > before) hasWritten = true;
        ended.push(end);
      }
      database.exec('COMMIT');
      if (hasWritten) onCommit?.({ synced });
    } catch (error) {
      undo(database);
      for (const job of jobs) job.reject(error);
      return;
    }
    for (const end of ended) end();
  };
}

/** Should it fail, as on a closed connection, what follows says so: nobody is to wait for ever. */
function undo(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {}
}

/** @returns what to tell the caller once all is committed */
async function carryOut(
  database: DatabaseSync,
  job: Job,
): Promise<{ readonly end: () => void; readonly isDone: boolean }> {
  database.exec('SAVEPOINT part');
  try {
    const value = await job.run();
    database.exec('RELEASE part');
    return { isDone: true, end: () => job.resolve(value) };
  } catch (error) {
    // Some failures end the whole transaction, such as a full disk (SQLite docs: Transactions, 3.1).
    if (!database.isTransaction) throw error;
    database.exec('ROLLBACK TO part');
    database.exec('RELEASE part');
    return { isDone: false, end: () => job.reject(error) };
  }
}

interface OpenTransaction {
  isOpen: boolean;
}

/** What `change` executes knows by `inside` that it belongs to this transaction. */
async function runInside<Result>(
  inside: AsyncLocalStorage<OpenTransaction>,
  change: () => Promise<Result>,
): Promise<Result> {
  const open = { isOpen: true };
  const { promise: late, reject } = Promise.withResolvers<never>();
  // From here on in a microtask, like all that follows: Node runs this when there is none left to run. Statements are
  // done at once, so whatever is not over by then waits for something else.
  await undefined;
  process.nextTick(() => {
    if (open.isOpen) reject(new Error('a transaction may wait for statements only'));
  });
  try {
    return await Promise.race([inside.run(open, change), late]);
  } finally {
    open.isOpen = false;
  }
}

async function watched<Result>(
  kind: Job['kind'],
  done: Promise<Result>,
  onEnd: (end: StatementEnd) => void,
): Promise<Result> {
  const since = performance.now();
  let isFailure = false;
  try {
    return await done;
  } catch (error) {
    isFailure = isOfSqlite(error);
    throw error;
  } finally {
    onEnd({ kind, ms: performance.now() - since, isFailure });
  }
}

/** Also where it is the cause of an error of ours. */
function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && ('errcode' in error || isOfSqlite(error.cause));
}
