import type { RESTPostAPIApplicationCommandsJSONBody } from 'discord.js';
import { createJob, type Part, waitAtMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { retry } from '../retry.ts';
import type { Secret } from '../secret.ts';
import type { Discord } from './discord.ts';
import { createEndpoint } from './endpoint.ts';
import { createGateway } from './gateway.ts';
import {
  type Application,
  endpointTrouble,
  growthTroubles,
  installationTroubles,
  nameTroubles,
  portalPage,
  readApplication,
  type Transport,
} from './portal.ts';

export interface ConnectionDeps extends Transport {
  readonly token: Secret;
  /** Where the endpoint listens, with `http`. */
  readonly host: string;
  readonly port: number | undefined;
  readonly discord: Pick<Discord, 'api' | 'application' | 'clock' | 'publishing'>;
  /** What Discord is to have. */
  readonly commands: readonly RESTPostAPIApplicationCommandsJSONBody[];
  /** Called with each interaction as it comes. It must not throw. */
  readonly onInteraction: (payload: unknown) => void;
  /** Called once the commands are published. */
  readonly onReady: (online: { commands: number; application: Application }) => Promise<void>;
  readonly onFatal: (error: Error) => void;
  /** Ends what is under way, when the bot stops. */
  readonly finish: () => Promise<void>;
  /** How often the bot looks whether commands still come in this way, in milliseconds. */
  readonly transportEveryMs?: number | undefined;
  readonly logger: Logger;
}

const WAY_IN_EVERY_MS = 60_000;
/** The longest pause between two tries to read the application, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000;
/** How long leaving the gateway may take, in milliseconds. */
const LEAVING_MS = 500;

/** The way by which interactions come, and what Discord is told of the bot. */
export function createConnection(deps: ConnectionDeps) {
  const { interactions, token, host, port, discord, commands, finish, onFatal, logger } = deps;
  const { transportEveryMs = WAY_IN_EVERY_MS } = deps;
  const { api, application, clock, publishing } = discord;
  const stopping = new AbortController();
  /** Why Discord sends no commands to this bot; `undefined` as far as it is known. */
  let transportTrouble: string | undefined;

  function onInteraction(payload: unknown): void {
    transportTrouble = undefined;
    deps.onInteraction(payload);
  }

  const gateway =
    interactions === 'http'
      ? createEndpoint({
          // There are both, or the configuration would not have been taken.
          publicKey: deps.discordPublicKey ?? '',
          port: port ?? 0,
          host,
          onInteraction,
          onFatal,
          logger,
        })
      : createGateway({ api, token, onInteraction, onFatal, logger });

  /** The settings may change while the bot runs: without that it would be ready, and hear nothing. */
  function reportTransport(known: Application): void {
    const trouble = endpointTrouble(known, deps);
    if (trouble && trouble.says !== transportTrouble) {
      logger.error({}, `${trouble.says}. To mend it, ${trouble.mend}`);
    }
    transportTrouble = trouble?.says;
  }

  /** Publishes the commands, and tells the operator what is wrong with the application, for as long as it takes. */
  async function introduce(): Promise<void> {
    const known = await retry(application, {
      signal: stopping.signal,
      firstMs: 1_000,
      longestMs: LONGEST_PAUSE_MS,
      onFailure(error, pauseMs) {
        api.tellFailure(error, pauseMs, "the application's settings could not be read from Discord");
        return pauseMs;
      },
    });
    if (known === undefined) return;
    reportTransport(known);
    await clock.tell();
    for (const says of [...installationTroubles(known), ...nameTroubles(known), ...growthTroubles(known)]) {
      logger.warn({ page: portalPage(known, 'installation') }, says);
    }
    const count = await publishing.publish(known.id, commands, stopping.signal);
    if (!stopping.signal.aborted) await deps.onReady({ commands: count, application: known });
  }

  const transport = createJob({
    firstMs: transportEveryMs,
    everyMs: transportEveryMs,
    run: () => readApplication(api, transport.stopping).then(reportTransport, () => undefined),
  });
  const part: Part = {
    name: 'discord',
    async start() {
      void gateway.connect(stopping.signal);
      void introduce();
    },
    async stop() {
      stopping.abort();
      api.stopWaiting();
      // The load balancer sends what is posted from now on elsewhere. Of the gateway's, each is told that the bot stops.
      if (interactions === 'http') await gateway.disconnect();
      await finish();
      await waitAtMost(LEAVING_MS, gateway.disconnect());
    },
  };

  return {
    gateway,
    transportTrouble: () => transportTrouble,
    /** Connects in the background, for as long as it takes. */
    part,
    /** Looks whether commands still come in this way. */
    transport: { name: 'transport', ...transport },
  };
}
