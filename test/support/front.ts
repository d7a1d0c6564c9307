import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLoopbackServer } from '../../sandbox/loopback-server.ts';

/** An answer that the front gives in place of what stands behind it. */
export interface Canned {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Discord's block by address: a static answer of its edge, without any header of a rate limit (discord-api-docs#5810). */
export const BLOCKED: Canned = {
  status: 429,
  headers: { 'content-type': 'text/plain; charset=UTF-8' },
  body: 'error code: 1015',
};

/** 429 with a time, as Discord's own limits are. */
export const limited = (seconds: number): Canned => ({
  status: 429,
  headers: {
    'content-type': 'application/json',
    'retry-after': String(seconds),
    'x-ratelimit-scope': 'user',
    via: '1.1 google',
  },
  body: JSON.stringify({ message: 'You are being rate limited.', retry_after: seconds, global: false }),
});

/** An answer in JSON; a refusal of Discord's has a code (Discord docs: JSON Error Codes). */
export const json = (status: number, body: unknown): Canned => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const NO_CONTENT: Canned = { status: 204, body: '' };

/** What the front answers itself; `silence`: nothing; `cut`: the connection ends. */
export type FrontAnswer = Canned | 'silence' | 'cut';

/** A Discord that answers a request as a test of one part says. It counts. */
export interface Front {
  /** For `DISCORD_API_URL`. */
  readonly url: string;
  /** `METHOD /path` of each request, without the version of the API. */
  readonly requests: readonly string[];
  /** What was sent with each request that the front itself has answered. */
  readonly bodies: readonly string[];
  answer: (request: string) => FrontAnswer;
  /** How many are open. */
  connections(): number;
  /** From now on no connection that is open answers; new ones do. */
  silenceConnections(): void;
  close(): Promise<void>;
}

export async function openFront(): Promise<Front> {
  const silent = new WeakSet<Socket>();
  const requests: string[] = [];
  const bodies: string[] = [];
  const server = createLoopbackServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy());
  });
  const port = await server.listen(0);
  const front: Front = {
    url: `http://127.0.0.1:${port}/api`,
    requests,
    bodies,
    answer: () => NO_CONTENT,
    connections: () => [...server.sockets()].length,
    silenceConnections() {
      for (const socket of server.sockets()) silent.add(socket);
    },
    close: () => server.close(),
  };
  return front;

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '' } = incoming;
    const name = `${method} ${url.replace(/^\/api\/v\d+/, '').replace(/\?.*/, '')}`;
    requests.push(name);
    if (silent.has(incoming.socket)) return;
    const canned = front.answer(name);
    if (canned === 'silence') return;
    if (canned === 'cut') {
      incoming.socket.destroy();
      return;
    }
    bodies.push(await text(incoming));
    response.writeHead(canned.status, canned.headers).end(canned.body);
  }
}
