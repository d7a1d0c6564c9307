import type { Certificate } from '../self-signed.ts';
import type { Breach } from './contract.ts';
import type { ApplicationSettings } from './rest/application-routes.ts';
import type { CommandAnswers } from './world/command-form.ts';
import type { Bounds } from './world/latest.ts';

/** How `startDiscord` sets a stand-in up. What has a default may be left out. */
export interface StandInOptions {
  readonly token: string;
  readonly port?: number;
  /** Listens on TLS with this certificate, and offers HTTP/2 beside HTTP/1.1, as Discord's CDN does. */
  readonly certificate?: Certificate;
  /** Called for every rule that is broken, as it happens. */
  readonly onBreach?: (breach: Breach) => void;
  /** The number of shards that `GET /gateway/bot` recommends; 1. */
  readonly shards?: number;
  /** How many shards may identify every 5 seconds; 1, as for every new bot. */
  readonly maxConcurrency?: number;
  /** 41250, as Discord's. */
  readonly heartbeatIntervalMs?: number;
  /** The privileged intents that were granted, as bits; none. */
  readonly grantedIntents?: number;
  /** How the 201st new command of a day is refused: 429 as today, or 400 as in 2023. */
  readonly dailyLimitStatus?: 400 | 429;
  /** Interactions go to an HTTP endpoint, and so never over the gateway (rule 51). */
  readonly interactionsEndpoint?: boolean;
  /** How much `GET` and `PUT …/commands` say of a command: what Discord does, all that it may, or as little. */
  readonly commandAnswers?: CommandAnswers;
  /** The application has Activities, and so an entry-point command from the start; `false`. */
  readonly entryPoint?: boolean;
  /** Selects may preselect channels that are gone, which Discord's documents neither allow nor forbid; `false`. */
  readonly takesUnknownDefaults?: boolean;
  /** What `GET /applications/@me` tells of the application's pages in the Developer Portal. */
  readonly application?: ApplicationSettings;
  /**
   * How long people take before they press, pick or submit, in real milliseconds; 50. A bot begins to listen for
   * the next step when its request was answered, and no human is faster than that.
   */
  readonly reactionMs?: number;
  /**
   * How much of what happened is kept: requests, messages, interactions and files, up to so many (50,000) and so many
   * bytes (256 MiB) of each; then the oldest go.
   */
  readonly keep?: Partial<Bounds>;
  /** Rule 57: called once when that many of 401, 403 and 429 were answered within 10 minutes; 10,000 ban an address. */
  readonly invalidRequests?: { readonly limit: number; readonly onReached: (count: number) => void };
}
