import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bot, oneBot, setKey, textOf } from '../support/bot.ts';
import { openStore } from '../support/database.ts';
import { folder, runFile, runToolInProcess } from '../support/machine.ts';
import { ACCEPTED, addServer } from '../support/people.ts';

const API_KEY = 'sandbox-key';
/** Runs `npm run data -- …` as defined in package.json. */
const run = (
  data: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  runTool = runToolInProcess,
) =>
  runTool(['src/tools/data.ts', ...args], {
    env: { STORE_URL: `sqlite://${join(data, 'bot.sqlite')}`, ...env },
  });

/** Starts a bot with two guilds. In the first one, an admin sets a key, and two members submit a server each. */
async function startedBot() {
  const bot = await oneBot();
  const guild = await bot.newGuild({ key: API_KEY });
  const other = guild.person({ role: 'other' });
  expect(textOf(await addServer(guild.member, 'of-member.example.com:1'))).toContain(ACCEPTED);
  expect(textOf(await addServer(other, 'of-other.example.com:1'))).toContain(ACCEPTED);
  const tool = async (...args: readonly string[]) => {
    // Only a tool in its own process can compete with the bot for the database.
    const done = await run(bot.data, args, {}, args.includes('--yes') ? runFile : runToolInProcess);
    expect(done).toMatchObject({ status: 0, stderr: '' });
    return done.stdout;
  };
  return { bot, guild, other, tool };
}

const namesIn = async ({ store }: Bot) =>
  (await store.rows('SELECT user_name FROM submissions ORDER BY created_at')).map(
    ({ user_name }) => user_name,
  );

