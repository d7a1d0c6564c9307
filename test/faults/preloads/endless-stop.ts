/**
 * Loaded into the bot before anything else: once it is told to stop its database never closes, and something keeps its
 * process alive.
 */
import { Kysely } from 'kysely';

process.once('SIGTERM', () => {
  Kysely.prototype.destroy = () => new Promise<void>(() => undefined);
  setInterval(() => undefined, 1_000);
});
