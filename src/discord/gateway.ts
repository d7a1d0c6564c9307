import { GatewayDispatchEvents, RateLimitError } from 'discord.js';
import type { Logger } from '../logger.ts';
import { retry } from '../retry.ts';
import type { Secret } from '../secret.ts';
import { createSparingLog } from '../sparing-log.ts';
import type { DiscordApi } from './api.ts';
import { createIdentifyQuota, IDENTIFIES_KEPT } from './identifies.ts';
import { createShard, type Shard, type ShardState } from './shard.ts';
import { whyUnreachable } from './unreachable.ts';

/** The bot cannot go on: what to tell the operator, in one line. */
export class FatalDiscordError extends Error {
  override readonly name: string = 'FatalDiscordError';
}

/** Discord refuses the token. Only the operator can fix that: a restart would fail in the same way. */
export class RefusedTokenError extends FatalDiscordError {
  override readonly name = 'RefusedTokenError';
}

const TOKEN_REFUSED = 4004;
/** Close codes after which reconnecting cannot help (Discord docs: Gateway close event codes), and what to do. */
const FATAL_CLOSE_CODES: Readonly<Record<number, string>> = {
  [TOKEN_REFUSED]: 'the bot token is not valid (any more)',
  4010: 'the shard is not valid',
  4011: 'the bot is in too many servers for one shard',
  4012: 'the version of the gateway is no longer served',
  4013: 'the intents are not valid',
  4014: 'the intents are not granted to this bot',
};

/** The state of the connection to the gateway, for health, metrics and the watch over silence. */
export interface GatewayState {
  shards(): Readonly<Record<ShardState, number>>;
  /** Whether every shard is ready. */
  isConnected(): boolean;
  /** Why it is not connected, as far as that is known; `undefined` where it is. */
  trouble(): string | undefined;
  /**
   * How long the most silent shard has been silent, in milliseconds: no event, no answer to a heartbeat. Shards that wait
   * for their turn, for READY or for a pause do not count.
   */
  silentMs(): number;
  /** How many IDENTIFYs of the day are left, by what Discord said last and what was used since; `undefined`: not asked yet. */
  identifiesLeft(): number | undefined;
  /** Asks Discord how many IDENTIFYs are left. @throws when there is no answer */
  askIdentifiesLeft(): Promise<void>;
}

export interface Gateway extends GatewayState {
  /** Connects, and tries again for as long as it takes; ends when the first session has begun, or `signal` is aborted. */
  connect(signal: AbortSignal): Promise<void>;
  disconnect(): Promise<void>;
}

export interface GatewayDeps {
  readonly api: Pick<DiscordApi, 'block' | 'get' | 'tellFailure'>;
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

/**
 * Holds the sessions at Discord's gateway. They ask for no intents (0): interactions come all the same, and ten thousand
 * guilds cost what one costs. An interaction is handed on as soon as it arrives, whatever other shards are doing.
 */
export function createGateway(deps: GatewayDeps): Gateway {
  const { api, token, onInteraction, onFatal, logger } = deps;
  const log = createSparingLog(logger);
  const identifies = createIdentifyQuota({ api, log });
  const shards: Shard[] = [];
  const guildsOf = new Map<number, number>();
  let isLeaving = false;
  /** Why Discord did not say where its gateway is, when it was asked last. */
  let lastFailure: string | undefined;

  function fatal(error: FatalDiscordError): void {
    if (!isLeaving) onFatal(error);
    isLeaving = true;
  }

  /** @returns whether the shard has ended for good */
  function closed(shard: number, code: number): boolean {
    const reason = FATAL_CLOSE_CODES[code];
    if (reason === undefined) return false;
    const says = `Discord ended shard ${shard} with code ${code}: ${reason}`;
    fatal(
      code === TOKEN_REFUSED
        ? new RefusedTokenError(`${says}: copy DISCORD_TOKEN again from the Developer Portal`)
        : new FatalDiscordError(says),
    );
    return true;
  }

  function ready(shard: number, user: string, guildCount: number): void {
    guildsOf.set(shard, guildCount);
    if (!isConnected()) return;
    const guilds = [...guildsOf.values()].reduce((sum, count) => sum + count, 0);
    logger.info({ user, guilds }, 'connected to Discord');
  }

  const isConnected = () => shards.length > 0 && shards.every((shard) => shard.state() === 'ready');

  /** Asks where the gateway is, and begins the sessions. @throws when it cannot */
  async function connectOnce(signal: AbortSignal): Promise<void> {
    const info = await identifies.ask();
    const { remaining } = info.session_start_limit;
    if (signal.aborted) return;
    if (remaining - info.shards < IDENTIFIES_KEPT) {
      logger.warn(
        { left: remaining },
        'this start uses IDENTIFYs that are kept for the end of the day: look for what ends the sessions, or restarts the bot',
      );
    }
    for (let id = 0; id < info.shards; id += 1) {
      const shard = createShard({
        id,
        info,
        token,
        identifies,
        onReady: ({ user, guilds }) => ready(id, user.username, guilds.length),
        onResumed: () => logger.info({ shard: id }, 'connection to Discord resumed'),
        onDispatch(data) {
          if (data.t === GatewayDispatchEvents.InteractionCreate && !isLeaving) onInteraction(data.d);
        },
        onClosed: (code) => closed(id, code),
        log,
      });
      shards.push(shard);
    }
    // Each shard identifies when it is its turn, and tries again by itself.
    for (const shard of shards) void shard.connect();
  }

  return {
    shards() {
      const counts: Record<ShardState, number> = { ready: 0, connecting: 0, disconnected: 0 };
      for (const shard of shards) counts[shard.state()] += 1;
      return counts;
    },
    isConnected,
    trouble() {
      if (isConnected()) return undefined;
      const blockedMs = api.block.leftMs();
      if (blockedMs > 0)
        return `Discord's edge blocks this bot for another ${Math.ceil(blockedMs / 1000)} seconds`;
      if (shards.length === 0) return lastFailure ?? 'Discord has not said yet where its gateway is';
      const deaf = shards.filter((shard) => shard.state() !== 'ready').length;
      return `${deaf} of ${shards.length} shards have no session at Discord; the log says how each connection ended`;
    },
    silentMs: () => Math.max(0, ...shards.map((shard) => shard.silentMs())),
    identifiesLeft: identifies.left,
    async askIdentifiesLeft() {
      await identifies.ask();
    },
    connect: (signal) =>
      retry(() => connectOnce(signal), {
        signal,
        firstMs: FIRST_PAUSE_MS,
        longestMs: LONGEST_PAUSE_MS,
        onFailure(error, pauseMs) {
          const askedMs = error instanceof RateLimitError ? error.retryAfter : 0;
          const waitMs = Math.max(pauseMs, api.block.leftMs(), askedMs);
          lastFailure = `Discord cannot be reached: ${whyUnreachable(error) ?? (error instanceof Error ? error.message : String(error))}`;
          const says = 'Discord does not let the bot connect yet; it is asked again for where its gateway is';
          api.tellFailure(error, waitMs, says);
          return waitMs;
        },
      }),
    async disconnect() {
      isLeaving = true;
      await Promise.all(shards.map((shard) => shard.leave()));
    },
  };
}
