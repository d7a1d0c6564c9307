import type { GatewayState } from '../discord/client.ts';
import type { Traces } from '../discord/traces.ts';
import type { GuardedListing } from '../listing/breaker.ts';
import type { GameCatalog } from '../listing/game-catalog.ts';
import type { Database } from '../storage/database.ts';

/** What is looked at when somebody asks how the bot is. */
export interface WatchedParts {
  readonly gateway: GatewayState;
  readonly database: Pick<Database, 'inGuild' | 'get' | 'set'>;
  readonly games: Pick<GameCatalog, 'list'>;
  readonly listing: Pick<GuardedListing, 'extent'>;
  readonly traces: Pick<Traces, 'unanswered'>;
}
