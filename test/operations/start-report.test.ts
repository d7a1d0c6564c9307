import { describe, expect, it, onTestFinished } from 'vitest';
import { startListing } from '../../sandbox/listing/stand-in.ts';
import { reach } from '../../src/operations/operations.ts';
import { openAppScene } from '../support/scene.ts';

type Options = Parameters<typeof openAppScene>[0];

async function ready(options: Options = {}) {
  const scene = await openAppScene(options);
  onTestFinished(() => scene.close());
  const entry = () => scene.log().find(({ msg }) => String(msg).startsWith('ready'));
  await expect.poll(entry).toBeDefined();
  return { scene, entry: entry() ?? {} };
}

describe('what a start says', () => {
  it('is the version, the service, the key, the guilds, the commands, the link, the store and what is off', async () => {
    const { scene, entry } = await ready();
    expect(entry).toMatchObject({
      level: 'info',
      msg: 'ready',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      listing: expect.stringMatching(`^${scene.listing.url} answers, after \\d+ ms$`),
      gamesKey: 'none of its own; the keys of the guilds are used',
      guilds: 2,
      commands: scene.discord.commands().length,
      invite: expect.stringContaining(`client_id=${scene.discord.applicationId}&`),
      public: expect.any(Boolean),
      store: expect.stringMatching(/^sqlite:.*bot\.sqlite$/),
      encryptionKey: 'in a file beside the store',
    });
    expect(entry.off).toContain('health and metrics (HTTP_PORT)');
    expect(scene.listing.requests).toEqual([]);
  });

  it('is what is on, and no secret', async () => {
    const key = 'the-operators-own-key-98765';
    const encryptionKey = Buffer.alloc(32, 7).toString('base64');
    const { scene, entry } = await ready({
      env: {
        LISTING_API_KEY: key,
        ENCRYPTION_KEY: encryptionKey,
        SUPPORT_URL: 'https://example.com/support',
        EXIT_WHEN_SILENT_SECONDS: '0',
      },
    });
    expect(entry).toMatchObject({ gamesKey: 'LISTING_API_KEY', encryptionKey: 'ENCRYPTION_KEY' });
    const off = String(entry.off);
    expect(off).toContain('EXIT_WHEN_SILENT_SECONDS');
    expect(off).not.toContain('SUPPORT_URL');
    for (const secret of [key, encryptionKey]) expect(JSON.stringify(scene.log())).not.toContain(secret);
  });

  it('is a warning when the service is not reached', async () => {
    const { entry } = await ready({ env: { LISTING_API_URL: 'http://127.0.0.1:9' } });
    expect(entry).toMatchObject({
      level: 'warn',
      msg: 'ready, but the listing service is not reached',
      listing: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 does not answer: \S+/),
    });
  });
});

describe('whether the service is reached', () => {
  it('is not when nothing comes in time, and nobody waits when the bot stops', async () => {
    const listing = await startListing();
    onTestFinished(() => listing.close());
    const never = new AbortController();
    const baseUrl = listing.url;
    expect(await reach({ baseUrl, timeoutMs: 5_000, signal: never.signal })).toMatchObject({
      isReached: true,
    });
    await listing.behave({ kind: 'resetBefore' }, 1);
    expect(await reach({ baseUrl, timeoutMs: 5_000, signal: never.signal })).toMatchObject({
      isReached: false,
    });
    const stopped = AbortSignal.abort();
    expect(await reach({ baseUrl, timeoutMs: 5_000, signal: stopped })).toMatchObject({ isReached: false });
  });
});
