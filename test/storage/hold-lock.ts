import { createStoreLock } from '../../src/storage/lock.ts';
import { parseStoreUrl } from '../../src/store-url.ts';

/** Locks the database in STORE_URL, prints a line, and keeps the lock until the process is killed. */
const nothing = () => undefined;
const url = parseStoreUrl(process.env.STORE_URL ?? '');
if (url === undefined) throw new Error("STORE_URL isn't the URL of a database");
await createStoreLock({ url, logger: { warn: nothing, error: nothing } }).start();
process.stdout.write('held\n');
