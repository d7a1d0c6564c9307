import { MessageFlags } from 'discord.js';
import { request } from 'undici';
import { codeOf } from '../text/error-code.ts';
import { parsedJson } from '../text/json.ts';
import { cut } from '../text/one-line.ts';
import type { Secret } from '../text/secret.ts';
import { VERSION } from '../version.ts';

const RESPONSE_TIMEOUT_MS = 10_000;
/** The rest of a longer response isn't read. */
const MAX_RESPONSE_LENGTH = 65_536;

/** Discord docs: Execute Webhook. */
const MAX_THREAD_NAME_LENGTH = 100;
/** Discord's error code for a webhook of a forum channel without a thread (Discord docs: JSON Error Codes). */
const THREAD_MISSING = 220_001;

/** Discord no longer accepts the webhook. Using it again could get the bot blocked (Discord docs: Rate Limits). */
export class WebhookRejectedError extends Error {}

/**
 * Posts text to the operator's webhook. In a forum channel, creates a post named after the first line.
 * @throws WebhookRejectedError if Discord doesn't accept the webhook, or the same errors as {@link ask}
 */
export async function postToWebhook(webhook: Secret, content: string): Promise<void> {
  const url = new URL(webhook.reveal());
  // Without this, Discord doesn't report a message that wasn't saved (Discord docs: Execute Webhook).
  url.searchParams.set('wait', 'true');
  const message = { content, allowed_mentions: { parse: [] }, flags: MessageFlags.SuppressEmbeds };
  const post = (body: object) =>
    ask(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  let response = await post(message);
  if (response.status === 400 && response.body.code === THREAD_MISSING) {
    const [name = ''] = content.split('\n');
    response = await post({ ...message, thread_name: cut(name, MAX_THREAD_NAME_LENGTH) });
  }
  const { status, body } = response;
  if ([401, 403, 404].includes(status)) throw new WebhookRejectedError(`HTTP ${status}`);
  demandSuccess(status);
  if (typeof body.id !== 'string') throw new Error('the response is not a message');
}

/**
 * Requests the URL. If it's a Discord webhook, this doesn't post anything.
 * @throws Error if the status isn't 2xx, or the same errors as {@link ask}
 */
export async function readOperatorUrl(url: Secret): Promise<void> {
  const { status } = await ask(url.reveal(), { method: 'GET' });
  demandSuccess(status);
}

function demandSuccess(status: number): void {
  if (status < 200 || status >= 300) throw new Error(`HTTP ${status}`);
}

/**
 * Makes a request without following redirects.
 * @returns the status, and the response's body; {} if it isn't JSON
 * @throws Error that contains neither the URL nor the response, because they may be secret
 */
async function ask(
  url: string | URL,
  options: { method: 'GET' | 'POST'; body?: string; headers?: Readonly<Record<string, string>> },
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  // Discord requires this user agent format from all clients (Discord docs: Reference, "User Agent").
  const headers = { ...options.headers, 'user-agent': `DiscordBot (server-listing-bot, ${VERSION})` };
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
  try {
    const response = await request(url, { ...options, headers, signal });
    let text = '';
    for await (const chunk of response.body.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_RESPONSE_LENGTH) break;
    }
    return { status: response.statusCode, body: Object(parsedJson(text)) };
  } catch (error) {
    throw new Error(signal.aborted ? 'no response within 10 seconds' : codeOf(error) || 'the request failed');
  }
}
