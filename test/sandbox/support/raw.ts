import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { DiscordStandIn } from '../../../sandbox/discord/contract.ts';
import { type StandInOptions, startDiscord } from '../../../sandbox/discord/stand-in.ts';

export const TOKEN = 'aaa.bbb.ccc';

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body if it is JSON. */
  readonly json: unknown;
}

interface RawRequest {
  readonly json?: unknown;
  /** A body that is sent as it is. */
  readonly body?: RequestInit['body'];
  /** `null` removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** Sends a request without using a library. By default, adds a bot's user agent and the token. */
export async function raw(
  { apiUrl }: Pick<DiscordStandIn, 'apiUrl'>,
  request: string,
  { json, body, headers = {} }: RawRequest = {},
): Promise<RawAnswer> {
  const [method = 'GET', path = '/'] = request.split(' ');
  const all = Object.entries({
    'user-agent': 'DiscordBot (https://example.org, 1.0)',
    authorization: `Bot ${TOKEN}`,
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  });
  const response = await fetch(`${apiUrl}/v10${path}`, {
    method,
    headers: all.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]])),
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}

interface Frame {
  readonly op: number;
  readonly s: number | null;
  readonly t: string | null;
  readonly d: Readonly<Record<string, unknown>>;
}

/** Opens a gateway connection without using a library. */
export async function openGateway({ cdnUrl }: Pick<DiscordStandIn, 'cdnUrl'>) {
  const socket = new WebSocket(`${cdnUrl.replace('http', 'ws')}/?v=10&encoding=json`);
  const frames: Frame[] = [];
  const wake = new Set<() => void>();
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    for (const look of wake) look();
  });
  const closed = once(socket, 'close').then(([code]) => Number(code));
  await once(socket, 'open');
  return {
    send: (frame: unknown) => socket.send(JSON.stringify(frame)),
    /** Returns the next unread frame. If a name is given, returns the next frame with that name. */
    async next(name?: number | string): Promise<Frame> {
      for (;;) {
        const index = frames.findIndex(({ op, t }) => name === undefined || name === op || name === t);
        const [frame] = index === -1 ? [] : frames.splice(0, index + 1).slice(-1);
        if (frame !== undefined) return frame;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake.add(resolve);
        await promise;
        wake.delete(resolve);
      }
    },
    closed,
    async close(code: number): Promise<void> {
      socket.close(code);
      await closed;
    },
  };
}

export const identify = (more: object = {}) => ({
  op: 2,
  d: { token: TOKEN, properties: { os: 'linux' }, intents: 0, ...more },
});

/** Opens a connection and waits until it has received READY. */
export async function identified(standIn: DiscordStandIn, more: object = {}) {
  const gateway = await openGateway(standIn);
  gateway.send(identify(more));
  const ready = await gateway.next('READY');
  return { ...gateway, sessionId: ready.d.session_id };
}

/** An interaction that was sent to the bot. */
export interface SentInteraction {
  readonly id: string;
  readonly token: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export const COMMANDS = [
  {
    name: 'read',
    description: 'Reads',
    options: [
      { type: 3, name: 'what', description: 'What', autocomplete: true, max_length: 10 },
      { type: 4, name: 'count', description: 'How many', min_value: 1, max_value: 5 },
      { type: 6, name: 'who', description: 'Who' },
      { type: 11, name: 'file', description: 'A list', file_types: ['.csv'] },
    ],
  },
  {
    name: 'choose',
    description: 'Chooses',
    options: [
      { type: 3, name: 'one', description: 'One', required: true, choices: [{ name: 'A', value: 'a' }] },
    ],
  },
  { name: 'manage', description: 'Manages', default_member_permissions: '32' },
  { name: 'Use', type: 3 },
];

export type RawBot = Awaited<ReturnType<typeof openRawBot>>;

/** Starts a stand-in with one command of each kind, a connection to it, and a user. */
export async function openRawBot(options: Omit<StandInOptions, 'token'> = {}) {
  const standIn = await startDiscord({ token: TOKEN, reactionMs: 0, ...options });
  await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, { json: COMMANDS });
  const gateway = await identified(standIn);
  const [guild] = standIn.guilds;
  if (guild === undefined) throw new Error('there is no guild');
  return {
    standIn,
    guild,
    person: standIn.person({ guild, name: 'mason', permissions: 0n }),
    nextInteraction: async () => (await gateway.next('INTERACTION_CREATE')).d as SentInteraction,
    /** Sends the first response to an interaction. */
    respond: ({ id, token }: SentInteraction, json: object) =>
      raw(standIn, `POST /interactions/${id}/${token}/callback`, {
        json,
        headers: { authorization: null },
      }),
    /** Sends a request to an interaction's webhook, for example `PATCH /messages/@original`. */
    webhook({ token }: SentInteraction, request: string, sent?: RawRequest) {
      const [method, path = ''] = request.split(' ');
      return raw(standIn, `${method} /webhooks/${standIn.applicationId}/${token}${path}`, sent);
    },
  };
}
