/**
 * Loaded into the bot before anything else. When the bot stops, its database never closes, and a timer keeps the process
 * alive.
 */
import { Kysely } from 'kysely';

process.once('SIGTERM', () => {
  Kysely.prototype.destroy = () => new Promise<void>(() => undefined);
  setInterval(() => undefined, 1_000);
});
