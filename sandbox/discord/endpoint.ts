import { generateKeyPairSync, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { World } from './world/world.ts';

export interface Change {
  /** Sends the request to this URL instead of the saved one. */
  readonly url?: string;
  /** The number of seconds to add to the signed timestamp. */
  readonly timeOff?: number;
  /** Replaces the body after signing. */
  readonly sent?: string;
  /** Replaces these headers; `''` removes a header. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface PostResult {
  readonly status: number;
  readonly body: string;
}

const REACHABLE_EVERY_MS = 20;
const PING = JSON.stringify({ type: 1, version: 1 });

export type Endpoint = ReturnType<typeof createEndpoint>;

/** Posts interactions to the bot's Interactions Endpoint URL (Discord docs: Interactions, Receiving and Responding). */
export function createEndpoint(deps: {
  readonly world: World;
  readonly answerWithinMs: number;
  readonly url: string | undefined;
  /** Called after each interaction is posted. The status is 0 if the bot didn't respond in time. */
  readonly onPosted: (path: string, body: string, status: number) => void;
}) {
  const { world, answerWithinMs, onPosted } = deps;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  let url = deps.url;
  let isOver = false;

  /** Returns the headers that sign a body. */
  function signatureOf(body: string, timeOff = 0) {
    const timestamp = String(Math.floor(Date.now() / 1000) + timeOff);
    const signature = sign(null, Buffer.from(timestamp + body), privateKey).toString('hex');
    return { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp };
  }

  async function send(body: string, change: Change = {}): Promise<PostResult> {
    const { timeOff, sent = body } = change;
    const target = change.url ?? url;
    if (target === undefined) throw new Error('there is no Interactions Endpoint URL');
    const answer = await request(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Discord-Interactions/1.0 (+https://discord.com)',
        ...signatureOf(body, timeOff),
        ...change.headers,
      },
      body: sent,
      signal: AbortSignal.timeout(answerWithinMs),
    });
    return { status: answer.statusCode, body: await answer.body.text() };
  }

  /** Returns what is wrong with a URL, or `undefined` if Discord would accept it. */
  async function flawOf(tried: string): Promise<string | undefined> {
    const pong = await send(PING, { url: tried });
    if (pong.status !== 200 || Object(JSON.parse(pong.body)).type !== 1) return 'it does not respond to PING';
    const forged: readonly (readonly [what: string, change: Change])[] = [
      ['a wrong signature', { headers: { 'x-signature-ed25519': 'ab'.repeat(64) } }],
      ['a body that was not signed', { sent: `${PING} ` }],
    ];
    for (const [what, change] of forged) {
      const { status } = await send(PING, { ...change, url: tried });
      if (status !== 401) return `it responds to ${what} with ${status} instead of 401`;
    }
    return undefined;
  }

  /** @returns the reason why Discord would reject the URL */
  const tryUrl = (tried: string) =>
    flawOf(tried).catch((error: unknown) => `it cannot be reached: ${Object(error).message}`);

  async function deliver(payload: object, target: string): Promise<void> {
    const body = JSON.stringify(payload);
    const answer = await send(body, { url: target }).catch(() => ({ status: 0, body: '' }));
    onPosted(new URL(target).pathname, body, answer.status);
    if (answer.status === 202 && answer.body === '') return;
    const interaction = world.interactions.get(Object(payload).id);
    if (interaction !== undefined && interaction.acknowledged === undefined) {
      world.interactions.acknowledge(interaction, { type: 'lost' });
    }
  }

  return {
    /** The application's public key as 64 hexadecimal digits. The bot verifies requests with this key. */
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex'),
    /** The URL in the Developer Portal. If it is set, interactions are sent to it instead of the gateway. */
    url: () => url,
    /**
     * Tests a URL, then saves it, like the Developer Portal; `undefined` removes the URL.
     * @throws Error if the test fails; for example, because the bot accepts unsigned requests
     */
    async save(next: string | undefined): Promise<void> {
      const flaw = next === undefined ? undefined : await tryUrl(next);
      if (flaw !== undefined) {
        throw new Error(`The specified interactions endpoint url could not be verified: ${flaw}`);
      }
      url = next;
    },
    /** Resolves once the server at the URL responds correctly. */
    async reachable(): Promise<void> {
      while (!isOver && url !== undefined && (await tryUrl(url)) !== undefined) {
        await sleep(REACHABLE_EVERY_MS);
      }
    },
    /** Sends an interaction. If the bot doesn't respond with 202 in time, the interaction is lost. */
    post(payload: object): void {
      if (!isOver && url !== undefined) void deliver(payload, url);
    },
    /** Sends any POST request, signed as Discord would sign it, with the given changes. */
    send,
    signatureOf,
    stop(): void {
      isOver = true;
    },
  };
}
