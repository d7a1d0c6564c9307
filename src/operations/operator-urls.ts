import { MessageFlags } from 'discord.js';
import { request } from 'undici';
import { codeOf } from '../error-code.ts';
import type { Secret } from '../secret.ts';
import { VERSION } from '../version.ts';

/** Time limit for a response from an operator's URL, in milliseconds. */
const ANSWER_MS = 10_000;
/** Maximum number of bytes to read from a response. */
const MOST_READ = 65_536;

/** Posts text to the operator's webhook. @throws the same errors as {@link ask} */
export async function postToWebhook(webhook: Secret, content: string): Promise<void> {
  const body = JSON.stringify({
    content,
    allowed_mentions: { parse: [] },
    flags: MessageFlags.SuppressEmbeds,
  });
  await ask(webhook, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
}

/** Requests the URL. If it's a Discord webhook, this doesn't post anything. @throws the same errors as {@link ask} */
export const readOperatorUrl = (url: Secret): Promise<void> => ask(url, { method: 'GET' });

/**
 * Makes a request without following redirects.
 * @throws Error that contains neither the URL nor the response, because they may be secret
 */
async function ask(
  url: Secret,
  options: { method: 'GET' | 'POST'; body?: string; headers?: Readonly<Record<string, string>> },
): Promise<void> {
  // Discord requires this user agent format from all clients (Discord docs: Reference, "User Agent").
  const headers = { ...options.headers, 'user-agent': `DiscordBot (server-listing-bot, ${VERSION})` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  let status: number;
  try {
    const response = await request(url.reveal(), { ...options, headers, signal });
    status = response.statusCode;
    await response.body.dump({ limit: MOST_READ });
  } catch (error) {
    throw new Error(signal.aborted ? 'no response within 10 seconds' : codeOf(error) || 'the request failed');
  }
  if (status < 200 || status >= 300) throw new Error(`HTTP ${status}`);
}
