import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import { Client, type ClientOptions, Options } from 'discord.js';
import { type Agent, Headers, request } from 'undici';
import { createHttpAgent } from '../http-agent.ts';
import { isGuildQuestion } from './guild-list.ts';
import { rejectLongWaits } from './publish.ts';

/** How long Discord waits for the first response to an interaction is 3 s; past this there is no point. */
const CALLBACK_TIMEOUT_MS = 2500;
/** An answer without files: it is repeated when Discord does not take it, and the member is waiting. */
const ANSWER_TIMEOUT_MS = 5_000;
/** All other requests; an answer may carry a file. */
const REST_TIMEOUT_MS = 15_000;
/** Longer than a quiet bot's pauses, so that an acknowledgement does not pay for a new TLS connection. */
const KEEP_ALIVE_MS = 5 * 60_000;

type MakeRequest = NonNullable<NonNullable<ClientOptions['rest']>['makeRequest']>;

/**
 * A discord.js client that asks for no intents and caches nothing: interactions arrive all the same, and ten
 * thousand guilds cost what one costs. Only what an interaction brings may be used.
 * @param apiUrl Discord's REST API without the version, such as `https://discord.com/api`
 */
export function createClient({ apiUrl }: { apiUrl: string }): { client: Client; close(): Promise<void> } {
  const agent = createHttpAgent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CALLBACK_TIMEOUT_MS },
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
      rejectOnRateLimit: (limit) => rejectLongWaits(limit) || isGuildQuestion(limit),
      makeRequest: overAgent(agent),
    },
  });
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

/** When a request is given up, if that is before discord.js does so. */
function deadlineFor(url: string, body: unknown): AbortSignal | null {
  if (url.includes('/callback')) return AbortSignal.timeout(CALLBACK_TIMEOUT_MS);
  const isAnswer = url.includes('/webhooks/') && typeof body === 'string';
  return isAnswer ? AbortSignal.timeout(ANSWER_TIMEOUT_MS) : null;
}

/** discord.js's requests over our own connections, which stay open between interactions. */
function overAgent(agent: Agent): MakeRequest {
  return async (url, init) => {
    const signals = [init.signal, deadlineFor(url, init.body)];
    const { body: sent, headers } = await encoded(init);
    const response = await request(url, {
      method: (init.method ?? 'GET') as 'GET',
      headers,
      body: sent,
      signal: AbortSignal.any(signals.filter((signal) => signal instanceof AbortSignal)),
      dispatcher: agent,
    });
    const { body, statusCode } = response;
    return {
      body,
      get bodyUsed() {
        return body.bodyUsed;
      },
      arrayBuffer: () => body.arrayBuffer(),
      json: () => body.json(),
      text: () => body.text(),
      headers: headersOf(response.headers),
      ok: statusCode >= 200 && statusCode < 300,
      status: statusCode,
      statusText: STATUS_CODES[statusCode] ?? '',
    };
  };
}

/** Nothing but strings reaches the headers; of several values of one name, such as `set-cookie`, each is kept. */
function headersOf(received: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return headers;
}

/** What is sent: JSON as it is; files as bytes, since undici takes only its own FormData and discord.js has Node's. */
async function encoded({ body, headers }: Parameters<MakeRequest>[1]) {
  const given = headers as Record<string, string>;
  if (!(body instanceof FormData)) return { body: body as string, headers: given };
  const form = new Response(body);
  const type = form.headers.get('content-type') ?? '';
  return { body: Buffer.from(await form.arrayBuffer()), headers: { ...given, 'content-type': type } };
}
