import {
  Client,
  GatewayDispatchEvents,
  Options,
  type RESTGetAPIGatewayBotResult,
  Routes,
  Status,
} from 'discord.js';
import { createHttpAgent } from '../http-agent.ts';
import { isGuildQuestion } from './application.ts';
import { isLogQuestion } from './log-channel.ts';
import { rejectLongWaits } from './publish.ts';
import { makeRequestOver, sendCallbacksOver } from './rest.ts';

/** As long as a first response may take (see rest.ts). */
const CONNECT_TIMEOUT_MS = 2500;
/** All requests that rest.ts sets no shorter time for; an answer may carry a file. */
const REST_TIMEOUT_MS = 15_000;
/** Longer than a quiet bot's pauses, so that an acknowledgement does not pay for a new TLS connection. */
const KEEP_ALIVE_MS = 5 * 60_000;

interface ClientOptions {
  readonly apiUrl: string;
  /** See {@link makeRequestOver}. */
  readonly onRateLimited?: ((scope: string) => void) | undefined;
}

/**
 * A discord.js client that asks for no intents and caches nothing: interactions arrive all the same, and ten
 * thousand guilds cost what one costs. Only what an interaction brings may be used.
 * @param apiUrl Discord's REST API without the version, such as `https://discord.com/api`
 */
export function createClient({ apiUrl, onRateLimited }: ClientOptions): {
  client: Client;
  close(): Promise<void>;
} {
  const agent = createHttpAgent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const client = new Client({
    intents: [],
    shards: 'auto',
    // Without the Guilds intent no guild ever becomes available; interactions would be held back until then.
    waitGuildTimeout: 0,
    allowedMentions: { parse: [] },
    makeCache: Options.cacheWithLimits({ ...Options.DefaultMakeCacheSettings, ...nothing }),
    rest: {
      api: apiUrl,
      timeout: REST_TIMEOUT_MS,
      // Repeating is decided per kind of request, in rest.ts: a callback that was repeated blindly answers 40060.
      retries: 0,
      // discord.js counts 50 requests a second by the clock: set back by an hour, that would count for an hour.
      // What answers interactions is exempt from that limit (Discord docs: Rate Limits, "Global Rate Limit"), and a
      // 429 is obeyed all the same.
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      rejectOnRateLimit: (limit) => rejectLongWaits(limit) || isGuildQuestion(limit) || isLogQuestion(limit),
      makeRequest: makeRequestOver(agent, onRateLimited),
    },
  });
  sendCallbacksOver(agent, client.rest, onRateLimited);
  return { client, close: () => agent.close() };
}

/** All caches that discord.js lets a bot limit. Who the bot itself is, the client knows without (`client.user`). */
const nothing = {
  ApplicationCommandManager: 0,
  ApplicationEmojiManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildForumThreadManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: 0,
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  GuildTextThreadManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadManager: 0,
  ThreadMemberManager: 0,
  UserManager: 0,
  VoiceStateManager: 0,
};

/** What a shard is doing; the names are ours, several states of discord.js are one of them. */
export const SHARD_STATES = ['ready', 'connecting', 'resuming', 'disconnected'] as const;
export type ShardState = (typeof SHARD_STATES)[number];

/** The state of the connection to the gateway, for those who watch over it. */
export interface GatewayState {
  shards(): Readonly<Record<ShardState, number>>;
  /** Whether every shard is ready. */
  isConnected(): boolean;
  /**
   * Milliseconds since the shard that has been silent longest was last heard: an event, or the answer to a heartbeat.
   * A greeting (HELLO) alone does not count, since a gateway that only ever greets serves nobody. Exact to the time
   * between two calls.
   */
  silentMs(): number;
  /** How many IDENTIFYs of the day are left, by what Discord said last and what was used since; `undefined`: not asked yet. */
  identifiesLeft(): number | undefined;
  /** Asks Discord for that. @throws when there is no answer */
  askIdentifiesLeft(): Promise<void>;
}

const STATES: Readonly<Record<number, ShardState>> = {
  [Status.Ready]: 'ready',
  [Status.Resuming]: 'resuming',
  [Status.Disconnected]: 'disconnected',
};
/** How long Discord may take to say how many IDENTIFYs are left, in milliseconds. */
const ASK_TIMEOUT_MS = 5_000;

/** @param heardAt by shard, when an event of it came, by `performance.now()` */
export function createGatewayState(client: Client, heardAt: Map<number, number>): GatewayState {
  const madeAt = performance.now();
  /** By shard: the heartbeat that was answered last. */
  const heartbeats = new Map<number, number>();
  let left: number | undefined;

  client.ws.on(GatewayDispatchEvents.Ready, () => {
    if (left !== undefined) left = Math.max(0, left - 1);
  });

  return {
    shards() {
      const counts = { ready: 0, connecting: 0, resuming: 0, disconnected: 0 };
      for (const { status } of client.ws.shards.values()) counts[STATES[status] ?? 'connecting'] += 1;
      return counts;
    },
    isConnected: () =>
      client.ws.shards.size > 0 && client.ws.shards.every(({ status }) => status === Status.Ready),
    silentMs() {
      const now = performance.now();
      const silences = [...client.ws.shards.values()].map(({ id, lastPingTimestamp: heartbeat }) => {
        if (heartbeats.get(id) !== heartbeat) {
          if (heartbeat > 0) heardAt.set(id, now);
          heartbeats.set(id, heartbeat);
        }
        return now - (heardAt.get(id) ?? madeAt);
      });
      return silences.length === 0 ? now - madeAt : Math.max(...silences);
    },
    identifiesLeft: () => left,
    async askIdentifiesLeft() {
      const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
      const { session_start_limit: limit } = (await client.rest.get(Routes.gatewayBot(), {
        signal,
      })) as RESTGetAPIGatewayBotResult;
      left = limit.remaining;
    },
  };
}
