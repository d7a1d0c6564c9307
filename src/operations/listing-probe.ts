import { buildConnector } from 'undici';
import type { Logger } from '../logger.ts';
import { reason } from '../storage/store-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Logs a warning if the listing service can't be reached. Only opens a connection: without a key, a request would count as
 * an attempt with a wrong key. Never throws.
 */
export async function probeListing(url: string, logger: Pick<Logger, 'warn'>): Promise<void> {
  try {
    await connect(new URL(url));
  } catch (error) {
    logger.warn(
      { address: url, reason: reason(error) },
      'could not reach the listing service; will try again when a member needs it. Check LISTING_API_URL',
    );
  }
}

function connect({ protocol, hostname, port }: URL): Promise<void> {
  const open = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  // A URL encloses IPv6 addresses in brackets.
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    open({ hostname: host, host, protocol, port }, (error, socket) => {
      socket?.destroy();
      if (error) reject(error);
      else resolve();
    });
  });
}
