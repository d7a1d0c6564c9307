import type { RESTPostAPIApplicationCommandsJSONBody } from 'discord.js';
import { createJob, type Part, waitAtMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { retry } from '../pacing/retry.ts';
import type { Secret } from '../text/secret.ts';
import type { Discord } from './discord.ts';
import { createEndpoint } from './endpoint.ts';
import { createGateway } from './gateway.ts';
import {
  type Application,
  endpointTrouble,
  installationTroubles,
  nameTroubles,
  portalPage,
  readApplication,
  type Transport,
  verificationTroubles,
} from './portal.ts';

export interface ConnectionDeps extends Transport {
  readonly token: Secret;
  /** The address that the HTTP endpoint listens on; only used with `http`. */
  readonly host: string;
  readonly port: number | undefined;
  readonly discord: Pick<Discord, 'api' | 'application' | 'clock' | 'publishing'>;
  readonly commands: readonly RESTPostAPIApplicationCommandsJSONBody[];
  /** Called for each interaction when it arrives. Must not throw. */
  readonly onInteraction: (payload: unknown) => void;
  readonly onPublished: (online: { commands: number; application: Application }) => Promise<void>;
  readonly onFatal: (error: Error) => void;
  readonly finish: () => Promise<void>;
  /** How often the bot checks that Discord still sends it commands, in milliseconds. */
  readonly transportEveryMs?: number | undefined;
  readonly logger: Logger;
}

const CHECK_TRANSPORT_EVERY_MS = 60_000;
const MAX_RETRY_PAUSE_MS = 60_000;
const LEAVE_TIMEOUT_MS = 500;

export function createConnection(deps: ConnectionDeps) {
  const { interactions, token, host, port, discord, commands, finish, onFatal, logger } = deps;
  const { transportEveryMs = CHECK_TRANSPORT_EVERY_MS } = deps;
  const { api, application, clock, publishing } = discord;
  const stopping = new AbortController();
  /** Why Discord doesn't send commands to this bot, or `undefined` if no problem is known. */
  let transportTrouble: string | undefined;

  function onInteraction(payload: unknown): void {
    transportTrouble = undefined;
    deps.onInteraction(payload);
  }

  const gateway =
    interactions === 'http'
      ? createEndpoint({
          // The configuration guarantees that the key and the port exist.
          publicKey: deps.discordPublicKey ?? '',
          port: port ?? 0,
          host,
          onInteraction,
          onFatal,
          logger,
        })
      : createGateway({ api, token, onInteraction, onFatal, logger });

  /** Logs an application setting that keeps commands from arriving. It can change while the bot runs and looks ready. */
  function reportTransport(known: Application): void {
    const trouble = endpointTrouble(known, deps);
    if (trouble && trouble.text !== transportTrouble) {
      logger.error({}, `${trouble.text}. To fix it, ${trouble.fix}`);
    }
    transportTrouble = trouble?.text;
  }

  /** Publishes the commands and reports problems with the application's settings. Retries until both succeed. */
  async function introduce(): Promise<void> {
    const known = await retry(application, {
      signal: stopping.signal,
      firstMs: 1_000,
      maxMs: MAX_RETRY_PAUSE_MS,
      onFailure: (error, waitMs) =>
        api.logFailure(error, waitMs, "could not read the application's settings from Discord; will retry"),
    });
    if (known === undefined) return;
    reportTransport(known);
    await clock.logTrouble();
    for (const text of [
      ...installationTroubles(known),
      ...nameTroubles(known),
      ...verificationTroubles(known),
    ]) {
      logger.warn({ page: portalPage(known, 'installation') }, text);
    }
    const count = await publishing.publish(known.id, commands, stopping.signal);
    if (!stopping.signal.aborted) await deps.onPublished({ commands: count, application: known });
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
      // With HTTP, the load balancer now sends new interactions to other processes. With the gateway, the bot stays
      // connected, and replies to new interactions with a message that it's stopping.
      if (interactions === 'http') await gateway.disconnect();
      await finish();
      await waitAtMost(LEAVE_TIMEOUT_MS, gateway.disconnect());
    },
  };

  return {
    gateway,
    transportTrouble: () => transportTrouble,
    /** Connects in the background. Retries until it succeeds. */
    part,
    transportCheck: { name: 'transport', ...transport },
  };
}
