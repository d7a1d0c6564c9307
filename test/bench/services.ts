import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';
import { createLoopbackServer } from '../../sandbox/loopback-server.ts';

/**
 * Minimal stand-ins for Discord and the listing service. The sandbox's stand-ins would hide differences between bots,
 * because checking Discord's rules takes longer than a bot's work.
 */

const APPLICATION_ID = '111111111111111111';
const BOT = { id: APPLICATION_ID, username: 'bench', discriminator: '0', avatar: null, bot: true, flags: 0 };

/** How a bot responded to an interaction, as Discord sees it. */
export interface Seen {
  /** The body of the bot's first response, which Discord calls the interaction response. */
  readonly callback: { readonly type: number; readonly data?: Readonly<Record<string, unknown>> };
  /** How long the bot took to acknowledge the interaction, in milliseconds. */
  readonly acknowledgedMs: number;
}

interface Waiting {
  readonly sentAt: number;
  readonly acknowledged: PromiseWithResolvers<Seen>;
  readonly answered: PromiseWithResolvers<string>;
}

interface Sent {
  readonly acknowledged: Promise<Seen>;
  /** Resolves with the request's body when the bot has edited its deferred reply. */
  readonly answered: Promise<string>;
}

export interface LightDiscord {
  readonly apiUrl: string;
  /** Resolves when the bot has sent IDENTIFY. */
  readonly identified: Promise<void>;
  /** Sends an INTERACTION_CREATE. `about` has the properties that differ between interactions. */
  send(about: Readonly<Record<string, unknown>>, guild?: number): Sent;
  close(): Promise<void>;
}

/** Makes ids unique within a millisecond. The upper 42 bits contain the time (Discord docs: Snowflakes). */
let counter = 0;
function snowflake(): string {
  counter = (counter + 1) % 4_194_304;
  return String(((BigInt(Date.now()) - 1_420_070_400_000n) << 22n) + BigInt(counter));
}

export const guildId = (index: number): string => String(400_000_000_000_000_000n + BigInt(index));

/**
 * @param guilds how many guilds the bot is in; each has 37 channels, like an average community
 * @param post receives interactions instead of the gateway
 */
