import { describe, expect } from 'vitest';
import { botTest, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, chooseLogChannel, labelsOf, logLines } from '../support/people.ts';

const KEY = 'key-of-the-removal-tests-wxyz';

const it = botTest({ key: KEY });

const addOne = async ({ member, listing }: TestGuild) =>
  textOf(await addServer(member, `s${listing.requests.length}.example.com:1`));

describe('/removekey', () => {
  it('removes the API key after confirmation', async ({ guild, admin }) => {
    await chooseLogChannel(guild);
    const question = await admin.slash('removekey');
    expect(textOf(question)).toContain('Remove the API key …wxyz?');
    expect(await addOne(guild)).toContain(ACCEPTED);
    const said = textOf(await admin.press(question, 'Remove key'));
    expect(said).toContain('✅ API key removed. Nobody can submit game servers until a new one is set.');
    expect(labelsOf(question)).toEqual(['Enter an API key']);
    expect(await addOne(guild)).toContain('no API key');
    await expect.poll(() => logLines(guild).join('\n')).toContain('removed the API key.');
    expect(textOf(await admin.slash('removekey'))).toContain('no API key');
  });

  it('keeps the key if the admin presses Cancel', async ({ guild, admin }) => {
    const question = await admin.slash('removekey');
    expect(textOf(await admin.press(question, 'Cancel'))).toContain('Nothing was changed.');
    expect(labelsOf(question)).toEqual([]);
    expect(await addOne(guild)).toContain(ACCEPTED);
  });

  it("doesn't remove a key that was set after the confirmation appeared", async ({
    guild,
    admin,
    listing,
  }) => {
    const question = await admin.slash('removekey');
    listing.allow('the-new-key-9876');
    await setKey(admin, 'the-new-key-9876');
    await admin.press(question, 'Remove key');
    expect(textOf(question)).toContain('The API key was changed in the meantime');
    expect(labelsOf(question)).toEqual([]);
    expect(await addOne(guild)).toContain(ACCEPTED);
  });
});
