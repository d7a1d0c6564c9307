import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { messageOf, openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

describe('/games', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openAppScene();
  });
  afterAll(() => scene.close());

  it('shows the twelve usual games, marked as such, before the service was ever asked', async () => {
    const said = textOf(await scene.member.slash('games'));
    expect(said).toContain('12 games');
    expect(said).toContain('own list has not been read yet');
    expect(scene.listing.requests).toEqual([]);
  });

  it('shows the service’s list in pages once a key is there, and how old it is', async () => {
    await setKey(scene.admin, 'sandbox-key');
    const answer = await scene.member.slash('games');
    const first = textOf(answer);
    expect(first).toContain('From the listing service, read');
    expect(first).toMatch(/Page 1 of \d/);

    const second = textOf(await scene.member.press(messageOf(answer), 'Next'));
    expect(second).toMatch(/Page 2 of \d/);
    expect(textOf(await scene.member.press(messageOf(answer), 'Previous'))).toMatch(/Page 1 of \d/);
  });

  it('finds games by a part of their name, and says so when there is none', async () => {
    const found = textOf(await scene.member.slash('games', { search: 'strike' }));
    expect(found).toMatch(/games match “strike”/);
    expect(found).toContain('Counter-Strike 2 — cs2');
    expect(textOf(await scene.member.slash('games', { search: '**nothing**' }))).toContain(
      'No game matches “**nothing**”',
    );
    const choices = await scene.member.complete('games', 'search', { search: 'mine' });
    expect(choices[0]).toMatchObject({ value: 'minecraft' });
  });

  it('has buttons and a list that survive a restart of the bot', async () => {
    const answer = await scene.member.slash('games', { search: 'a' });
    expect(textOf(answer)).toMatch(/Page 1 of \d/);
    const reads = scene.listing.requests.length;
    await scene.restart();
    const next = textOf(await scene.member.press(messageOf(answer), 'Next'));
    expect(next).toMatch(/match “a”/);
    expect(next).toMatch(/Page 2 of \d/);
    expect(scene.listing.requests).toHaveLength(reads);
  });

  it('answers in the member’s language', async () => {
    const said = textOf(await scene.person({ locale: 'de' }).slash('games'));
    expect(said).toContain('Vom Listendienst');
    expect(said).toContain('[ Weiter ]');
  });
});

describe('/games with the operator’s key', () => {
  it('has the service’s list from the start, and keeps an old one when it cannot be read again', async () => {
    const clock = createTestClock();
    const scene = await openAppScene({ env: { LISTING_API_KEY: 'sandbox-key', GAMES_TTL_SECONDS: '30' } });
    await expect
      .poll(async () => textOf(await scene.member.slash('games')))
      .toContain('From the listing service');
    await scene.listing.behave({ kind: 'down' });
    clock.advance(31_000);
    const said = textOf(await scene.member.slash('games'));
    expect(said).toContain('a newer list could not be read yet');
    expect(said).toMatch(/Page 1 of \d/);
    await scene.close();
  });
});
