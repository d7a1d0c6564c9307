import { expect } from 'vitest';
import { turnApprovalOn } from '../support/approval.ts';
import { type Bot, ownBotTest, setKey, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  allowGames,
  labelsOf,
  openSetting,
  openSettings,
  pressSetting,
  setQuota,
} from '../support/people.ts';

const it = ownBotTest();

const SECRET = 'what-a-damaged-record-holds';

/** Damages every matching record. Returns the number of damaged records. */
async function damage({ store }: Bot, pattern: string): Promise<number> {
  const torn = `substr(value, 1, length(value) / 2) || '${SECRET}'`;
  const damaged = await store.rows(`UPDATE keyv SET value = ${torn} WHERE key LIKE ? RETURNING key`, pattern);
  return damaged.length;
}

it("a guild's damaged records don't affect other guilds", async ({ bot, guild, admin, member }) => {
  const elsewhere = await bot.newGuild({ key: 'sandbox-key' });
  await turnApprovalOn(guild);
  const waiting = await addServer(member, 'waiting.example.com:1');
  await allowGames(guild, ['css']);
  await bot.process.stop();
  for (const pattern of [`api-key:${guild.id}`, `settings:${guild.id}`, 'games:%'])
    expect(await damage(bot, pattern), pattern).toBe(1);
  await bot.start();

  expect(textOf(await addServer(elsewhere.admin, 'a.example.com:1'))).toContain(ACCEPTED);
  const refused = "can no longer read this Discord server's settings, so nothing was changed or sent.";
  for (const answer of [
    await addServer(member, 'b.example.com:1'),
    await member.slash('addservers'),
    await member.slash('games'),
  ]) {
    expect(textOf(answer)).toContain(`${refused} Please tell someone with the “Manage Server” permission.`);
  }
  expect(textOf(await addServer(admin, 'b.example.com:1'))).toContain(`${refused} Set them again`);
  // The bot can't read the approval role, so members only see their own submissions.
  const own = await member.slash('submissions');
  expect(textOf(own)).toContain('waiting.example.com:1');
  expect(labelsOf(own)).toEqual([...labelsOf(waiting), 'History']);
  const other = guild.person({ role: 'other' });
  expect(textOf(await other.slash('submissions'))).toContain("There's nothing here under your name.");
  const settings = await openSettings(guild);
  expect(textOf(settings)).toContain('can no longer be read');
  // An admin's first change replaces the damaged settings with the defaults, even if the new value is invalid.
  expect(textOf(await setQuota(guild, 'many'))).toContain('a whole number from 1 to');
  expect(textOf(await openSetting(guild, 'Games'))).toContain('all');
  await pressSetting(guild, 'Announcements', 'Announce submissions');

  expect(textOf(await addServer(member, 'b.example.com:1'))).toContain('can no longer be read');
  expect(textOf(await admin.slash('keystatus'))).toContain('can no longer be read');
  expect(bot.output()).not.toContain(SECRET);
  await setKey(admin, 'sandbox-key');
  expect(textOf(await addServer(member, 'b.example.com:1'))).toContain(ACCEPTED);
});
