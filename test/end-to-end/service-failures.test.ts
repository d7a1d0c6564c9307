import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mode } from '../../src/sandbox/listing/modes.ts';
import { openScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ key: 'sandbox-key', env: { LISTING_API_TIMEOUT_MS: '1500' } });
});
afterAll(() => scene.close());

const NOT_SENT = /Nothing was sent, so you can safely try again later/;
const UNKNOWN = /may have been received: check the list before you submit it again/;

/** What the service does → what the member reads, and how many submissions arrived at the service. */
const CASES: readonly (readonly [string, Mode, RegExp, number])[] = [
  ['refuses connections', { kind: 'down' }, NOT_SENT, 0],
  ['resets the connection after the request', { kind: 'reset' }, UNKNOWN, 1],
  ['never answers', { kind: 'hang' }, UNKNOWN, 1],
  ['sends headers and then nothing', { kind: 'headersThenSilence' }, UNKNOWN, 1],
  ['sends a byte a second', { kind: 'trickle' }, UNKNOWN, 1],
  ['answers with a web page', { kind: 'html' }, UNKNOWN, 1],
  ['answers with nothing', { kind: 'empty' }, UNKNOWN, 1],
  ['answers with half of it', { kind: 'truncated' }, UNKNOWN, 1],
  ['answers with wrong types', { kind: 'wrongTypes' }, UNKNOWN, 1],
  ['answers without end', { kind: 'huge' }, UNKNOWN, 1],
  ['answers compressed', { kind: 'gzipBomb' }, UNKNOWN, 1],
  ['has moved', { kind: 'redirect', status: 307, to: 'https://elsewhere.example/api' }, /has moved/, 1],
  ['is overloaded', { kind: 'status', status: 503 }, UNKNOWN, 1],
];

describe('/addserver when the listing service', () => {
  it.each(CASES)('%s', async (what, mode, sentence, arrived) => {
    const host = `${what.replaceAll(' ', '-')}.example.com`;
    const before = scene.listing.requests.length;
    await scene.listing.behave(mode);
    const said = textOf(await scene.member.slash('addserver', { game: 'cs2', server: `${host}:27015` }));
    await scene.listing.behave({ kind: 'ok' });
    expect(said).toMatch(sentence);
    expect(said).toContain(`Counter-Strike 2 — ${host}:27015`);
    expect(said).not.toMatch(/<html|undefined|\[object|ECONN|Error:/i);
    expect(scene.listing.requests.slice(before).filter(({ action }) => action === 'add')).toHaveLength(
      arrived,
    );
    // The next command works.
    expect(
      textOf(await scene.member.slash('addserver', { game: 'cs2', server: `next.${host}:1` })),
    ).toContain('Servers have been added for review.');
  });

  it('answers a little late', async () => {
    await scene.listing.behave({ kind: 'slow', ms: 700 }, 1);
    const said = textOf(await scene.member.slash('addserver', { game: 'cs2', server: 'late.example.com:1' }));
    expect(said).toContain('Servers have been added for review.');
  });

  it('tells the operator, not the member, where the service moved', async () => {
    await scene.listing.behave({ kind: 'redirect', status: 301, to: 'https://moved.example/api' }, 1);
    const said = textOf(
      await scene.member.slash('addserver', { game: 'cs2', server: 'moved.example.com:1' }),
    );
    expect(said).not.toContain('moved.example/api');
    expect(scene.output()).toContain('https://moved.example/api');
  });
});
