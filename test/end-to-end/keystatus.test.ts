import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { BREACHES, botTest, oneBot, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { createTestClock } from '../support/machine.ts';
import { ACCEPTED, addServer, chooseLogChannel, logLines } from '../support/people.ts';

const KEY = 'key-of-the-status-tests-wxyz';

const it = botTest({ key: KEY });
it.beforeEach(({ guild }) => chooseLogChannel(guild));

/** Submits a new server, because a repeated one would cause a warning. */
const addOne = async ({ member }: Pick<TestGuild, 'member'>, who = member) =>
  textOf(await addServer(who, `${randomUUID()}.example.com:1`));
const REFUSED = /⚠️ Not sent\. The listing service rejects .* API key, so nothing can be sent/;
const keyStatus = async ({ admin }: TestGuild) => textOf(await admin.slash('keystatus'));
/** Returns the log channel's messages about a rejected key. */
const notices = (guild: TestGuild) =>
  logLines(guild).filter((line) =>
    line.includes("❌ The listing service rejects this Discord server's API key"),
  );

describe('/keystatus', () => {
  it('shows when the key last worked and who set it, but not the key', async ({ guild }) => {
    const said = await keyStatus(guild);
    expect(said).toContain('(only you can see this)');
    expect(said).toContain('API key …wxyz');
    expect(said).toMatch(/Set by @\w+ /);
    expect(said).toMatch(/Last worked .*(now|second)/);
    expect(said).toContain('[ Check now ]');
    expect(said).not.toContain(KEY);
  });

  it('shows the last response only if it has a message', async ({ guild, listing }) => {
    await addOne(guild);
    expect(await keyStatus(guild)).toMatch(/Last response .*\n.*Servers have been added for review\./);
    await listing.behave({ kind: 'json', status: 200, body: { status: 'success' } });
    await addOne(guild);
    expect(await keyStatus(guild)).not.toContain('Last response');
  });

  it('tests the key again when an admin presses Check now', async ({ guild, admin, listing }) => {
    const status = await admin.slash('keystatus');
    await listing.behave({ kind: 'down' });
    expect(textOf(await admin.press(status, 'Check now'))).toContain(
      "The API key couldn't be checked; it may still be valid.",
    );
    expect(await keyStatus(guild)).not.toContain('❌');
    await listing.behave({ kind: 'ok' });
    listing.revoke(KEY);
    const first = textOf(await admin.press(status, 'Check now'));
    expect(first).toMatch(/❌ Rejected since .*Invalid API key\./s);
    expect(first).not.toContain('still');
    expect(textOf(await admin.press(status, 'Check now'))).toMatch(
      /❌ Checked just now: still rejected\.\n❌ Rejected since .*Invalid API key\./s,
    );
    expect(await addOne(guild)).toMatch(REFUSED);
    listing.allow(KEY);
    expect(textOf(await admin.press(status, 'Check now'))).toMatch(/^(?!.*❌).*The key works\./s);
    expect(await addOne(guild)).toContain(ACCEPTED);
    await expect.poll(() => notices(guild)).toHaveLength(1);
    // The log channel gets one message about the rejection and one when the key works again.
    const allClear = () => logLines(guild).filter((line) => line.includes('✅ The API key works again.'));
    await expect.poll(allClear).toHaveLength(1);
  });
});

it('/keystatus shows that the service is down until it responds again', async ({ guild, listing }) => {
  const down = /couldn't be reached[\s\S]*Last worked/;
  expect(await keyStatus(guild)).not.toMatch(down);
  await listing.behave({ kind: 'down' });
  for (let failures = 0; failures < 3; failures += 1) await addOne(guild);
  expect(await keyStatus(guild)).toMatch(down);
  await listing.behave({ kind: 'ok' });
  await guild.admin.press(await guild.admin.slash('keystatus'), 'Check now');
  expect(await keyStatus(guild)).not.toMatch(down);
});

describe('a key that the service rejects', () => {
  it('is reported once in the log channel, even after a restart', async ({
    bot,
    guild,
    admin,
    member,
    listing,
  }) => {
    listing.revoke(KEY);
    await Promise.all([addOne(guild), addOne(guild, admin), addOne(guild, guild.person({ role: 'other' }))]);
    // The new process doesn't know what the old process has just posted.
    bot.mayBreak(BREACHES.tooOften, 2);
    await bot.restart();
    const requests = listing.requests.length;
    await addOne(guild);
    await member.slash('games');
    expect(listing.requests).toHaveLength(requests);
    expect(notices(guild)).toEqual([
      expect.stringMatching(/rejects this Discord server's API key.*Enter an API key with/),
    ]);
    const said = async (name: string, who = admin) => textOf(await who.slash(name));
    expect(await said('help')).toMatch(
      /rejects this Discord server.s API key.*The rejected key was set by @/s,
    );
    expect(await said('help', member)).toMatch(/@.* set the key and can replace it with \/setkey\./);
    expect(await said('settings')).toMatch(/❌ API key: rejected.*Enter an API key/s);
    expect(await said('keystatus')).toMatch(/❌ Rejected since.*Enter an API key/s);
    await setKey(admin, 'sandbox-key-1234');
    for (const name of ['help', 'settings', 'keystatus'])
      expect(await said(name)).not.toMatch(/❌|rejects this/);
    expect(await addOne(guild)).toContain(ACCEPTED);
  });

  it('is detected when the bot fetches the games list', async () => {
    const clock = createTestClock();
    const bot = await oneBot({ env: { GAMES_TTL_SECONDS: '30' }, listing: { keys: [KEY] } });
    const own = await bot.newGuild({ key: KEY });
    await chooseLogChannel(own);
    own.listing.revoke(KEY);
    clock.advance(31_000);
    await own.member.slash('games');
    await expect.poll(() => notices(own)).toHaveLength(1);
    expect(await addOne(own)).toMatch(REFUSED);
    expect(own.listing.submitted).toEqual([]);
    // The service accepts the key again. The bot notices an hour later, with the next submission.
    own.listing.allow(KEY);
    clock.advance(3_600_000);
    expect(textOf(await own.admin.slash('keystatus'))).toContain('Rejected since');
    expect(await addOne(own)).toContain(ACCEPTED);
    expect(textOf(await own.admin.slash('keystatus'))).not.toContain('❌');
  });
});
