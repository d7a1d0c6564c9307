import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createLoopbackServer } from '../loopback-server.ts';
import { ROLES, type Role } from '../people.ts';
import type { Sandbox } from '../sandbox.ts';
import { createActs } from './acts.ts';
import { findFile, pageFile } from './files.ts';
import { createPlayer, type ScenarioView } from './player.ts';
import type { Act, SeatView } from './protocol.ts';
import { createStage, setKey } from './steps.ts';
import type { Texts } from './texts.ts';
import { createTrace, type TraceEntry } from './trace.ts';
import { createViews, type View, type Views } from './view.ts';

/** The sandbox's web page. */
export interface Page {
  /** The page's URL: `http://127.0.0.1:PORT/?token=…`. Without the token, the page can't perform actions. */
  readonly address: string;
  close(): Promise<void>;
}

interface PageOptions {
  readonly sandbox: Sandbox;
  /** The port to listen on. The default is 0, which picks a free port. */
  readonly port?: number;
  /** Called with each step's caption; the step waits for the returned promise or, by default, for *Next*. */
  readonly read?: (caption: Texts) => Promise<unknown>;
}

/** Enough for a 10 MiB file in base64, plus the rest of the request. */
const LARGEST_BODY = 15 * 1024 * 1024;
/**
 * How long to collect updates before sending them, in milliseconds. Without a pause, the page would re-render for every
 * message while a list is being submitted.
 */
const TOGETHER_MS = 30;

/** A browser tab that shows the page. */
interface Tab {
  readonly seat: SeatView;
  send(event: 'view' | 'trace', data: View | readonly TraceEntry[]): void;
}

/** Serves the page on 127.0.0.1 to users who have the token. The page doesn't load anything from other servers. */
export async function servePage({ sandbox, port = 0, read }: PageOptions): Promise<Page> {
  const token = randomBytes(18).toString('base64url');
  const views = createViews(sandbox);
  const player = createPlayer({ sandbox, read, onChange: () => tabs.soon() });
  const tabs = createTabs({ sandbox, views, scenario: () => player.current });
  const acts = createActs({ sandbox, views, player });
  let firstKey: Promise<void> | undefined;

  const loopback = createLoopbackServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const listening = await loopback.listen(port);
  const hosts = [`127.0.0.1:${listening}`, `localhost:${listening}`];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://${hosts[0]}`);
    const rejection = rejectionOf(request, { url, hosts, token });
    if (rejection !== undefined) return end(response, rejection.status, 'text/plain', rejection.why);
    if (url.pathname === '/events') return tabs.open(response, seatFrom(url.searchParams));
    if (url.pathname === '/act') return act(request, response);
    if (url.pathname === '/') {
      const { body, type, mapHash } = pageFile(seatFrom(url.searchParams).locale);
      response.setHeader('content-security-policy', policy(mapHash));
      return end(response, 200, type, body);
    }
    const file = await findFile(url.pathname);
    if (file === undefined) return end(response, 404, 'text/plain', 'Not found.');
    end(response, 200, file.type, file.body);
  }

  /** Sets the first Discord server's key before the user's first action, so that the bot is ready to use. */
  async function setFirstKey(): Promise<void> {
    const [guild] = sandbox.discord.everyGuild;
    if (sandbox.botState !== 'ready' || guild === undefined) return;
    // If the user has already made the service or Discord fail, the key isn't set.
    firstKey ??= setKey(createStage({ sandbox, guild, locale: 'en-US' })).catch(() => undefined);
    await firstKey;
  }

  async function act(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY)
      return end(response, 413, 'text/plain', 'The request is too large.');
    const { seat, ...what } = JSON.parse(await text(request)) as Act & { readonly seat: SeatView };
    try {
      await setFirstKey();
      const outcome = await acts.run(what as Act, seatFrom(new URLSearchParams({ ...seat })));
      end(response, 200, 'application/json', JSON.stringify(outcome));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      end(response, 200, 'application/json', JSON.stringify({ kind: 'rejected', why }));
    } finally {
      tabs.soon();
    }
  }

  return {
    address: `http://127.0.0.1:${listening}/?token=${token}`,
    async close() {
      tabs.close();
      await loopback.close();
    },
  };
}

/** Keeps track of all open tabs, and sends each one an update when its user's view changes. */
function createTabs(deps: {
  readonly sandbox: Sandbox;
  readonly views: Views;
  readonly scenario: () => ScenarioView | undefined;
}) {
  const { sandbox, views, scenario } = deps;
  const tabs = new Set<Tab>();
  const trace = createTrace();
  let pending: NodeJS.Timeout | undefined;

  function soon(): void {
    pending ??= setTimeout(() => {
      pending = undefined;
      for (const tab of tabs) tab.send('view', views.of(tab.seat, scenario()));
    }, TOGETHER_MS);
  }

  const stopWatching = sandbox.watch((event) => {
    const entry = trace.take(event);
    if (entry !== undefined) for (const tab of tabs) tab.send('trace', [entry]);
    if (views.take(event)) soon();
  });

  return {
    soon,
    open(response: ServerResponse, seat: SeatView): void {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      const tab: Tab = {
        seat,
        send: (event, data) => void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      };
      tabs.add(tab);
      response.once('close', () => tabs.delete(tab));
      tab.send('trace', trace.entries());
      tab.send('view', views.of(seat, scenario()));
    },
    close(): void {
      stopWatching();
      clearTimeout(pending);
    },
  };
}

/**
 * Returns the reason to reject a request, if there is one:
 * - its `Host` is another name, which might resolve to this address
 * - its `Origin` is another website
 * - its method isn't allowed
 * - it doesn't have the token, because it comes from another program or another user of this machine
 */
function rejectionOf(
  { headers, method }: IncomingMessage,
  about: { readonly url: URL; readonly hosts: readonly string[]; readonly token: string },
): { readonly status: number; readonly why: string } | undefined {
  const { url, hosts, token } = about;
  const { host = '', origin } = headers;
  if (!hosts.includes(host)) return { status: 403, why: 'The sandbox doesn’t have this host name.' };
  if (origin !== undefined && !hosts.includes(origin.replace(/^http:\/\//, '')))
    return { status: 403, why: 'Requests from other pages aren’t allowed.' };
  if (method !== (url.pathname === '/act' ? 'POST' : 'GET'))
    return { status: 405, why: 'This method isn’t allowed here.' };
  const isOpen = /^\/(client|modules|avatars|lists)\//.test(url.pathname);
  const given = url.searchParams.get('token') ?? String(headers['x-token']);
  if (isOpen || isSame(token, given)) return undefined;
  return { status: 403, why: 'The token is missing. Open the URL that npm run sandbox printed.' };
}

const digest = (secret: string) => createHash('sha256').update(secret).digest();
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** Allows a single inline script: the import map. */
const policy = (mapHash: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${mapHash}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

function end(response: ServerResponse, status: number, type: string, body: Buffer | string): void {
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.writeHead(status, { 'content-type': type }).end(body);
}

/** Reads the seat from the query parameters. The default is an admin of the first guild, in English. */
function seatFrom(about: URLSearchParams): SeatView {
  const role = about.get('role') ?? '';
  const locale = about.get('locale') ?? '';
  return {
    role: Object.hasOwn(ROLES, role) ? (role as Role) : 'admin',
    guild: about.get('guild') ?? '',
    channel: about.get('channel') ?? '',
    locale: /^[a-z]{2}(-[A-Z0-9]{2,3})?$/.test(locale) ? locale : 'en-US',
  };
}
