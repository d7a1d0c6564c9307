import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
});
afterAll(() => scene.close());

const submit = (server: string) => scene.member.slash('addserver', { game: 'cs2', server });
const adds = (server: string) =>
  scene.listing.requests.filter(({ servers }) => servers.some((held) => held.server === server));

describe('an interaction', () => {
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
    // The answer may be here before the line of the log is.
    await expect.poll(() => scene.log().filter((line) => line.reference === reference).length).toBe(1);
    expect(adds('broken.example.com')).toHaveLength(0);
  });
});
