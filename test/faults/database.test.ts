import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished } from 'vitest';
import { BotNotReadyError } from '../../sandbox/sandbox.ts';
import { approve, inStaff, turnApprovalOn } from '../support/approval.ts';
import { type Bot, ownBotTest, textOf } from '../support/bot.ts';
import { addServer, lines, logLines, paste } from '../support/people.ts';
import { isAccepted, STORE_FAILED, submit } from './submission.ts';

/* The storage tests cover how each database fault is detected. These tests cover what members and operators are shown. */

const it = ownBotTest();

/** Opens the bot's database the way an operator might to edit it manually. */
function open({ data }: Bot): DatabaseSync {
  const database = new DatabaseSync(join(data, 'bot.sqlite'), { timeout: 5_000 });
  onTestFinished(() => database.close());
  return database;
}

ownBotTest({ crash: true })(
  'the bot reports a damaged database in a single line and leaves the file unchanged',
  async ({ bot, guild }) => {
    const path = join(bot.data, 'bot.sqlite');
    await bot.process.stop();
    const good = await readFile(path);
    const damaged = Buffer.from(good).fill(0xa5, good.length / 2, good.length / 2 + 5_000);
    await writeFile(path, damaged);
    const before = bot.output().length;
    await expect(bot.start()).rejects.toThrow(BotNotReadyError);
    expect(await bot.process.exited()).toMatchObject({ status: 1 });
    const said = bot.output().slice(before).trim().split('\n');
    expect(said.filter((line) => !line.startsWith('{'))).toEqual([
      expect.stringMatching(
        /^server-listing-bot: the database .*bot\.sqlite is damaged \(.*\)\. Nothing was changed/,
      ),
    ]);
    expect(damaged.equals(await readFile(path))).toBe(true);
    await writeFile(path, good);
    await bot.start();
    await isAccepted({ bot, guild }, 'after-damage.example.com');
  },
);

/** Called when the service has received, but not yet rejected, a request with one server. */
let onRefused = () => {};
const refusedIt = ownBotTest({
  listing: {
    onRequest(_, { servers }) {
      if (servers.length !== 1) return undefined;
      onRefused();
      return { kind: 'json', status: 200, body: { status: 'error', message: 'Invalid API key.' } };
    },
  },
});

refusedIt(
  "a member sees a list's outcomes even if the database fails during the submission",
  async ({ bot, member, discord }) => {
    const database = open(bot);
    // The table that contains the keys and settings.
    onRefused = () => database.exec('ALTER TABLE keyv RENAME TO elsewhere');
    await member.press(await paste(member, lines(101)), 'Submit 101 game servers');
    const seen = () => discord.messages(member).map(textOf).join('\n');
    await expect.poll(() => STORE_FAILED.test(seen()) || seen().includes('report.csv')).toBe(true);
    expect(seen()).not.toMatch(STORE_FAILED);
    expect(seen()).toMatch(
      /100 sent for review.*1 rejected\..*Invalid API key\..*couldn't save this outcome/s,
    );
    database.exec('ALTER TABLE elsewhere RENAME TO keyv');
  },
);

it("a moderator sees an approved server's outcome even if it can't be saved", async ({
  bot,
  guild,
  listing,
  member,
}) => {
  await turnApprovalOn(guild);
  await addServer(member, 'approved.example.com:1');
  open(bot).exec(
    "CREATE TRIGGER broken BEFORE UPDATE OF outcome ON servers BEGIN SELECT RAISE(ABORT, 'broken'); END",
  );
  const body = { status: 'error', message: 'No such luck.' };
  await listing.behave({ kind: 'json', status: 200, body }, 1);
  await approve(guild);
  const seen = () => guild.discord.messages(inStaff(guild, 'admin')).map(textOf).join('\n');
  await expect.poll(seen).toMatch(/Rejected\. No such luck\..*couldn't save this outcome/s);
  // The message about the submission can't show the outcome, so the log does.
  await expect.poll(() => logLines(guild).join('\n')).toMatch(/@member: .*Rejected\. No such luck\./);
});

refusedIt(
  "a moderator sees an approved server's outcome even if the submission can no longer be read",
  async ({ bot, guild, member }) => {
    await turnApprovalOn(guild);
    await addServer(member, 'approved.example.com:1');
    const database = open(bot);
    onRefused = () => database.exec('ALTER TABLE submissions RENAME TO elsewhere');
    await approve(guild);
    const seen = () => guild.discord.messages(inStaff(guild, 'admin')).map(textOf).join('\n');
    await expect.poll(seen).toMatch(/Rejected\. Invalid API key\..*couldn't save this outcome/s);
    database.exec('ALTER TABLE elsewhere RENAME TO submissions');
  },
);

it('the reply to a failed interaction includes a reference to the log entry', async ({
  bot,
  guild,
  listing,
}) => {
  open(bot).exec('DROP TABLE keyv');
  const said = textOf(await submit({ bot, guild }, 'broken.example.com'));
  expect(said).toMatch(STORE_FAILED);
  const reference = /Reference for the bot's operator: (\w+)/.exec(said)?.[1];
  expect(reference).toBeDefined();
  // The reply might arrive before the lines are logged.
  const logged = () => bot.log().filter((line) => line.reference === reference);
  await expect.poll(logged).toMatchObject([{ level: 'error' }, { msg: 'interaction', outcome: 'failed' }]);
  expect(JSON.stringify(logged())).not.toContain('broken.example.com');
  expect(listing.submitted).toEqual([]);
});
