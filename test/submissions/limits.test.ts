import { expect, it } from 'vitest';
import { addDone, type PartsOptions, partsOver } from '../support/builders.ts';
import { openStore } from '../support/database.ts';

const DAY_MS = 86_400_000;
const NOON = 20_000 * DAY_MS + DAY_MS / 2;
const me = { guildId: '1', userId: '7', count: 1 };
const many = { servers: 1_000, seconds: 3_600 };

/**
 * @param before when each server was reserved, in seconds after noon, such as `-20 0:8 0!`. `:8` is another member, and `!`
 * means that the server wasn't sent.
 */
async function open(before: string, options: PartsOptions) {
  const store = await openStore();
  const all = [...before.matchAll(/([-.\d]+)(?::(\d))?(!?)/g)];
  for (const [index, [, seconds, userId = '7', notSent]] of all.entries()) {
    const outcome = notSent === '' ? 'accepted' : 'not-sent';
    const at = NOON + Number(seconds) * 1_000;
    await addDone(store, { id: `${index}`, guildId: '1', userId, at, hosts: ['a'], outcome });
  }
  return partsOver(store, { now: () => NOON, member: many, guild: many, ...options }).limits;
}

/** Parses a limit. `2/60` means two servers in 60 seconds. */
function limitOf(text: string | undefined) {
  const [servers, seconds] = (text ?? '').split('/').map(Number);
  return servers && seconds ? { servers, seconds } : many;
}

/** The columns are the limits, the servers that were reserved before, the request, and the allowance. */
it.each([
  ['member 2/60', '', '2', '2'],
  ['member 2/60', '-20', '1', '1'],
  // One server can be sent now, and the other when the oldest reservation expires.
  ['member 2/60', '-20', '2', '1, member-limit 2 for 40 s'],
  // Four servers exceed the limit, so the member has to wait until two can be sent again.
  ['member 2/60', '-20', '5', '1, member-limit 2 for 60 s'],
  ['member 2/60', '-20 0', '1', '0, member-limit 2 for 40 s'],
  ['member 2/60', '-60 -40', '1', '1'],
  ['member 2/60', '0! 0! 0!', '2', '2'],
  ['member 2/60', '0 0 0', '1 by 8', '1'],
  ['member 2/60', '0 0 0', '1 in 2', '1'],
  // Two of the three servers must expire first.
  ['member 2/60', '-1 0 0', '1', '0, member-limit 2 for 60 s'],
  // Reservations that are far in the future don't count, but a limit isn't weakened if the clock is set back a little.
  ['member 2/60 guild 2/60', '2592000 2592000', '1 of 2', '1'],
  ['member 2/60 guild 2/60', '1 1', '1', '0, member-limit 2 for 61 s'],
  // The waiting time is rounded up to a full second.
  ['member 1/60', '-59.999', '1', '0, member-limit 1 for 1 s'],
  ['guild 2/60', '0:8 0:9', '1', '0, guild-limit 2 for 60 s'],
  // The smallest allowance applies. If a limit has room for all servers, it doesn't affect the waiting time.
  ['member 2/60 guild 3/600', '0:8 0:8', '3', '1, guild-limit 3 for 600 s'],
  ['member 2/600 guild 3/60', '0:8 0:8', '2', '1, guild-limit 3 for 60 s'],
  // The quota applies per member and UTC day.
  ['', '-43200.001 -43200 0:8', '3 of 2', '1, daily-quota 2 until tomorrow'],
  ['', '-43200.001 -43200 0 0', '3 of 2', '0, daily-quota 2 until tomorrow'],
  ['', '-43200.001 -43200.001', '2 of 2', '2'],
])('the allowance depends on limits and earlier reservations (%s | %s | %s → %s)', async (limits, before, asked, expected) => {
  const { member, guild } = /(?:member (?<member>\S+))? ?(?:guild (?<guild>\S+))?/.exec(limits)?.groups ?? {};
  const { allowance } = await open(before, { member: limitOf(member), guild: limitOf(guild) });
  const word = (name: string) => new RegExp(`${name} (\\d)`).exec(asked)?.[1];
  const quota = word('of');
  const found = await allowance({
    guildId: word('in') ?? '1',
    userId: word('by') ?? '7',
    count: Number.parseInt(asked, 10),
    ...(quota !== undefined && { dailyQuota: Number(quota) }),
  });
  const { code, limit, until = 0, isSoon } = found.limited ?? {};
  const wait = isSoon ? `for ${(until - NOON) / 1_000} s` : 'until tomorrow';
  expect([found.count, ...(code === undefined ? [] : [`${code} ${limit} ${wait}`])].join(', ')).toBe(
    expected,
  );
  if (isSoon === false) expect(until).toBe(NOON + DAY_MS / 2);
});

it('the remaining allowance is returned with the applicable limit and its reset time', async () => {
  const { remaining } = await open('-20', { member: limitOf('2/60') });
  expect(await remaining(me)).toMatchObject({ count: 1, limited: { code: 'member-limit' } });
  const limited = { code: 'daily-quota' };
  expect(await remaining({ ...me, dailyQuota: 1 })).toMatchObject({ count: 0, limited });
  const full = await open('-20 0', { member: limitOf('2/60') });
  expect(await full.remaining(me)).toMatchObject({ count: 0, limited: { until: NOON + 40_000 } });
});

it('servers are counted from midnight UTC, or earlier if a limit requires it', async () => {
  const since = async (member: number, guild: number) => {
    const limits = await open('', {
      member: { ...many, seconds: member },
      guild: { ...many, seconds: guild },
    });
    return limits.countsSince();
  };
  expect(await since(60, 60)).toBe(NOON - DAY_MS / 2);
  expect(await since(86_400, 60)).toBe(NOON - DAY_MS);
  expect(await since(60, 604_800)).toBe(NOON - 7 * DAY_MS);
});
