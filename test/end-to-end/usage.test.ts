import { afterEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.close());

const add = async (server: string, person = scene.member) =>
  textOf(await person.slash('addserver', { game: 'cs2', server }));
const ACCEPTED = 'Servers have been added for review.';

describe('the limits on use', () => {
  it('hold for each member, and then for the guild with all its members', async () => {
    scene = await openAppScene({ key: 'sandbox-key', env: { MEMBER_LIMIT: '2/600', GUILD_LIMIT: '3/1200' } });
    expect(await add('a.example.com:1')).toContain(ACCEPTED);
    // What is refused for another reason does not count.
    expect(await add('a.example.com:1')).toContain('Submit again');
    expect(await add('b.example.com:1')).toContain(ACCEPTED);
    expect(await add('c.example.com:1')).toMatch(
      /you have submitted as many game servers as one member may for now. You can go on in (9|10) minutes/,
    );
    expect(await add('c.example.com:1', scene.admin)).toContain(ACCEPTED);
    expect(await add('d.example.com:1', scene.admin)).toMatch(
      /from this Discord server as many game servers were submitted as may be for now.*in (19|20) minutes/,
    );
    expect(scene.listing.submitted.map(({ server }) => server)).toEqual([
      'a.example.com',
      'b.example.com',
      'c.example.com',
    ]);
  });

  it('end after their time', async () => {
    const clock = createTestClock();
    scene = await openAppScene({ key: 'sandbox-key', env: { MEMBER_LIMIT: '1/30' } });
    expect(await add('a.example.com:1')).toContain(ACCEPTED);
    expect(await add('b.example.com:1')).toContain('You can go on');
    clock.advance(31_000);
    expect(await add('b.example.com:1')).toContain(ACCEPTED);
  });
});

describe('a listing service that is down', () => {
  it('is left alone after five failures, and used again as soon as it is back', async () => {
    scene = await openAppScene({ key: 'sandbox-key', env: { LISTING_API_TIMEOUT_MS: '5000' } });
    await scene.listing.behave({ kind: 'status', status: 500 });
    for (const n of [1, 2, 3, 4, 5])
      expect(await add(`f${n}.example.com:1`)).toContain('may have been received');
    const before = scene.listing.requests.filter(({ action }) => action === 'add').length;
    expect(await add('g.example.com:1')).toContain('Not sent: the listing service is down at the moment.');
    expect(scene.listing.requests.filter(({ action }) => action === 'add')).toHaveLength(before);

    await scene.listing.behave({ kind: 'ok' });
    await expect.poll(() => scene.output(), { interval: 200 }).toContain('the listing service is back');
    expect(await add('g.example.com:1')).toContain(ACCEPTED);
  });

  it('is used again as soon as somebody has read the games', async () => {
    scene = await openAppScene({ key: 'sandbox-key', env: { LISTING_API_TIMEOUT_MS: '5000' } });
    await scene.listing.behave({ kind: 'status', status: 500 });
    for (const n of [1, 2, 3, 4, 5]) await add(`f${n}.example.com:1`);
    expect(await add('g.example.com:1')).toContain('is down at the moment');
    await scene.listing.behave({ kind: 'ok' });
    expect(textOf(await setKey(scene.admin, 'sandbox-key'))).toContain('works');
    expect(await add('g.example.com:1')).toContain(ACCEPTED);
  });
});
