import { Client, Options } from 'discord.js';
import { createHttpAgent } from '../http-agent.ts';
import { isGuildQuestion } from './application.ts';
import { isLogQuestion } from './log-channel.ts';
import { makeRequestOver, sendCallbacksOver } from './make-request.ts';
import { rejectLongWaits } from './publish.ts';

/** As long as a first response may take (see make-request.ts). */
const CONNECT_TIMEOUT_MS = 2500;
/** All requests that make-request.ts sets no shorter time for; an answer may carry a file. */
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
      // Repeating is decided per kind of request, in answers.ts: a callback that was repeated blindly answers 40060.
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

/** All caches that discord.js lets a bot limit. Itself stays, since the client needs to know who it is. */
const onlySelf = {
  maxSize: 0,
  keepOverLimit: ({ id, client }: { id: string; client: Client }) => id === client.user?.id,
};
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
  GuildMemberManager: onlySelf,
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
  UserManager: onlySelf,
  VoiceStateManager: 0,
};
