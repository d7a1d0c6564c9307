import { GatewayDispatchEvents, RateLimitError } from 'discord.js';
import type { Logger } from '../logger.ts';
import { retry } from '../pacing/retry.ts';
import { createSparingLog } from '../pacing/sparing-log.ts';
import type { Secret } from '../text/secret.ts';
import type { DiscordApi } from './api.ts';
import { createIdentifyQuota, RESERVED_IDENTIFIES } from './identifies.ts';
import { createShard, type Shard, type ShardState } from './shard.ts';
import { whyUnreachable } from './unreachable.ts';

/** An error after which the bot can't continue. The single-line message gives the operator the reason. */
export class FatalDiscordError extends Error {
  override readonly name: string = 'FatalDiscordError';
}

/** Only the operator can fix this, so restarting doesn't help. */
export class RejectedTokenError extends FatalDiscordError {
  override readonly name = 'RejectedTokenError';
}

const TOKEN_REJECTED = 4004;
/** Close codes after which reconnecting can't help, with their reasons (Discord docs: Gateway close event codes). */
const FATAL_CLOSE_CODES: Readonly<Record<number, string>> = {
  [TOKEN_REJECTED]: 'the bot token is not valid',
  4010: 'the shard is not valid',
  4011: 'the bot is in too many servers for one shard',
  4012: 'this gateway version is no longer supported',
  4013: 'the intents are not valid',
  4014: 'the intents are not granted to this bot',
};

export interface GatewayState {
  shards(): Readonly<Record<ShardState, number>>;
  /** Whether every shard is ready. */
  isConnected(): boolean;
  trouble(): string | undefined;
  /**
   * Returns how long ago the quietest shard last received an event or a heartbeat response, in milliseconds. Ignores shards
   * that are waiting for their turn, for READY or for the end of a pause.
   */
  silentMs(): number;
  /** Returns how many IDENTIFYs are left: Discord's latest count minus later uses. `undefined` before the first count. */
  identifiesLeft(): number | undefined;
  /** @throws if Discord doesn't respond */
  askIdentifiesLeft(): Promise<void>;
}

export interface Gateway extends GatewayState {
  /** Connects to the gateway. Retries until the first sessions have started or `signal` is aborted. */
  connect(signal: AbortSignal): Promise<void>;
  disconnect(): Promise<void>;
}

export interface GatewayDeps {
  readonly api: Pick<DiscordApi, 'block' | 'get' | 'logFailure'>;
  readonly token: Secret;
  /** Called for each INTERACTION_CREATE when it arrives on any shard. Must not throw. */
  readonly onInteraction: (payload: unknown) => void;
  /** Called at most once. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: Logger;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Creates the sessions on Discord's gateway. They don't request intents, because interactions don't require any. Ten
 * thousand guilds therefore cost as little as one. Shards pass interactions on without waiting for each other.
 */
export function createGateway(deps: GatewayDeps): Gateway {
  const { api, token, onInteraction, onFatal, logger } = deps;
  const log = createSparingLog(logger);
  const identifies = createIdentifyQuota({ api, log });
  const shards: Shard[] = [];
  const guildsOf = new Map<number, number>();
  let isLeaving = false;
  let whyUrlFailed: string | undefined;

  function fatal(error: FatalDiscordError): void {
    if (!isLeaving) onFatal(error);
    isLeaving = true;
  }

  /** @returns whether the shard has ended permanently */
  function closed(shard: number, code: number): boolean {
    const reason = FATAL_CLOSE_CODES[code];
    if (reason === undefined) return false;
    const text = `Discord closed shard ${shard} with code ${code}: ${reason}`;
    fatal(
      code === TOKEN_REJECTED
        ? new RejectedTokenError(`${text}: copy DISCORD_TOKEN again from the Developer Portal`)
        : new FatalDiscordError(text),
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

  /** @throws if Discord doesn't respond */
  async function connectOnce(signal: AbortSignal): Promise<void> {
    const info = await identifies.ask();
    const { remaining } = info.session_start_limit;
    if (signal.aborted) return;
    if (remaining - info.shards < RESERVED_IDENTIFIES) {
      logger.warn(
        { left: remaining },
        'this start uses IDENTIFYs reserved for the end of the day; find out why sessions end or the bot restarts',
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
    // Each shard waits for its turn to identify, and retries on its own.
    for (const shard of shards) shard.connect();
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
      const blocked = api.block.trouble();
      if (blocked !== undefined) return blocked;
      if (shards.length === 0) return whyUrlFailed ?? 'Discord has not returned the gateway URL yet';
      const deaf = shards.filter((shard) => shard.state() !== 'ready').length;
      return `${deaf} of ${shards.length} shards do not have a session; the log has the reasons`;
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
        maxMs: MAX_PAUSE_MS,
        minMs: (error) =>
          Math.max(api.block.leftMs(), error instanceof RateLimitError ? error.retryAfter : 0),
        onFailure(error, waitMs) {
          whyUrlFailed = `cannot reach Discord: ${whyUnreachable(error) ?? (error instanceof Error ? error.message : String(error))}`;
          const text = 'could not get the gateway URL from Discord; will retry';
          api.logFailure(error, waitMs, text);
        },
      }),
    async disconnect() {
      isLeaving = true;
      await Promise.all(shards.map((shard) => shard.leave()));
    },
  };
}
