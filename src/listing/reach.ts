import { createHttpAgent } from '../http-agent.ts';

/** Whether the service is there, and how long its first answer took, in milliseconds, with the connection. */
export type Reach =
  | { readonly isReached: true; readonly ms: number }
  /** `why` is the system's or undici's code of the error, such as `ECONNREFUSED`. */
  | { readonly isReached: false; readonly why: string };

/**
 * Asks whether anything answers where the listing service is to be. Any HTTP status will do: no key goes along, so the
 * question concerns no account, and counts for no limit of one. Never throws.
 * @param timeoutMs how long it may take, in milliseconds
 */
export async function reach(question: {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}): Promise<Reach> {
  const { baseUrl, timeoutMs, signal } = question;
  const { origin, pathname } = new URL(`${baseUrl}/api`);
  const agent = createHttpAgent({ connect: { timeout: timeoutMs } });
  const since = performance.now();
  try {
    const end = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { body } = await agent.request({ origin, path: pathname, method: 'GET', signal: end });
    body.on('error', () => undefined).destroy();
    return { isReached: true, ms: Math.round(performance.now() - since) };
  } catch (error) {
    const { code, name } = Object(error);
    return {
      isReached: false,
      why: name === 'TimeoutError' ? `no answer in ${timeoutMs} ms` : String(code ?? name),
    };
  } finally {
    await agent.destroy();
  }
}
