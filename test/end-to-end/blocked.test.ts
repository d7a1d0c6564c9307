import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { modalOf, oneBot, ownBotTest, setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, addsOf, componentsOf, deleteName, postPanel } from '../support/people.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'blocked-'));
const LISTS = ['ALLOWED_GUILDS', 'BLOCKED_GUILDS', 'BLOCKED_USERS'] as const;
const fileOf = (name: string) => join(FOLDER, name);

afterAll(() => rmSync(FOLDER, { recursive: true }));

const files = Object.fromEntries(LISTS.map((name) => [`${name}_FILE`, fileOf(name)]));
const it = ownBotTest({
  start: false,
  env: { ...files, SUPPORT_URL: 'https://help.example.com/' },
})
  /** A blocked member, the admin of a blocked guild, and the admin of a guild that isn't allowed and has no bot user. */
  .extend('blocked', async ({ bot, guild }) => {
    const other = await bot.newGuild();
    const user = guild.person({ role: 'other' });
    writeFileSync(fileOf('ALLOWED_GUILDS'), `${guild.id}\n${other.id}`);
    writeFileSync(fileOf('BLOCKED_GUILDS'), other.id);
    writeFileSync(fileOf('BLOCKED_USERS'), user.userId);
    await bot.start();
    const elsewhere = await bot.newGuild();
    bot.discord.guildEvents.keepCommandsOnly(elsewhere);
    return { user, guild: other.admin, elsewhere: elsewhere.admin };
  });

const GUILD = "This bot isn't available in this Discord server.";
const REFUSED = { user: "You can't use this bot.", guild: GUILD, elsewhere: GUILD };

it.for([
  'user',
  'guild',
  'elsewhere',
] as const)("a blocked user's commands are rejected with a support link (blocked: %s)", async (who, {
  bot,
  blocked,
  discord,
  listing,
}) => {
  const person = blocked[who];
  const isRefused = (answer: Answer) => {
    expect(textOf(answer)).toContain(REFUSED[who]);
    expect(componentsOf(answer)).toMatchObject([{ label: 'Support', url: 'https://help.example.com/' }]);
  };
  for (const name of ['help', 'addservers', 'submissions']) isRefused(await person.slash(name));
  isRefused(await addServer(person, 'a.example.com:1'));
  expect(await person.complete('addserver', 'game', { game: 'c' })).toEqual([]);
  const message = discord.say(person, 'a.example.com:1');
  isRefused(await person.useOnMessage('Submit servers', message));
  expect(listing.requests).toEqual([]);
  // If users try commands in a guild without the bot user, the guild counts as used.
  await bot.restart();
  const used = 'SELECT 1 FROM guild_departures WHERE guild_id = ?';
  if (who === 'elsewhere') expect(await bot.store.rows(used, person.guildId)).toHaveLength(1);
  // Blocked users can still delete their data.
  expect(textOf(await deleteName(person))).toContain('Your name no longer appears');
  if (who !== 'user') expect(textOf(await person.slash('removekey'))).not.toContain(REFUSED[who]);
});

it("a blocked user can't use a panel's buttons", async ({ blocked, discord, admin, member }) => {
  await setKey(admin, 'sandbox-key');
  const panel = await postPanel({ discord, admin });
  const opened = modalOf(await member.press(panel, 'Submit a game server'));
  expect(textOf(await blocked.user.press(panel, 'Submit a game server'))).toContain(REFUSED.user);
  const typed = { game: 'cs2', server: 'b.example.com:1' };
  expect(textOf(await member.submit(opened, typed))).toContain(ACCEPTED);
});

it("a moderator can't approve a submission from a blocked member", async ({
  blocked: _blocked,
  bot,
  guild,
  admin,
  member,
}) => {
  await setKey(admin, 'sandbox-key');
  await turnApprovalOn(guild);
  await addServer(member, 'waits.example.com:1');
  const message = await waitingIn(guild);
  writeFileSync(fileOf('BLOCKED_USERS'), member.userId);
  await bot.restart();
  const refused = await inStaff(guild, 'admin').press(message, 'Approve');
  expect(textOf(refused)).toContain('operator has blocked this member');
  expect(addsOf(guild, 'waits.example.com')).toEqual([]);
});

it.for([
  { list: 'ALLOWED_GUILDS', idOf: () => '123456789012345678', said: REFUSED.guild },
  { list: 'BLOCKED_GUILDS', idOf: ({ guildId }: Person) => guildId, said: REFUSED.guild },
  { list: 'BLOCKED_USERS', idOf: ({ userId }: Person) => userId, said: REFUSED.user },
])('$list works on its own, even without a support link', async ({ list, idOf, said }) => {
  const bot = await oneBot({ start: false, env: { [`${list}_FILE`]: fileOf(list) } });
  const person = bot.person({});
  writeFileSync(fileOf(list), idOf(person));
  await bot.start();
  const answer = await person.slash('help');
  expect(textOf(answer)).toContain(said);
  expect(componentsOf(answer)).toEqual([]);
});
