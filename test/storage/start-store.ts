import { DatabaseSync, StatementSync } from 'node:sqlite';
import { Client } from 'pg';
import { createStore } from '../../src/storage/store.ts';
import { parseStoreUrl } from '../../src/store-url.ts';

/**
 * Starts a store over `STORE_URL`, prints how many statements that took from the first transaction on, and stops it.
 * `KILL_BEFORE` is the number of the statement before which the process kills itself.
 */
let statements = 0;

/** Counts the calls of a method that runs statements. */
function watch(owner: object, method: string): void {
  const original = Reflect.get(owner, method);
  Reflect.set(owner, method, function watched(this: Partial<StatementSync>, ...given: unknown[]) {
    const sql = this.sourceSQL ?? String(given[0]);
    if (statements > 0 || /^begin/i.test(sql)) statements += 1;
    if (statements === Number(process.env.KILL_BEFORE)) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, given);
  });
}

watch(DatabaseSync.prototype, 'exec');
for (const method of ['run', 'all', 'get']) watch(StatementSync.prototype, method);
watch(Client.prototype, 'query');

const url = parseStoreUrl(process.env.STORE_URL ?? '');
if (url === undefined) throw new Error("STORE_URL isn't the URL of a database");
const nothing = () => undefined;
const store = createStore({ url, logger: { debug: nothing, info: nothing, warn: nothing, error: nothing } });
await store.start();
process.stdout.write(String(statements));
await store.stop();
