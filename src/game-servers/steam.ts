import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { createCache } from '../pacing/bounded-map.ts';

export interface SteamDeps {
  readonly steamApiUrl: string;
  readonly onLookup?: ((what: 'asked' | 'failed') => void) | undefined;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now?: () => number;
}

const PATH = '/ISteamApps/GetServersAtAddress/v1/';
/** A thousand game servers take about 200 KiB. */
const MAX_RESPONSE_BYTES = 256 * 1024;
const CACHED_MS = 10 * 60_000;
/** One request is added per second, or 86,400 a day; Steam's terms allow 100,000. */
const MAX_SAVED_REQUESTS = 60;
/** As long as `LOOKUP_TIMEOUT_MS` in server-lookup.ts, because a submission doesn't wait longer. */
const REQUEST_TIMEOUT_MS = 2_500;
const MAX_FAILURES = 3;
/**
 * The third consecutive failure causes the shortest pause, and each further failure doubles it. A 429 or 403 causes the
 * longest pause.
 */
const MIN_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 60 * 60_000;
const LIMITED: ReadonlySet<unknown> = new Set([403, 429]);

const portSchema = z.int().min(1).max(65_535);
const responseSchema = z.object({
  response: z.object({ servers: z.array(z.unknown()).max(1_000).default([]) }),
});
const serverSchema = z
  .object({
    addr: z
      .string()
      .transform((text) => Number(/:(\d{1,5})$/u.exec(text)?.[1]))
      .pipe(portSchema),
    gameport: portSchema,
    appid: z.int().min(1),
  })
  .transform(({ addr, gameport, appid }) => ({ queryPort: addr, gamePort: gameport, appId: appid }));

/** A game server in Steam's public list. Players connect to the game port, and the query port answers queries. */
export type SteamServer = z.infer<typeof serverSchema>;

/**
 * Creates a client for Steam's list of the game servers at an address (`ISteamApps/GetServersAtAddress`), which doesn't
 * need an API key. Responses are cached for ten minutes. After a 429, a 403 or three consecutive failures, the client
 * pauses and logs one warning.
 */
export function createSteam({ steamApiUrl, onLookup, logger, now = () => performance.now() }: SteamDeps) {
  const agent = new Agent({ connections: 4, maxResponseSize: MAX_RESPONSE_BYTES });
  let savedRequests = MAX_SAVED_REQUESTS;
  let savedAt = now();
  let failures = 0;
  let pausedUntil = 0;

  function takeRequest(): boolean {
    if (now() < pausedUntil) return false;
    savedRequests = Math.min(savedRequests + (now() - savedAt) / 1000, MAX_SAVED_REQUESTS);
    savedAt = now();
    if (savedRequests < 1) return false;
    savedRequests -= 1;
    return true;
  }

  function noteFailure(error: unknown): void {
    // Ignores requests that began before the pause, because they fail for the same reason.
    if (now() < pausedUntil) return;
    const isLimited = error instanceof Error && LIMITED.has(error.cause);
    failures = isLimited ? Number.POSITIVE_INFINITY : failures + 1;
    if (failures < MAX_FAILURES) return;
    const pauseMs = Math.min(MIN_PAUSE_MS * 2 ** (failures - MAX_FAILURES), MAX_PAUSE_MS);
    pausedUntil = now() + pauseMs;
    logger.warn(
      { err: error, pauseMs },
      'could not ask Steam for game servers; will pause the server lookup',
    );
  }

  async function ask(address: string): Promise<readonly SteamServer[]> {
    const { statusCode, body } = await request(`${steamApiUrl}${PATH}?addr=${address}`, {
      dispatcher: agent,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    });
    if (statusCode !== 200) {
      body.on('error', () => undefined).destroy();
      throw new Error(`Steam responded with status ${statusCode}`, { cause: statusCode });
    }
    const { response } = responseSchema.parse(await body.json());
    return response.servers.flatMap((each) => serverSchema.safeParse(each).data ?? []);
  }

  const remembered = createCache(async (address) => {
    if (!takeRequest()) throw new Error('Steam is paused or over its budget');
    onLookup?.('asked');
    try {
      const servers = await ask(address);
      failures = 0;
      return servers;
    } catch (error) {
      onLookup?.('failed');
      noteFailure(error);
      throw error;
    }
  }, CACHED_MS);

  return {
    /** Returns the game servers at a public IPv4 address, or an empty list if Steam can't be queried now. Never throws. */
    serversAt: (address: string): Promise<readonly SteamServer[]> => remembered.get(address).catch(() => []),
    /** Queries Steam even during a pause, and bypasses the cache. @throws Error if Steam doesn't respond as expected */
    ask,
    close: (): Promise<void> => agent.destroy(),
  };
}
