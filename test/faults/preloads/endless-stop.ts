/** Loaded into the bot before anything else: its database never closes, and something keeps its process alive. */
import { Kysely } from 'kysely';

Kysely.prototype.destroy = () => new Promise<void>(() => undefined);
setInterval(() => undefined, 1_000);
