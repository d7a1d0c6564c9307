import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ key: 'sandbox-key' });
});
afterAll(() => scene.close({ breaches: [25, 26] }));

const submit = (server: string) => scene.member.slash('addserver', { game: 'cs2', server });
const adds = (server: string) =>
  scene.listing.requests.filter(({ servers }) => servers.some((held) => held.server === server));
const lostLines = () => scene.log().filter(({ msg }) => String(msg).startsWith('interaction lost'));

describe('an interaction', () => {
  it('that is delivered twice is acted on once: the second one is lost, in one line of the log', async () => {
    const before = lostLines().length;
    scene.discord.gateway.disturbDispatch({ copies: 2 });
    expect(textOf(await submit('twice.example.com:1'))).toContain('Servers have been added for review.');
    scene.discord.gateway.disturbDispatch({});
    await expect.poll(() => lostLines().length).toBe(before + 1);
    expect(adds('twice.example.com')).toHaveLength(1);
  });

  it('that arrives too late is lost: one line in the log, nothing sent, and the bot goes on', async () => {
    const before = lostLines().length;
    scene.discord.gateway.disturbDispatch({ delayMs: 3300 });
    expect(await submit('late.example.com:1')).toEqual({ kind: 'lost' });
    scene.discord.gateway.disturbDispatch({});
    await expect.poll(() => lostLines().length).toBe(before + 1);
    expect(adds('late.example.com')).toHaveLength(0);
    expect(textOf(await submit('after.example.com:1'))).toContain('Servers have been added for review.');
  });

  it('that fails unexpectedly says so with a reference that is in the log too', async () => {
    // Another process holds the database for longer than the bot waits for it.
    const database = new DatabaseSync(join(scene.data, 'bot.sqlite'), { timeout: 5_000 });
    database.exec('BEGIN EXCLUSIVE');
    database.exec('DROP TABLE IF EXISTS keyv');
    database.exec('COMMIT');
    const said = textOf(await submit('broken.example.com:1'));
    database.close();
    expect(said).toContain('could not reach its own storage');
    const reference = /Reference for the bot's operator: (\w+)/.exec(said)?.[1];
    expect(reference).toBeDefined();
    expect(scene.log().filter((line) => line.reference === reference)).toHaveLength(1);
    expect(adds('broken.example.com')).toHaveLength(0);
  });
});
