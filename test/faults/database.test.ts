import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { BotNotReady } from '../../sandbox/sandbox.ts';
import { inAppScene, textOf } from '../support/bot.ts';
import { lines, paste } from '../support/people.ts';
import { isAccepted, STORE_FAILED, submit } from './submission.ts';

/* How each fault of a database is found is tested with the storage; here what members and operators are told. */

it('a bot whose database is damaged says so in one line, and leaves it as it is', () =>
  inAppScene({ key: 'sandbox-key', crash: true }, async (scene) => {
    const path = join(scene.data, 'bot.sqlite');
    await scene.bot.stop();
    const good = await readFile(path);
    const damaged = Buffer.from(good).fill(0xa5, good.length / 2, good.length / 2 + 5_000);
    await writeFile(path, damaged);
    const before = scene.output().length;
    await expect(scene.startBot()).rejects.toThrow(BotNotReady);
    expect(await scene.bot.exited()).toMatchObject({ status: 1 });
    const said = scene.output().slice(before).trim().split('\n');
    expect(said.filter((line) => !line.startsWith('{'))).toEqual([
      expect.stringMatching(
        /^server-listing-bot: the database .*bot\.sqlite is damaged \(.*\)\. Nothing was changed/,
      ),
    ]);
    expect(damaged.equals(await readFile(path))).toBe(true);
    await writeFile(path, good);
    await scene.startBot();
    await isAccepted(scene, 'after-damage.example.com');
  }));

it('a database that fails once servers have left does not keep a member from what came of a list', async () => {
  let requests = 0;
  let fail: (() => void) | undefined;
  const onRequest = (_: number, { action }: { readonly action: string }) => {
    if (action === 'add') requests += 1;
    if (requests < 2) return undefined;
    fail?.();
    const body = { status: 'error', message: 'Invalid API key.' };
    return { kind: 'json', status: 200, body } as const;
  };
  await inAppScene({ key: 'sandbox-key', listing: { onRequest } }, async ({ member, discord, data }) => {
    // The table goes away in which keys and settings are, as by an operator at work in the file.
    const other = new DatabaseSync(join(data, 'bot.sqlite'), { timeout: 5_000 });
    onTestFinished(() => other.close());
    fail = () => other.exec('ALTER TABLE keyv RENAME TO elsewhere');
    await member.press(await paste(member, lines(101)), 'Submit 101 game servers');
    const seen = () => discord.messages(member).map(textOf).join('\n');
    await expect.poll(() => STORE_FAILED.test(seen()) || seen().includes('report.csv')).toBe(true);
    expect(seen()).not.toMatch(STORE_FAILED);
    expect(seen()).toMatch(/100 sent for review.*1 rejected\..*Invalid API key\..*couldn't record this/s);
    other.exec('ALTER TABLE elsewhere RENAME TO keyv');
  });
});

it('an interaction that fails says so with a reference that is in the log too, and sends nothing', () =>
  inAppScene({ key: 'sandbox-key' }, async (scene) => {
    const database = new DatabaseSync(join(scene.data, 'bot.sqlite'), { timeout: 5_000 });
    database.exec('DROP TABLE keyv');
    database.close();
    const said = textOf(await submit(scene, 'broken.example.com'));
    expect(said).toMatch(STORE_FAILED);
    const reference = /Reference for the bot's operator: (\w+)/.exec(said)?.[1];
    expect(reference).toBeDefined();
    // The answer may be here before the line of the log is.
    await expect.poll(() => scene.log().filter((line) => line.reference === reference).length).toBe(1);
    expect(scene.listing.submitted).toEqual([]);
  }));
