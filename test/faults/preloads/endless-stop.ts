/**
 * Loaded into the bot first. When the bot has to stop, its database never closes, and a timer keeps the process alive.
 */
import { Kysely } from 'kysely';

process.once('SIGTERM', () => {
  Kysely.prototype.destroy = () => new Promise<void>(() => undefined);
  setInterval(() => undefined, 1_000);
});