describe('npm run data while the bot is running', () => {
  it("shows, exports and deletes a member's data", async () => {
    const { bot, guild, other, tool } = await startedBot();
    const [member, place] = [guild.member.userId, guild.admin.guildId];
    const stored = `Stored about member ${member}:\n  guild ${place}: 1 submissions, 1 servers, 1 drafts\n`;
    expect(await tool('member', member, 'show')).toBe(stored);

    const file = join(folder(), 'member.json');
    expect(await tool('member', member, 'export', file)).toContain(`Exported to ${file}.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const servers = [{ host: 'of-member.example.com', user_id: member, outcome: 'accepted' }];
    const submissions = [
      { user_id: member, user_name: 'member', created_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    ];
    expect(JSON.parse(text)).toMatchObject({
      member,
      blockedBy: [],
      guilds: { [place]: { servers, submissions } },
    });
    for (const hidden of [other.userId, guild.admin.userId, 'of-other.example.com', API_KEY]) {
      expect(text).not.toContain(hidden);
    }

    expect(await tool('member', member, 'delete')).toBe(
      `${stored}Nothing was deleted. To delete it, repeat the command with --yes.\n`,
    );
    expect(await namesIn(bot)).toEqual(['member', 'other']);
    expect(await tool('member', member, 'delete', '--yes')).toBe(
      `${stored}Deleted. Still stored:\n  guild ${place}: 1 servers\nOnly the id is kept: in servers and key_trials until ` +
        'no limit needs it, and in blocks until the member is unblocked.\n',
    );
    expect(await namesIn(bot)).toEqual([null, 'other']);
    expect(textOf(await addServer(guild.member, 'afterwards.example.com:1'))).toContain(ACCEPTED);
  });

  it("shows, exports and deletes a guild's data", async () => {
    const { bot, guild, other, tool } = await startedBot();
    const [place, untouched] = [guild.admin.guildId, await bot.newGuild({ key: API_KEY })];
    const shown = await tool('guild', place, 'show');
    expect(shown).toMatch(/: 2 submissions, 2 servers,.* 1 key_trials,.* 1 api-key/);

    const file = join(folder(), 'guild.json');
    await tool('guild', place, 'export', file);
    const text = readFileSync(file, 'utf8');
    const servers = [{ host: 'of-member.example.com' }, { host: 'of-other.example.com' }];
    const key = [{ lastFour: expect.any(String), setAt: expect.any(String) }];
    expect(JSON.parse(text)).toMatchObject({
      guild: place,
      guilds: { [place]: { servers, 'api-key': key } },
    });
    for (const person of [guild.member, guild.admin, other]) expect(text).not.toContain(person.userId);
    expect(text).not.toMatch(/_name"|ByName"|"(?:sealed|encrypted|notice)"|sandbox-key/);

    await tool('guild', place, 'delete');
    expect(await namesIn(bot)).toEqual(['member', 'other']);
    const deleted = await tool('guild', place, 'delete', '--yes');
    expect(deleted).toContain(`${shown}Deleted. Still stored:\n  guild ${place}: 1 key_trials, 1 used\n`);
    expect(await bot.store.content()).not.toContain('of-member.example.com');
    expect(textOf(await addServer(guild.member, 'afterwards.example.com:1'))).not.toContain(ACCEPTED);
    await setKey(guild.admin, API_KEY);
    expect(textOf(await addServer(guild.member, 'afterwards.example.com:1'))).toContain(ACCEPTED);
    expect(textOf(await addServer(untouched.member, 'untouched.example.com:1'))).toContain(ACCEPTED);
  });
});

describe('npm run data', () => {
  const GUILD = '123456789012345678';

  it('shows which variables block a guild or member', async () => {
    const data = folder();
    await (await openStore(join(data, 'bot.sqlite'))).stop();
    const env = { BLOCKED_USERS: GUILD, BLOCKED_GUILDS: GUILD, ALLOWED_GUILDS: GUILD.replace('1', '2') };
    const blocked = async (kind: string) => (await run(data, [kind, GUILD, 'show'], env)).stdout;
    const [ofMember, ofGuild] = [await blocked('member'), await blocked('guild')];
    expect(ofMember).toBe(
      `Stored about member ${GUILD}:\n  nothing\nBlocked by BLOCKED_USERS, which this tool doesn't change.\n`,
    );
    expect(ofGuild).toContain('\nBlocked by ALLOWED_GUILDS and BLOCKED_GUILDS, which');
  });

  it('reports errors on a single line without overwriting files', async () => {
    const data = folder();
    const missing = await run(data, ['guild', GUILD, 'show']);
    expect(missing).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('data: there is no database at'),
    });
    await (await openStore(join(data, 'bot.sqlite'))).stop();
    const file = join(data, 'bot.sqlite');
    const taken = await run(data, ['guild', GUILD, 'export', file]);
    expect(taken).toMatchObject({ status: 1, stderr: `data: ${file} already exists: choose another file\n` });
    const nowhere = await run(data, ['guild', GUILD, 'export', join(data, 'none', 'file')]);
    expect(nowhere).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^data: could not write .*ENOENT.*\n$/),
    });
  });

  it.each([
    [
      [],
      'specify an id and an action: npm run data -- guild ID ACTION, or npm run data -- member ID ACTION. ',
    ],
    [['member'], 'specify an id and an action: '],
    [['user', GUILD, 'show'], 'the first argument must be guild or member, and is "user"\n'],
    [
      ['member', '999'],
      '"999" isn\'t the id of a member: an id has 17 to 20 digits, such as 123456789012345678. ',
    ],
    [['guild', 'mia', 'show'], '"mia" isn\'t the id of a guild: '],
    [['guild', GUILD], 'the action is missing after the id: use show, "export FILE" or "delete --yes"\n'],
    [['guild', GUILD, 'erase'], '"erase" isn\'t an action: use show, "export FILE" or "delete --yes"\n'],
    [['guild', GUILD, 'show', 'file'], 'show doesn\'t accept "file": only export accepts a file\n'],
    [['guild', GUILD, 'export', '--yes'], "export doesn't accept --yes: only delete does\n"],
  ])('explains what is wrong with the arguments %j', async (args, words) => {
    expect(await run(folder(), args)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`data: ${words}`),
    });
  });
});
