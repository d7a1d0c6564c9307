import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { oneBot, textOf } from '../support/bot.ts';
import { folder } from '../support/machine.ts';
import { ACCEPTED, addServer } from '../support/people.ts';

it('the previous encryption key can be removed once all data has been re-encrypted', async () => {
  const former = randomBytes(32).toString('base64');
  const newest = randomBytes(32).toString('hex');
  const file = join(folder(), 'keys');
  writeFileSync(file, former);
  const bot = await oneBot({ env: { ENCRYPTION_KEY_FILE: file } });
  const { member } = await bot.newGuild({ key: 'sandbox-key' });

  /** Returns every encrypted value in the database and its write-ahead log. */
  async function sealedData(): Promise<ReadonlySet<string>> {
    const bytes = await bot.store.content();
    return new Set([...bytes.matchAll(/"data":"([^"]+)"/g)].map(([, data = '']) => data));
  }
  async function restartWith(keys: string): Promise<void> {
    writeFileSync(file, keys);
    await bot.restart();
    const server = `${keys.length}.example.com:27015`;
    expect(textOf(await addServer(member, server))).toContain(ACCEPTED);
  }
  const done = () => bot.log().filter(({ msg }) => String(msg).includes('the old key can be removed'));

  const before = await sealedData();
  // All processes must know the new key before any of them encrypts with it.
  await restartWith(`${former},${newest}`);
  await restartWith(`${newest}, ${former}`);
  await expect.poll(done).toHaveLength(1);
  await restartWith(newest);
  await bot.process.stop();
  expect(before.size).toBeGreaterThan(0);
  expect((await sealedData()).isDisjointFrom(before)).toBe(true);
});
