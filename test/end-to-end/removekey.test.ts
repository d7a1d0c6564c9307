import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inNewGuild, openAppScene, type Scene, setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, chooseLogChannel, labelsOf, logLines } from '../support/people.ts';

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

describe('/removekey', () => {
  it('asks once, after a restart too, and the log channel is told', async () => {
    await chooseLogChannel(scene);
    const question = await admin.slash('removekey');
    expect(textOf(question)).toContain('Remove the API key …wxyz?');
    expect(await submit()).toContain(ACCEPTED);

    await bot.restart();
    const said = textOf(await admin.press(question, 'Remove the key'));
    expect(said).toContain('Deleted.');
    expect(labelsOf(question)).toEqual([]);
    expect(await submit()).toContain('no API key');
    await expect.poll(() => logLines(scene).join('\n')).toContain('removed the API key.');
    expect(textOf(await admin.slash('removekey'))).toContain('no API key');
  });

  it('leaves the key alone with Cancel, and the message loses its buttons', async () => {
    const question = await admin.slash('removekey');
    expect(textOf(await admin.press(question, 'Cancel'))).toContain('Nothing was changed.');
    expect(labelsOf(question)).toEqual([]);
    expect(await submit()).toContain(ACCEPTED);
  });

  it('does not remove a key that was set after the question', async () => {
    const question = await admin.slash('removekey');
    await setKey(admin, 'the-new-key-9876');
    await admin.press(question, 'Remove the key');
    expect(textOf(question)).toContain('The API key was changed in the meantime');
    expect(labelsOf(question)).toEqual([]);
    expect(await submit()).toContain(ACCEPTED);
  });
});
