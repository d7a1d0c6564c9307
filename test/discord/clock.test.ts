import { expect, it } from 'vitest';
import { clockTrouble, createClockCheck } from '../../src/discord/clock.ts';
import { recorder } from '../support/machine.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function setUp(aheadMs: number | undefined) {
  const logger = recorder();
  const clock = createClockCheck({ api: { clockAheadMs: async () => aheadMs }, logger });
  const said = () => logger.lines.map(({ message }) => message).join('\n');
  return { clock, said };
}

it.each([
  [0, undefined],
  [5 * MINUTE_MS, undefined],
  [-5 * MINUTE_MS, undefined],
  [6 * MINUTE_MS, "is 6 minutes ahead of Discord's"],
  [-6 * MINUTE_MS, "is 6 minutes behind Discord's"],
  [3 * DAY_MS, "is 72 hours ahead of Discord's"],
])('the bot reports clock skew only if it exceeds five minutes (%i ms)', async (aheadMs, says) => {
  expect(clockTrouble(aheadMs)?.text).toBe(says);
  const { clock, said } = setUp(aheadMs);
  await clock.logTrouble();
  expect(said()).toContain(says ?? '');
  expect(said() === '').toBe(says === undefined);
});

it.each([
  [DAY_MS, true, ''],
  [-DAY_MS, true, ''],
  [DAY_MS + 1, false, 'so old data is not deleted'],
  [-DAY_MS - 1, false, 'so old data is not deleted'],
  [undefined, false, 'could not get the time from Discord'],
])('the clock counts as correct if it is off by at most a day (%s ms ahead: %s)', async (aheadMs, isRight, says) => {
  const { clock, said } = setUp(aheadMs);
  expect(await clock.isRight()).toBe(isRight);
  expect(said()).toContain(says);
});

it("the bot doesn't report clock skew if Discord's time is unknown", async () => {
  const { clock, said } = setUp(undefined);
  await clock.logTrouble();
  expect(said()).toBe('');
});
