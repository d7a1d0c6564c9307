import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCEPTED, addServer, press } from '../support/actions.ts';
import { chooseLogChannel, logLines } from '../support/guild-log.ts';
import { labelsOf } from '../support/lists.ts';
import { inNewGuild, openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

const KEY = 'key-of-the-removal-tests-wxyz';

/** One bot for all tests, and a guild of its own for each. */
let bot: Scene;
let scene: Scene;
let admin: Scene['admin'];
beforeAll(async () => {
  bot = await openAppScene({ listing: { keys: [KEY, 'the-new-key-9876'] } });
});
beforeEach(async () => {
  scene = await inNewGuild(bot, { key: KEY });
  admin = scene.admin;
});
afterAll(() => bot.close());

const submit = async () =>
  textOf(await addServer(scene.member, `s${bot.listing.requests.length}.example.com:1`));

/** The key of the guild as it is encrypted in the store. */
async function sealedKey(): Promise<string> {
  const [row] = await bot.store.rows('SELECT value FROM keyv WHERE key = ?', `api-key:${admin.guildId}`);
  const data = /"data":"([^"]+)"/.exec(String(row?.value))?.[1];
  assert(data, 'no key is stored');
  return data;
}

describe('/removekey', () => {
  it('asks once, and after a restart the key is gone from every byte of the database and its log', async () => {
    await chooseLogChannel(scene);
    const sealed = await sealedKey();
    expect(await bot.store.content()).toContain(sealed);
    const question = await admin.slash('removekey');
    expect(textOf(question)).toContain('Remove the API key …wxyz?');
    expect(await submit()).toContain(ACCEPTED);

    await bot.restart();
    const said = textOf(await press(admin, question, 'Remove the key'));
    expect(said).toContain('Deleted.');
    expect(labelsOf(question)).toEqual([]);
    expect(await submit()).toContain('no API key');
    await expect.poll(() => logLines(scene).join('\n')).toContain('removed the API key.');

    await bot.restart();
    const bytes = await bot.store.content();
    expect(bytes).not.toContain(`api-key:${admin.guildId}`);
    expect(bytes).not.toContain(sealed);
    expect(textOf(await admin.slash('removekey'))).toContain('no API key');
  });

  it('leaves the key alone with Cancel, and the message loses its buttons', async () => {
    const question = await admin.slash('removekey');
    expect(textOf(await press(admin, question, 'Cancel'))).toContain('Nothing was changed.');
    expect(labelsOf(question)).toEqual([]);
    expect(await submit()).toContain(ACCEPTED);
  });

  it('does not remove a key that was set after the question', async () => {
    const question = await admin.slash('removekey');
    await setKey(admin, 'the-new-key-9876');
    await press(admin, question, 'Remove the key');
    expect(textOf(question)).toContain('The API key was changed meanwhile');
    expect(labelsOf(question)).toEqual([]);
    expect(await submit()).toContain(ACCEPTED);
  });
});
