import { Agent } from 'undici';

/**
 * Connections to Discord's REST API, to its files and to the listing service: HTTP/1.1, whatever the server offers.
 *
 * undici 8 takes HTTP/2 by default where TLS offers it, as Discord's CDN does. Then a response's headers carry a symbol
 * (`http2.sensitiveHeaders`), many requests share one connection, so that what becomes of one cannot be told from what
 * becomes of the connection, and one stall holds up all of them. Nothing here needs what HTTP/2 gives in return.
 * One protocol everywhere is also the one that the tests can try whole.
 */
export function createHttpAgent(options: Omit<Agent.Options, 'allowH2'>): Agent {
  return new Agent({ ...options, allowH2: false });
}
