import { DatabaseSync, StatementSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';

/** SQLite's value for `synchronous = FULL`. A commit then waits until the disk has stored it. */
const FULL = 2;

/** A write to a bot's SQLite database. */
export interface Write {
  /** `synced`, or the name of the unsynced write; empty if an unsynced write has no name. */
  readonly kind: string;
  /** For example `insert drafts`, `update submissions notice` or `insert keyv settings`. */
  readonly statement: string;
}

/**
 * Records all writes that bots make in this process until the end of the test, with `PRAGMA synchronous` at that moment.
 * Must be called before the bot opens its database.
 */
export function recordWrites(): readonly Write[] {
  const writes: Write[] = [];
  /** The bots' databases. Tests open the file in other ways. */
  const opened = new WeakSet<DatabaseSync>();
  const databases = new WeakMap<StatementSync, DatabaseSync>();
  let name = '';
  const { exec, prepare } = DatabaseSync.prototype;
  const { all, run } = StatementSync.prototype;
  onTestFinished(() => {
    Object.assign(DatabaseSync.prototype, { exec, prepare });
    Object.assign(StatementSync.prototype, { all, run });
  });

  function note(statement: StatementSync, parameters: readonly unknown[]): void {
    const database = databases.get(statement);
    const { sourceSQL: sql } = statement;
    if (database === undefined || !/^\s*(?:insert|update|delete)\b/i.test(sql)) return;
    const level = Object(prepare.call(database, 'PRAGMA synchronous').get()).synchronous;
    writes.push({ kind: level === FULL ? 'synced' : name, statement: statementName(sql, parameters) });
  }

  DatabaseSync.prototype.exec = function watched(sql) {
    if (sql.includes('secure_delete')) opened.add(this);
    return exec.call(this, sql);
  };
  DatabaseSync.prototype.prepare = function watched(sql, ...options) {
    name = /^pragma synchronous = normal \/\* (.*) \*\/$/.exec(sql)?.[1] ?? name;
    const statement = prepare.call(this, sql, ...options);
    if (opened.has(this)) databases.set(statement, this);
    return statement;
  };
  for (const [method, original] of Object.entries({ all, run })) {
    Object.assign(StatementSync.prototype, {
      [method](this: StatementSync, ...parameters: unknown[]) {
        note(this, parameters);
        return Reflect.apply(original, this, parameters);
      },
    });
  }
  return writes;
}

function statementName(sql: string, [first]: readonly unknown[]): string {
  const [, verb = '', table = ''] = /^\s*(\w+)\s+(?:into\s+|from\s+)?"?(\w+)/i.exec(sql) ?? [];
  const [, columns = ''] = /\bset\s+(.*?)\s+where\b/i.exec(sql) ?? [];
  const changed = [...columns.matchAll(/"(\w+)" = /g)].map(([, column]) => column);
  const [, area = ''] = /^(?:keyv:)?([\w-]+)/.exec(String(first)) ?? [];
  const what = table === 'keyv' ? [area] : verb === 'update' ? changed : [];
  return [verb.toLowerCase(), table, ...what].join(' ');
}
