import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import {
  DiscordAPIError,
  GatewayDispatchEvents,
  RateLimitError,
  type RESTGetAPIGatewayBotResult,
  Routes,
} from 'discord.js';
import { atMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { retry } from '../retry.ts';
import type { Secret } from '../secret.ts';
import type { DiscordApi } from './api.ts';

/** The bot cannot go on: what to tell the operator, in one line. */
export class FatalDiscordError extends Error {
  override readonly name = 'FatalDiscordError';
}

/** Close codes after which reconnecting cannot help (Discord docs: Gateway close event codes), and what to do. */
const FATAL_CLOSE_CODES: Readonly<Record<number, string>> = {
  4004: 'the bot token is not valid (any more)',
  4010: 'the shard is not valid',
  4011: 'the bot is in too many servers for one shard',
  4012: 'the version of the gateway is no longer served',
  4013: 'the intents are not valid',
  4014: 'the intents are not granted to this bot',
};

/** What a shard is doing. */
export const SHARD_STATES = ['ready', 'connecting', 'disconnected'] as const;
export type ShardState = (typeof SHARD_STATES)[number];

/** The state of the connection to the gateway, for those who watch over it. */
export interface GatewayState {
  shards(): Readonly<Record<ShardState, number>>;
  /** Whether every shard is ready. */
  isConnected(): boolean;
  /**
   * Milliseconds since the shard that has been silent longest was last heard: an event, or the answer to a heartbeat.
   * 0 before the first shard was ready.
   */
  silentMs(): number;
  /** How many IDENTIFYs of the day are left, by what Discord said last and what was used since; `undefined`: not asked yet. */
  identifiesLeft(): number | undefined;
  /** Asks Discord for that. @throws when there is no answer */
  askIdentifiesLeft(): Promise<void>;
}

export interface Gateway extends GatewayState {
  /** Connects, and tries again for as long as it takes; ends when the first session has begun, or `signal` is aborted. */
  connect(signal: AbortSignal): Promise<void>;
  disconnect(): Promise<void>;
}

export interface GatewayDeps {
  readonly api: Pick<DiscordApi, 'gatewayRest' | 'block' | 'get'>;
  readonly token: Secret;
  /** Called with each INTERACTION_CREATE as it comes, on whichever shard. It must not throw. */
  readonly onInteraction: (payload: unknown) => void;
  /** Called once when Discord refuses the bot for good. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: Logger;
}

/** Pauses before connecting is tried again, in milliseconds: the first, doubled each time up to the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How long a connection that is being made may take to be there, so that it can be closed; then to be closed. */
const CONNECTS_MS = 3_000;
const CLOSES_MS = 1_000;
/** How often a connection that is lost is logged, in milliseconds: discord.js tries twice a second. */
const LOG_EVERY_MS = 60_000;

/**
 * The sessions at Discord's gateway. It asks for no intents (0): interactions come all the same, and ten thousand guilds
 * cost what one costs. An interaction is taken as soon as it arrives, whatever other shards are doing.
 */
export function createGateway(deps: GatewayDeps): Gateway {
  const { api, token, onInteraction, onFatal, logger } = deps;
  const shards = new Map<number, ShardState>();
  /** By shard, when it was last heard, by `performance.now()`. */
  const heardAt = new Map<number, number>();
  const guildsOf = new Map<number, number>();
  const sessions = new Map<number, SessionInfo>();
  let manager: WebSocketManager | undefined;
  let connecting: Promise<unknown> = Promise.resolve();
  let isLeaving = false;
  let left: number | undefined;
  let loggedLossAt = Number.NEGATIVE_INFINITY;

  function fatal(message: string, cause?: unknown): void {
    if (!isLeaving) onFatal(new FatalDiscordError(message, { cause }));
    isLeaving = true;
  }

  const hear = (shard: number) => void heardAt.set(shard, performance.now());

  function listen(made: WebSocketManager): void {
    made.on(WebSocketShardEvents.Dispatch, ({ data, shardId }) => {
      hear(shardId);
      if (data.t === GatewayDispatchEvents.InteractionCreate && !isLeaving) onInteraction(data.d);
    });
    made.on(WebSocketShardEvents.Ready, ({ data, shardId }) => {
      hear(shardId);
      shards.set(shardId, 'ready');
      guildsOf.set(shardId, data.guilds.length);
      if (left !== undefined) left = Math.max(0, left - 1);
      if (isConnected()) {
        const guilds = [...guildsOf.values()].reduce((sum, count) => sum + count, 0);
        logger.info({ user: data.user.username, guilds }, 'connected to Discord');
      }
    });
    made.on(WebSocketShardEvents.Resumed, ({ shardId }) => {
      hear(shardId);
      shards.set(shardId, 'ready');
      logger.info({ shard: shardId }, 'connection to Discord resumed');
    });
    made.on(WebSocketShardEvents.HeartbeatComplete, ({ shardId }) => hear(shardId));
    made.on(WebSocketShardEvents.Error, ({ error, shardId }) => {
      if (!isLeaving) logger.warn({ err: error, shard: shardId }, 'connection to Discord failed');
    });
    made.on(WebSocketShardEvents.Closed, ({ code, shardId }) => closed(shardId, code));
  }

  function closed(shard: number, code: number): void {
    const reason = FATAL_CLOSE_CODES[code];
    const wasReady = shards.get(shard) === 'ready';
    shards.set(shard, reason === undefined ? 'connecting' : 'disconnected');
    if (isLeaving) return;
    if (reason !== undefined) {
      const advice = code === 4004 ? ': copy DISCORD_TOKEN again from the Developer Portal' : '';
      fatal(`Discord ended shard ${shard} with code ${code}: ${reason}${advice}`);
    } else if (wasReady || performance.now() - loggedLossAt > LOG_EVERY_MS) {
      loggedLossAt = performance.now();
      logger.info({ shard, code }, 'reconnecting to Discord');
    }
  }

  const isConnected = () => shards.size > 0 && [...shards.values()].every((state) => state === 'ready');

  /** Asks where the gateway is, and begins the sessions. @throws what keeps it from that */
  async function connectOnce(signal: AbortSignal): Promise<void> {
    const made = new WebSocketManager({
      token: token.reveal(),
      intents: 0,
      rest: api.gatewayRest,
      // The library's own memory of sessions is shared by every manager of the process (@discordjs/ws 1.2.3).
      retrieveSessionInfo: (shard) => sessions.get(shard) ?? null,
      updateSessionInfo: (shard, session) =>
        void (session ? sessions.set(shard, session) : sessions.delete(shard)),
    });
    const { session_start_limit: limit } = await made.fetchGatewayInformation();
    left = limit.remaining;
    const ids = await made.getShardIds();
    if (limit.remaining < ids.length) throw new NoSessionsLeft(limit.reset_after);
    if (signal.aborted) return;
    manager = made;
    for (const id of ids) shards.set(id, 'connecting');
    listen(made);
    // Shards begin one after the other, 5 seconds apart; each tries again by itself.
    connecting = made.connect().catch((error: unknown) => {
      if (!isLeaving) logger.warn({ err: error }, 'a session at Discord could not begin; it is tried again');
    });
  }

  async function connectUnlessRefused(signal: AbortSignal): Promise<void> {
    try {
      await connectOnce(signal);
    } catch (error) {
      if (!(error instanceof DiscordAPIError) || error.status !== 401) throw error;
      fatal('Discord does not accept DISCORD_TOKEN: copy it again from the Developer Portal', error);
    }
  }

  return {
    shards() {
      const counts = { ready: 0, connecting: 0, disconnected: 0 };
      for (const state of shards.values()) counts[state] += 1;
      return counts;
    },
    isConnected,
    silentMs: () =>
      heardAt.size === 0 ? 0 : Math.max(...[...heardAt.values()].map((at) => performance.now() - at)),
    identifiesLeft: () => left,
    async askIdentifiesLeft() {
      const info = (await api.get(Routes.gatewayBot())) as RESTGetAPIGatewayBotResult;
      left = info.session_start_limit.remaining;
    },
    connect: (signal) =>
      retry(() => connectUnlessRefused(signal), {
        signal,
        firstMs: FIRST_PAUSE_MS,
        longestMs: LONGEST_PAUSE_MS,
        onFailure(error, pauseMs) {
          const waitMs = Math.max(pauseMs, api.block.leftMs(), waitOf(error));
          logger.error(
            { err: error, againInSeconds: Math.ceil(waitMs / 1000) },
            'Discord does not let the bot connect yet; it is asked again for where its gateway is',
          );
          return waitMs;
        },
      }),
    async disconnect() {
      isLeaving = true;
      // Destroyed while it waits for READY, a shard connects anew, and `destroy` never resolves (@discordjs/ws 1.2.3).
      await atMost(CONNECTS_MS, connecting);
      if (manager) await atMost(CLOSES_MS, Promise.resolve(manager.destroy()));
    },
  };
}

/** Discord grants no further IDENTIFY until its limit is set back. */
class NoSessionsLeft extends Error {
  override readonly name = 'NoSessionsLeft';
  readonly resetAfterMs: number;
  constructor(resetAfterMs: number) {
    super(
      'Discord grants no further session: all IDENTIFYs of the day are used. Look for what restarts the bot',
    );
    this.resetAfterMs = resetAfterMs;
  }
}

/** Milliseconds that Discord itself has asked to wait. */
function waitOf(error: unknown): number {
  if (error instanceof NoSessionsLeft) return error.resetAfterMs;
  return error instanceof RateLimitError ? error.retryAfter : 0;
}
