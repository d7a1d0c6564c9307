import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { type ApiKeys, createApiKeys } from '../../src/guilds/api-keys.ts';
import { createKeyCare } from '../../src/guilds/key-care.ts';
import { createRefusals } from '../../src/guilds/refusals.ts';
import type { GamesOutcome } from '../../src/listing/contract.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { onlyOne } from '../support/builders.ts';
import { openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const HOUR = 3_600_000;
const REFUSED: GamesOutcome = { kind: 'rejected', known: 'invalidKey', message: 'Invalid API key.' };
const GAMES: GamesOutcome = { kind: 'games', games: [] };

/** So many guilds with a key each. */
async function open(count: number) {
  const store = await openStore();
  const logger = recorder();
  const clock = { now: 0 };
  const now = () => clock.now;
  let doubts = 0;
  const refusals = createRefusals({
    countKeys: async () => (await keys.guilds()).length,
    onDoubt() {
      doubts += 1;
    },
    logger,
    now,
  });
  const keys: ApiKeys = createApiKeys({
    store,
    encryption: createEncryption([randomBytes(32)]),
    refusals,
    logger,
    now,
  });
  const guilds = Array.from({ length: count }, (_, n) => `${n + 1}`);
  for (const guildId of guilds) await keys.set(guildId, new Secret(`key-of-${guildId}`), { userId: '42' });
  const tried: string[] = [];
  const service = { says: REFUSED };
  const care = createKeyCare({
    keys,
    refusals,
    async readGames({ guildId }) {
      tried.push(guildId);
      return service.says;
    },
    onlyOne,
    logger,
    now,
  });
  const answered = async (guildId: string, answer: GamesOutcome) =>
    keys.noteOutcome(guildId, (await keys.get(guildId))?.setAt ?? '', answer);
  const marked = async () => {
    const known = await Promise.all(guilds.map(async (id) => [id, await keys.status(id)] as const));
    return known.filter(([, status]) => status?.invalidSince !== undefined).map(([id]) => id);
  };
  return {
    store,
    keys,
    refusals,
    care,
    clock,
    guilds,
    answered,
    marked,
    tried,
    service,
    logger,
    doubts: () => doubts,
  };
}

it('keys of more than ten guilds and a fifth of all that are refused within an hour stay unmarked', async () => {
  const { refusals, care, guilds, answered, marked, logger, doubts } = await open(50);
  for (const guildId of guilds.slice(0, 10)) expect(await answered(guildId, REFUSED)).toBe(true);
  expect([refusals.areDoubted(), doubts()]).toEqual([false, 0]);
  expect(await answered('11', REFUSED)).toBe(false);
  expect(await answered('12', REFUSED)).toBe(false);
  expect([refusals.areDoubted(), doubts()]).toEqual([true, 1]);
  await care.run();
  expect(await marked()).toEqual([]);
  expect(logger.lines.filter(({ level }) => level === 'error')).toMatchObject([{ details: { refused: 11 } }]);
});

it('a mark that could not be taken away is taken away a minute later', async () => {
  const { care, guilds, answered, marked, store } = await open(50);
  for (const guildId of guilds.slice(0, 11)) await answered(guildId, REFUSED);
  const { set } = store.values;
  store.values.set = () => Promise.reject(new Error('the disk is full'));
  await care.run();
  store.values.set = set;
  await care.run();
  expect(await marked()).toEqual([]);
});

it.each([
  { what: 'no more than a fifth of all', count: 55, hoursBetween: 0 },
  { what: 'spread over more than an hour', count: 20, hoursBetween: 1 },
])('keys that are refused are marked where they are $what', async ({ count, hoursBetween }) => {
  const { care, clock, guilds, answered, marked, doubts } = await open(count);
  for (const guildId of guilds.slice(0, 11)) {
    await answered(guildId, REFUSED);
    clock.now += hoursBetween * HOUR;
  }
  await care.run();
  expect([(await marked()).length, doubts()]).toEqual([11, 0]);
});

it('a refused key is tried again once a day, and counts again once it is accepted', async () => {
  const { care, clock, answered, marked, tried, service } = await open(2);
  await answered('1', REFUSED);
  clock.now += 24 * HOUR - 1;
  await care.run();
  expect(tried).toEqual([]);
  clock.now += 1;
  await care.run();
  clock.now += HOUR;
  await care.run();
  expect([tried, await marked()]).toEqual([['1'], ['1']]);
  service.says = GAMES;
  clock.now += 23 * HOUR;
  await care.run();
  expect([tried, await marked()]).toEqual([['1', '1'], []]);
});
