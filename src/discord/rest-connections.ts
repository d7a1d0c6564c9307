import { Agent } from 'undici';

/** How long idle connections stay open, so that a first response doesn't have to wait 50 ms for TLS (measured). */
const KEEP_ALIVE_MS = 5 * 60_000;
const CONNECT_MS = 2_500;
/** The maximum number of connections in each of the two pools, one for first responses and one for all other requests. */
const MOST_CONNECTIONS = 256;

const createAgent = (): Agent =>
  new Agent({
    connections: MOST_CONNECTIONS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_MS },
  });

/** Creates connections that stay open and can be replaced. */
export function createConnections() {
  let agent = createAgent();
  let draining: Promise<void> | undefined;
  return {
    agent: (): Agent => agent,
    /**
     * Replaces the connections for new requests. Current requests keep theirs. Does nothing while connections from the last
     * replacement are still in use. Otherwise, a burst of slow requests would open more and more connections.
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