export async function startLightDiscord({
  guilds,
  post,
}: {
  readonly guilds: number;
  readonly post?: (interaction: object) => void;
}): Promise<LightDiscord> {
  const waiting = new Map<string, Waiting>();
  let socket: WebSocket | undefined;
  let sequence = 0;
  const identified = Promise.withResolvers<void>();

  const server = createLoopbackServer((request, response) => void answer(request, response));
  const port = await server.listen(0);

  function dispatch(event: string, data: object): void {
    sequence += 1;
    socket?.send(JSON.stringify({ op: 0, t: event, s: sequence, d: data }));
  }

  function identify(to: WebSocket, { intents }: { readonly intents: number }): void {
    socket = to;
    sequence = 0;
    const ids = Array.from({ length: guilds }, (_, index) => guildId(index));
    dispatch('READY', {
      v: 10,
      user: BOT,
      guilds: ids.map((id) => ({ id, unavailable: true })),
      session_id: 'bench',
      resume_gateway_url: `ws://127.0.0.1:${port}`,
      shard: [0, 1],
      application: { id: APPLICATION_ID, flags: 0 },
    });
    // Bit 0 is the Guilds intent.
    if ((intents & 1) === 1) for (const id of ids) dispatch('GUILD_CREATE', guildCreate(id));
    identified.resolve();
  }

  function greet(bot: WebSocket): void {
    bot.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }));
    bot.on('message', (message) => {
      const { op, d } = JSON.parse(String(message));
      if (op === 1) bot.send(JSON.stringify({ op: 11 }));
      if (op === 2) identify(bot, d);
    });
  }

  const gateway = new WebSocketServer({ noServer: true });
  server.server.on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head, greet));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const path = (request.url ?? '').replace(/\?.*/, '').replace('/api/v10', '');
    const [, area, , token = '', last] = path.split('/');
    if (area === 'interactions' && last === 'callback') {
      const one = waiting.get(token);
      one?.acknowledged.resolve({
        callback: JSON.parse(body),
        acknowledgedMs: performance.now() - one.sentAt,
      });
      response.writeHead(204).end();
      return;
    }
    if (area === 'webhooks') {
      waiting.get(token)?.answered.resolve(body);
      waiting.delete(token);
      return json(response, { id: snowflake(), channel_id: '1', content: '', author: BOT, type: 0 });
    }
    json(response, fixed(path, body));
  }

  function fixed(path: string, body: string): unknown {
    if (path === '/gateway/bot')
      return {
        url: `ws://127.0.0.1:${port}`,
        shards: 1,
        session_start_limit: { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 16 },
      };
    if (path.endsWith('/commands'))
      return (body === '' ? [] : (JSON.parse(body) as object[])).map((command) => ({
        ...command,
        id: snowflake(),
        application_id: APPLICATION_ID,
        version: snowflake(),
      }));
    if (path.endsWith('/permissions')) return [];
    if (path.startsWith('/applications/')) return { id: APPLICATION_ID, name: 'bench', flags: 0 };
    return {};
  }

  return {
    apiUrl: `http://127.0.0.1:${port}/api`,
    identified: identified.promise,
    send(about, guild = 0) {
      const token = `bench-${snowflake()}`;
      const one: Waiting = {
        sentAt: performance.now(),
        acknowledged: Promise.withResolvers(),
        answered: Promise.withResolvers(),
      };
      waiting.set(token, one);
      const payload = { ...interaction(guildId(guild % guilds)), token, ...about };
      if (post) post(payload);
      else dispatch('INTERACTION_CREATE', payload);
      return { acknowledged: one.acknowledged.promise, answered: one.answered.promise };
    },
    close: server.close,
  };
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Builds an INTERACTION_CREATE that has no data yet (Discord docs: Receiving and Responding). */
function interaction(guild: string): object {
  return {
    id: snowflake(),
    application_id: APPLICATION_ID,
    version: 1,
    guild_id: guild,
    guild: { id: guild, locale: 'en-US', features: [] },
    guild_locale: 'en-US',
    locale: 'en-US',
    channel_id: '333333333333333333',
    channel: { id: '333333333333333333', type: 0, name: 'general', guild_id: guild, permissions: '0' },
    member: {
      // Each guild has its own member, because a member can test only five keys per minute.
      user: { id: String(BigInt(guild) + 1n), username: 'mason', discriminator: '0', avatar: null },
      roles: [],
      permissions: '32',
      joined_at: '2017-03-13T19:19:14.040000+00:00',
      premium_since: null,
      pending: false,
      nick: null,
      mute: false,
      deaf: false,
      avatar: null,
      flags: 0,
    },
    app_permissions: '442368',
    entitlements: [],
    authorizing_integration_owners: { 0: guild },
    context: 0,
    attachment_size_limit: 10_485_760,
  };
}

const CHANNELS = 37;

function guildCreate(id: string): object {
  // Each guild has its own range of 64 channel ids.
  const base = 10n ** 18n + BigInt(id.slice(-9)) * 64n;
  return {
    id,
    name: `Guild ${id}`,
    unavailable: false,
    owner_id: '555555555555555555',
    preferred_locale: 'en-US',
    features: [],
    member_count: 100,
    roles: [{ id, name: '@everyone', permissions: '442368', position: 0, color: 0 }],
    channels: Array.from({ length: CHANNELS }, (_, index) => ({
      id: String(base + BigInt(index)),
      type: 0,
      name: `channel-${index}`,
      position: index,
      permission_overwrites: [],
      topic: 'What this channel is about',
      nsfw: false,
      rate_limit_per_user: 0,
      last_message_id: null,
      parent_id: null,
      flags: 0,
    })),
    members: [],
    emojis: [],
    stickers: [],
    threads: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
  };
}

/** How many games the listing service knows. They are called `game0`, `game1` and so on. */
export const GAMES = 200;

/** The listing service's response to each submission. */
export const ADDED = 'Servers have been added for review.';

export type LightListing = Awaited<ReturnType<typeof startLightListing>>;

/** Starts a listing service that accepts every key and every submission. */
export async function startLightListing() {
  const list = Array.from({ length: GAMES }, (_, index) => ({
    name: `Game number ${index}`,
    alias: `game${index}`,
  }));
  const added = { status: 'success', message: ADDED };
  const server = createLoopbackServer(async (request, response) => {
    const body = await text(request);
    json(response, body.includes('action=games') ? list : added);
  });
  const port = await server.listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    close: server.close,
  };
}
