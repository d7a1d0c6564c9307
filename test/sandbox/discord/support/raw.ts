import { once, setMaxListeners } from 'node:events';
import { WebSocket } from 'ws';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { type StandInOptions, startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import type { Guild } from '../../../../sandbox/discord/world/guilds.ts';
import { TOKEN } from './small-bot.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: {
    readonly code?: number;
    readonly message?: string;
    readonly errors?: unknown;
    readonly [field: string]: unknown;
  };
}

export interface RawRequest {
  readonly json?: unknown;
  /** Sent as it is; the content type must then be among the headers. */
  readonly body?: RequestInit['body'];
  /** `null` leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** One request without a library between. It names itself a bot and brings the token unless told otherwise. */
export async function raw(
  standIn: Pick<DiscordStandIn, 'apiUrl'>,
  request: string,
  { json, body, headers = {} }: RawRequest = {},
): Promise<RawAnswer> {
  const [method = 'GET', path = '/'] = request.split(' ');
  const all = {
    'user-agent': 'DiscordBot (https://example.org, 1.0)',
    authorization: `Bot ${TOKEN}`,
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  const url = path.startsWith('/api') ? new URL(path, standIn.apiUrl) : `${standIn.apiUrl}/v10${path}`;
  const sent = json === undefined ? body : JSON.stringify(json);
  const response = await fetch(url, {
    method,
    headers: Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    ),
    ...(sent !== undefined && { body: sent }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
}

/** What is at a path of an `errors` object: `leafAt(errors, 'data.choices.3.name')` → its first code. */
export function codeAt(errors: unknown, path: string): string | undefined {
  const keys = path === '' ? [] : path.split('.');
  let node = errors;
  for (const key of [...keys, '_errors', '0', 'code']) node = Reflect.get(Object(node), key);
  return typeof node === 'string' ? node : undefined;
}

export interface Frame {
  readonly op: number;
  readonly s: number | null;
  readonly t: string | null;
  readonly d: { readonly [field: string]: unknown };
}

/** A gateway connection without a library. */
export interface RawGateway {
  readonly frames: readonly Frame[];
  send(frame: unknown): void;
  /** Sends text that need not be JSON. */
  sendText(text: string): void;
  /** The next frame, from the first that was not yet taken, that is so. */
  next(is: { readonly op?: number; readonly t?: string }): Promise<Frame>;
  readonly closed: Promise<number>;
  close(code?: number): Promise<void>;
}

export const IDENTIFY = {
  token: TOKEN,
  properties: { os: 'linux', browser: 'raw', device: 'raw' },
  intents: 0,
};

export async function openGateway(
  standIn: Pick<DiscordStandIn, 'cdnUrl'>,
  query = 'v=10&encoding=json',
): Promise<RawGateway> {
  const socket = new WebSocket(`${standIn.cdnUrl.replace('http', 'ws')}/?${query}`);
  const frames: Frame[] = [];
  let taken = 0;
  const arrived = new EventTarget();
  setMaxListeners(0, arrived);
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    arrived.dispatchEvent(new Event('frame'));
  });
  const closed = once(socket, 'close').then(([code]) => Number(code));
  await once(socket, 'open');
  return {
    frames,
    send: (frame) => socket.send(JSON.stringify(frame)),
    sendText: (text) => socket.send(text),
    async next({ op, t }) {
      for (;;) {
        const index = frames.findIndex(
          (frame, i) =>
            i >= taken && (op === undefined || frame.op === op) && (t === undefined || frame.t === t),
        );
        const frame = frames[index];
        if (frame !== undefined) {
          taken = index + 1;
          return frame;
        }
        await once(arrived, 'frame', { signal: AbortSignal.timeout(5_000) });
      }
    },
    closed,
    async close(code = 1000) {
      socket.close(code);
      await closed;
    },
  };
}

/** A connection that has identified, with no intents unless told. */
export async function identified(
  standIn: Pick<DiscordStandIn, 'cdnUrl'>,
  more: object = {},
): Promise<RawGateway> {
  const gateway = await openGateway(standIn);
  gateway.send({ op: 2, d: { ...IDENTIFY, ...more } });
  await gateway.next({ t: 'READY' });
  return gateway;
}

/** The two that address an answer: `/interactions/{id}/{token}/callback`. */
export async function nextInteraction(
  gateway: RawGateway,
): Promise<{ id: string; token: string; d: Frame['d'] }> {
  const { d } = await gateway.next({ t: 'INTERACTION_CREATE' });
  return { id: String(d.id), token: String(d.token), d };
}

/** A bot without a library: a stand-in with these commands, the bot's connection, and a member of its first guild. */
export async function rawBot(
  commands: readonly object[],
  options: Partial<StandInOptions> = {},
): Promise<{
  readonly standIn: DiscordStandIn;
  readonly gateway: RawGateway;
  readonly guild: Guild;
  readonly person: Person;
}> {
  const standIn = await startDiscord({ token: TOKEN, ...options });
  await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, { json: commands });
  const gateway = await identified(standIn);
  const [guild] = standIn.guilds;
  if (guild === undefined) throw new Error('no guild');
  return { standIn, gateway, guild, person: standIn.person({ guild, name: 'mason', permissions: 0n }) };
}

/** A command with a file. */
export const READ = {
  name: 'read',
  description: 'Reads a file',
  options: [{ type: 11, name: 'file', description: 'x' }],
};
