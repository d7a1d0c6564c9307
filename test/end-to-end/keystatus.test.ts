import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inAppScene, inNewGuild, openAppScene, type Scene, setKey, textOf } from '../support/bot.ts';
import { createTestClock } from '../support/machine.ts';
import { ACCEPTED, addServer, chooseLogChannel, logLines } from '../support/people.ts';

const KEY = 'key-of-the-status-tests-wxyz';

/** One bot for all tests, and a guild of its own for each. */
let bot: Scene;
let scene: Scene;
let admin: Scene['admin'];
let member: Scene['member'];
beforeAll(async () => {
  bot = await openAppScene();
});
beforeEach(async () => {
  await bot.listing.behave({ kind: 'ok' });
  bot.listing.allow(KEY);
  scene = await inNewGuild(bot, { key: KEY });
  ({ admin, member } = scene);
  await chooseLogChannel(scene);
});
afterAll(() => bot.close());

let port = 0;
/** Each time another server, since the same one again would bring a warning. */
const submit = async (who = member) => textOf(await addServer(who, `play.example.com:${++port}`));
const REFUSED = /❌ The listing service refuses .* API key, so nothing is sent/;
const keyStatus = async () => textOf(await admin.slash('keystatus'));
/** What the log channel says of the key. */
const notices = (own = scene) =>
  logLines(own).filter((line) =>
    line.includes("❌ The listing service refuses this Discord server's API key"),
  );

describe('/keystatus', () => {
  it('says who set the key and when, its end, and when it last worked, but never the key', async () => {
    const said = await keyStatus();
    expect(said).toContain('(only you can see this)');
    expect(said).toContain('API key …wxyz');
    expect(said).toMatch(/Set by @.+ \(/);
    expect(said).toMatch(/Last worked .*(now|second)/);
    expect(said).toContain('[ Check now ]');
    expect(said).not.toContain(KEY);
  });

  it('says what the service last said of the key, over a restart', async () => {
    await submit();
    await bot.restart();
    expect(await keyStatus()).toMatch(
      /Last reply from the listing service about it .*\n.*Servers have been added for review\./,
    );
  });

  it('tries the key at a press of its button, and has it in use again once it works', async () => {
    const status = await admin.slash('keystatus');
    expect(textOf(await admin.press(status, 'Check now'))).toContain('The key works.');
    await bot.listing.behave({ kind: 'down' });
    expect(textOf(await admin.press(status, 'Check now'))).toContain(
      "The API key couldn't be tested; it may still be valid.",
    );
    expect(await keyStatus()).not.toContain('❌');
    await bot.listing.behave({ kind: 'ok' });
    bot.listing.revoke(KEY);
    expect(textOf(await admin.press(status, 'Check now'))).toMatch(
      /Invalid API key\..*❌ .*has refused it since/s,
    );
    expect(await submit()).toMatch(REFUSED);
    bot.listing.allow(KEY);
    expect(textOf(await admin.press(status, 'Check now'))).not.toContain('❌');
    expect(await submit()).toContain(ACCEPTED);
    await expect.poll(() => notices()).toHaveLength(1);
  });
});

describe('a key that the service refuses', () => {
  it('is told to the admins once, by the log channel, /help, /settings and /keystatus, over a restart too', async () => {
    bot.listing.revoke(KEY);
    await Promise.all([submit(), submit(admin), submit(scene.person({ role: 'other' }))]);
    await bot.restart();
    const requests = bot.listing.requests.length;
    await submit();
    await member.slash('games');
    expect(bot.listing.requests).toHaveLength(requests);
    expect(notices()).toEqual([
      expect.stringMatching(/refuses this Discord server's API key.*Enter an API key with/),
    ]);
    const said = async (name: string, who = admin) => textOf(await who.slash(name));
    expect(await said('help')).toMatch(
      /refuses this Discord server.s API key.*Enter an API key with \/setkey/s,
    );
    expect(await said('help', member)).toMatch(
      /Ask someone with the “Manage Server” permission to enter an API key.* It was set by @/,
    );
    expect(await said('settings')).toMatch(/❌ API key: refused.*Enter the API key/s);
    expect(await said('keystatus')).toMatch(
      /❌ The listing service has refused it since.*Enter the API key/s,
    );
    await setKey(admin, 'sandbox-key-1234');
    for (const name of ['help', 'settings', 'keystatus'])
      expect(await said(name)).not.toMatch(/❌|refuses this/);
    expect(await submit()).toContain(ACCEPTED);
  });

  it('is marked as well when it was refused for the list of games', () => {
    const clock = createTestClock();
    const env = { GAMES_TTL_SECONDS: '30' };
    return inAppScene({ key: KEY, env, listing: { keys: [KEY] } }, async (own) => {
      await chooseLogChannel(own);
      own.listing.revoke(KEY);
      clock.advance(31_000);
      await own.member.slash('games');
      await expect.poll(() => notices(own)).toHaveLength(1);
      expect(await submit(own.member)).toMatch(REFUSED);
      expect(own.listing.submitted).toEqual([]);
    });
  });
});
