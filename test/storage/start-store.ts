import { DatabaseSync, StatementSync } from 'node:sqlite';
import { Client } from 'pg';
import { createStore } from '../../src/storage/store.ts';
import { parseStoreUrl } from '../../src/store-url.ts';

/**
 * Starts a store with each of `STORE_URLS`, then kills its own process. The first store stops before statement number
 * `STOP_BEFORE`, the second one before the next statement, and so on. Numbering begins with the first transaction. For each
 * start that isn't stopped, prints its number of statements.
 */
let stopBefore = Number(process.env.STOP_BEFORE);
let statements = 0;
let onStopped: () => void = () => undefined;
/** Open connections. Storing them here prevents garbage collection from closing them before the process is killed. */
const open: unknown[] = [];

/** Counts a statement. Returns whether the start must stop before it, or has already stopped. */
function isStopped(connection: unknown, sql: string): boolean {
  if (statements > 0 || /^begin/i.test(sql)) statements += 1;
  if (statements < stopBefore) return false;
  open.push(connection);
  onStopped();
  return true;
}

/** Makes a method fail after the start has stopped, which prevents changes to the file. */
function watch(owner: object, method: string): void {
  const original = Reflect.get(owner, method);
  Reflect.set(owner, method, function watched(this: Partial<StatementSync>, ...given: unknown[]) {
    if (isStopped(this, this.sourceSQL ?? String(given[0]))) throw new Error('the start is stopped');
    return original.apply(this, given);
  });
}

for (const method of ['exec', 'close']) watch(DatabaseSync.prototype, method);
for (const method of ['run', 'all', 'get']) watch(StatementSync.prototype, method);

const { query } = Client.prototype;
Object.assign(Client.prototype, {
  query(this: Client, ...given: readonly unknown[]) {
    // Doesn't reject, because the connection would then end before the process is killed.
    if (isStopped(this, String(given[0]))) return new Promise(() => undefined);
    return Reflect.apply(query, this, given);
  },
});

for (const address of process.env.STORE_URLS?.split(' ') ?? []) {
  const url = parseStoreUrl(address);
  if (url === undefined) throw new Error("STORE_URLS has text that isn't the URL of a database");
  const nothing = () => undefined;
  const store = createStore({
    url,
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  statements = 0;
  const stopped = Promise.withResolvers<void>();
  onStopped = stopped.resolve;
  const started = store.start().then(
    () => process.stdout.write(`${statements}\n`),
    () => undefined,
  );
  await (url.kind === 'sqlite' ? started : Promise.race([started, stopped.promise]));
  open.push(store);
  stopBefore += 1;
}
process.kill(process.pid, 'SIGKILL');
