import { MessageFlags } from 'discord.js';
import { request } from 'undici';
import { codeOf } from '../error-code.ts';
import type { Secret } from '../secret.ts';
import { VERSION } from '../version.ts';

/** How long an address of the operator may take to answer, in milliseconds. */
const ANSWER_MS = 10_000;
/** More of an answer is not read, in bytes. */
const MOST_READ = 65_536;

/** The reason why an address of the operator could not be used, without the address and the response, which may be secret. */
export class OperatorUrlError extends Error {
  override readonly name = 'OperatorUrlError';
}

/** Posts a text to the operator's webhook. @throws OperatorUrlError */
export async function postToWebhook(webhook: Secret, content: string): Promise<void> {
  const body = JSON.stringify({
    content,
    allowed_mentions: { parse: [] },
    flags: MessageFlags.SuppressEmbeds,
  });
  await ask(webhook, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
}

/** Reads the address, which for a webhook of Discord posts nothing. @throws OperatorUrlError */
export const readOperatorUrl = (url: Secret): Promise<void> => ask(url, { method: 'GET' });

/** Makes a request, and follows nothing. */
async function ask(
  url: Secret,
  options: { method: 'GET' | 'POST'; body?: string; headers?: Readonly<Record<string, string>> },
): Promise<void> {
  // Discord asks every client for this form (Discord docs: Reference, "User Agent").
  const headers = { ...options.headers, 'user-agent': `DiscordBot (server-listing-bot, ${VERSION})` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  let status: number;
  try {
    const response = await request(url.reveal(), { ...options, headers, signal });
    status = response.statusCode;
    await response.body.dump({ limit: MOST_READ });
  } catch (error) {
    throw new OperatorUrlError(signal.aborted ? 'no answer in 10 seconds' : codeOf(error) || 'it failed');
  }
  if (status < 200 || status >= 300) throw new OperatorUrlError(`HTTP ${status}`);
}
