import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Outcome } from '../../src/listing/contract.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/collection.ts';
import type { Order } from '../../src/submissions/requests.ts';
import { folder } from '../storage/temporary.ts';
import { openPipeline } from '../support/open-pipeline.ts';
import { readyDraft } from '../support/submitted.ts';

const ACCEPTED: Outcome = { kind: 'accepted', message: 'Yes.' };

function order(guildId: string, userId: string, name: string, count: number): Order {
  const id = `${guildId}-${userId}-${name}`;
  return { guildId, user: { id: userId, name: 'mia' }, interactionId: id, id, draft: readyDraft(id, count) };
}

it('whatever others pile up, the next request that the service answers makes way for another guild', async () => {
  const underway: { readonly name: string; readonly end: () => void }[] = [];
  const { keys, pipeline } = await openPipeline({
    path: join(folder(), 'bot.sqlite'),
    encryption: createEncryption([randomBytes(32)]),
    now: Date.now,
    add: ([first]) =>
      new Promise((resolve) => underway.push({ name: first?.server ?? '', end: () => resolve(ACCEPTED) })),
  });
  for (let guild = 1; guild <= 7; guild++) {
    await keys.set(String(guild), new Secret(`the-key-of-guild-${guild}`), { userId: '9' });
  }
  // Five guilds with 1,000 servers each, and a member with 200 commands at once.
  const lists = [1, 2, 3, 4, 5].map((guild) => pipeline.submit(order(String(guild), '2', 'list', 1_000)));
  const singles = Array.from({ length: 200 }, (_, n) => pipeline.submit(order('6', '2', `s${n}`, 1)));
  await expect.poll(() => underway.length).toBe(7);
  for (let n = 0; n < 3; n++) underway.shift()?.end();
  await expect.poll(() => underway.length).toBe(7);

  const other = pipeline.submit(order('7', '3', 'other', 1));
  const isUnderway = () => underway.some(({ name }) => name.startsWith('7-3-other'));
  let answered = 0;
  while (!isUnderway() && answered < 20) {
    await expect.poll(() => isUnderway() || underway.length > 0).toBe(true);
    if (isUnderway()) break;
    underway.shift()?.end();
    answered += 1;
    await expect.poll(() => isUnderway() || underway.length >= 7).toBe(true);
  }
  expect(answered).toBeLessThanOrEqual(1);
  underway.find(({ name }) => name.startsWith('7-3-other'))?.end();
  expect(await other).toMatchObject({ kind: 'ended', outcomes: [ACCEPTED] });

  // Everything else comes to its end, too; what waited behind twenty others was told so and not sent.
  const over = Promise.all([...lists, ...singles]);
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  await expect
    .poll(
      () => {
        for (const { end } of underway.splice(0)) end();
        return isOver;
      },
      { timeout: 20_000, interval: 5 },
    )
    .toBe(true);
  const results = await over;
  const reasons = results.map((each) => {
    const [first] = each.kind === 'ended' ? each.outcomes : [];
    return first?.kind === 'not-sent' ? first.reason : first?.kind;
  });
  const count = (reason: string) => reasons.filter((each) => each === reason).length;
  expect(count('accepted')).toBeGreaterThanOrEqual(5 + 20);
  expect(count('accepted') + count('queue-full')).toBe(205);
});
