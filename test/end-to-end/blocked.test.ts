import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { messageOf, modalOf, ownBotTest, setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, addsOf, componentsOf } from '../support/people.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'blocked-'));
const LISTS = ['ALLOWED_GUILDS', 'BLOCKED_GUILDS', 'BLOCKED_USERS'] as const;
const fileOf = (name: string) => join(FOLDER, name);

afterAll(() => rmSync(FOLDER, { recursive: true }));

const files = Object.fromEntries(LISTS.map((name) => [`${name}_FILE`, fileOf(name)]));
const it = ownBotTest({
  start: false,
  env: { ...files, SUPPORT_URL: 'https://help.example.com/' },
})
  /** A member of the guild who is blocked, and admins of two other guilds: blocked, and not among those allowed. */
  .extend('blocked', async ({ bot, guild }) => {
    const other = await bot.newGuild();
    const user = guild.person({ role: 'other' });
    writeFileSync(fileOf('ALLOWED_GUILDS'), `${guild.id}\n${other.id}`);
    writeFileSync(fileOf('BLOCKED_GUILDS'), other.id);
    writeFileSync(fileOf('BLOCKED_USERS'), user.userId);
    await bot.start();
    return { user, guild: other.admin, elsewhere: (await bot.newGuild()).admin };
  });

const GUILD = "This bot can't be used in this Discord server.";
const REFUSED = { user: "You can't use this bot.", guild: GUILD, elsewhere: GUILD };

it.for([
  'user',
  'guild',
  'elsewhere',
] as const)('who is blocked (%s) is told so, with where to ask', async (who, {
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
  // What is stored can be deleted all the same.
  const privacy = await person.slash('privacy');
  const question = await person.press(privacy, 'Delete my name');
  expect(textOf(await person.press(question, 'Delete my name'))).toContain('Your name is in none');
  if (who !== 'user') expect(textOf(await person.slash('removekey'))).not.toContain(REFUSED[who]);
});

it('a button that everybody sees does nothing for who is blocked, and all else works for others', async ({
  blocked,
  admin,
  member,
}) => {
  const panel = messageOf(await admin.submit(modalOf(await admin.slash('panel')), {}));
  const opened = modalOf(await member.press(panel, 'Submit a game server'));
  expect(textOf(await blocked.user.press(panel, 'Submit a game server'))).toContain(REFUSED.user);
  await setKey(admin, 'sandbox-key');
  const typed = { game: 'cs2', server: 'b.example.com:1' };
  expect(textOf(await member.submit(opened, typed))).toContain(ACCEPTED);
});

it('what waits for a moderator is not sent once its member was blocked', async ({
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
