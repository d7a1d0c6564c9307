import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDirectMessageChannels } from '../../src/discord/direct-message-channels.ts';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createBlocks } from '../../src/guilds/blocks.ts';
import { createDeletion, guildsWithStoredData } from '../../src/guilds/deletion.ts';
import { createDirectMessageOptOuts } from '../../src/guilds/direct-message-opt-outs.ts';
import { createPanels } from '../../src/guilds/panels.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import type { Store } from '../../src/storage/store.ts';
import type { SubmissionStore } from '../../src/submissions/submission-store.ts';
import { Secret } from '../../src/text/secret.ts';
import { addDone, beginSubmission, partsOver, readyDraft } from '../support/builders.ts';
import { bytesOnDisk, type FileStore, openStore, rowsIn } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const GUILD = '111111';
const OTHER = '222222';
const MEMBER = '146634305496797257';
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 20_000 * DAY_MS + 12 * HOUR_MS;
const TABLES = [
  'servers',
  'submissions',
  'drafts',
  'interactions',
  'guild_departures',
  'blocks',
  'used',
] as const;
const encryption = createEncryption([randomBytes(32)]);

/** Creates everything that deletes data from an open store, with a clock for the test. */
function over(store: FileStore, submissions?: SubmissionStore['erasure']) {
  const clock = { now: NOW };
  const now = () => clock.now;
  const { drafts, erasure } = partsOver(store, { now });
  const logger = recorder();
  const keys = createApiKeys({ store, encryption, now: Date.now, logger });
  const settings = createGuildSettings({ store, logger });
  const deletion = createDeletion({
    store,
    keys,
    settings,
    blocks: createBlocks({ store, settings }),
    directMessageOptOuts: createDirectMessageOptOuts({ store }),
    directMessageChannels: createDirectMessageChannels({ store }),
    panels: createPanels({ store, logger }),
    submissions: submissions ?? erasure,
    now,
  });
  return { store, clock, drafts, keys, deletion, erasure };
}

type Parts = ReturnType<typeof over>;

/** Adds a submission with two servers, and a draft, which the member has just made. */
async function addSubmissions({ store, clock, drafts }: Parts, guildId: string): Promise<void> {
  const id = `${guildId}-${clock.now}`;
  const user = { id: MEMBER, name: 'Mia Miller' };
  const hosts = [`a.${guildId}`, `b.${guildId}`];
  const done = { guildId, userId: user.id, userName: user.name, at: clock.now, hosts };
  await addDone(store, { ...done, id: `done-${id}` });
  await drafts.save({ guildId, user }, readyDraft(`draft-${id}`, 1));
}

/** Adds every kind of record that a guild can have. */
async function fill(parts: Parts, guildId: string): Promise<void> {
  const { store, keys } = parts;
  await addSubmissions(parts, guildId);
  const taken = {
    id: `taken-${guildId}`,
    guild_id: guildId,
    process_id: 'alive',
    taken_at: NOW,
    encrypted: '{}',
  };
  await store.tables().insertInto('interactions').values(taken).execute();
  const departure = { guild_id: guildId, unused_since: NOW };
  await store.tables().insertInto('guild_departures').values(departure).execute();
  await keys.set(guildId, new Secret(`the-key-of-${guildId}`), { by: { id: '9', name: 'Ada' } });
  await store.values.set(`settings:${guildId}`, { locale: 'de', announce: false });
  const targets = [{ kind: 'host', host: `bad.${guildId}.example.com` }] as const;
  await partsOver(store).blocks.add(guildId, { targets, by: { id: MEMBER, name: 'Mia Miller' }, reason: '' });
  await store.values.set(`panels:${guildId}`, { panels: [] });
  await store.values.set(`untold:${guildId}:${MEMBER}`, true);
}

/** Adds one key test that still counts and one that no longer counts, in both guilds. */
async function addKeyTests({ store }: Parts): Promise<void> {
  for (const guild_id of [GUILD, OTHER]) {
    const tests = [NOW - MINUTE_MS, NOW - MINUTE_MS + 1].map((at) => ({ guild_id, user_id: MEMBER, at }));
    await store.tables().insertInto('key_trials').values(tests).execute();
  }
}

async function opened() {
  const parts = over(await openStore());
  for (const guildId of [GUILD, OTHER]) await fill(parts, guildId);
  return parts;
}

/** Requests a deletion during a transaction that later writes the member's submission. */
async function askedBeforeEndOf(parts: Parts, ask: () => Promise<unknown>): Promise<void> {
  const { store, clock } = parts;
  const isAsked = Promise.withResolvers<void>();
  const writing = store.inGuild(GUILD, async () => {
    await isAsked.promise;
    clock.now += 1;
    await addSubmissions(parts, GUILD);
  });
  const asking = ask();
  isAsked.resolve();
  await Promise.all([writing, asking]);
}

/** Counts a guild's rows in each table. */
async function rowsOf(store: Store, guildId: string): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const table of TABLES) {
    const rows = await rowsIn(store, table);
    counts.push(rows.filter(({ guild_id }) => guild_id === guildId).length);
  }
  return counts;
}

/** Returns the user names in the guild's submissions and drafts. */
async function namesIn(store: Store) {
  const rows = [...(await rowsIn(store, 'submissions')), ...(await rowsIn(store, 'drafts'))];
  return rows.filter(({ guild_id }) => guild_id === GUILD).flatMap(({ user_name }) => user_name ?? []);
}

/** Returns the guild's servers stored with the member's id. */
async function knownServersIn(store: Store) {
  const rows = await rowsIn(store, 'servers');
  return rows.filter((row) => row.guild_id === GUILD && row.user_id === MEMBER);
}

/** Wraps a store so that it fails after `steps` changes, as if the process had been killed. */
function failingAfter(store: FileStore, steps: number): FileStore {
  let left = steps;
  const step = () => {
    left -= 1;
    if (left < 0) throw new Error('the process has ended');
  };
  return {
    ...store,
    tables() {
      step();
      return store.tables();
    },
    values: {
      ...store.values,
      delete(key) {
        step();
        return store.values.delete(key);
      },
    },
  };
}

it.each([
  ["a guild's data", ({ deletion }: Parts) => deletion.guild(GUILD)],
  ["a member's name", ({ deletion }: Parts) => deletion.member(GUILD, MEMBER)],
] as const)('deleting %s also deletes outdated records of API key tests', async (_what, remove) => {
  const parts = over(await openStore());
  await addKeyTests(parts);
  await remove(parts);
  const rows = await rowsIn(parts.store, 'key_trials');
  expect(rows.map(({ guild_id, at }) => [guild_id, at - NOW])).toEqual([
    [GUILD, 1 - MINUTE_MS],
    [OTHER, -MINUTE_MS],
    [OTHER, 1 - MINUTE_MS],
  ]);
});

describe("deleting a guild's data", () => {
  it('keeps only the server count needed for the hourly limit', async () => {
    const { store, deletion, erasure, clock } = await opened();
    const before = await rowsOf(store, OTHER);
    await deletion.guild(GUILD);
    expect(await rowsOf(store, GUILD)).toEqual([0, 0, 0, 0, 0, 0, 1]);
    expect(await rowsIn(store, 'used')).toEqual([{ guild_id: GUILD, count: 2, until: NOW + HOUR_MS }]);
    expect(await rowsOf(store, OTHER)).toEqual(before);
    expect(await guildsWithStoredData(store)).toEqual([OTHER, OTHER, OTHER, OTHER]);
    clock.now += HOUR_MS;
    await erasure.prune();
    await store.cutLog();
    expect(bytesOnDisk(store.path)).not.toContain(GUILD);
    expect(bytesOnDisk(store.path)).toContain(OTHER);
  });

  it('also deletes data written during the deletion', async () => {
    const parts = await opened();
    await askedBeforeEndOf(parts, () => parts.deletion.guild(GUILD));
    expect(await rowsOf(parts.store, GUILD)).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  it("doesn't delete anything if a step fails", async () => {
    const { store } = await opened();
    const full = await rowsOf(store, GUILD);
    let failures = 0;
    for (;;) {
      const { deletion } = over(failingAfter(store, failures));
      const isDone = await deletion.guild(GUILD).then(
        () => true,
        () => false,
      );
      if (isDone) break;
      failures += 1;
      expect(await rowsOf(store, GUILD), `after ${failures} steps`).toEqual(full);
      expect(await guildsWithStoredData(store)).toEqual(Array(4).fill([GUILD, OTHER]).flat());
    }
    expect(failures).toBeGreaterThan(5);
    expect(await rowsOf(store, GUILD)).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });
});

describe("deleting a member's name", () => {
  it("doesn't affect limits or other guilds", async () => {
    const { store, deletion } = await opened();
    expect(await deletion.member(GUILD, MEMBER)).toBe(2);
    expect(await rowsIn(store, 'submissions')).toMatchObject([
      { id: `done-${GUILD}-${NOW}`, user_name: null, user_id: null },
      { id: `done-${OTHER}-${NOW}`, user_name: 'Mia Miller', user_id: MEMBER },
    ]);
    expect((await rowsIn(store, 'drafts')).map(({ id }) => id)).toEqual([`draft-${OTHER}-${NOW}`]);
    expect(await knownServersIn(store)).toHaveLength(2);
  });

  it('removes the name from blocks that the member added', async () => {
    const { store, deletion } = await opened();
    const { blocks } = partsOver(store);
    const targets = [{ kind: 'member', id: MEMBER }] as const;
    await blocks.add(GUILD, { targets, by: { id: '9', name: 'Ada' }, reason: '' });
    await deletion.member(GUILD, MEMBER);
    expect((await blocks.list(GUILD)).map(({ target, by }) => [target.kind, by?.name])).toEqual([
      ['member', 'Ada'],
      ['host', undefined],
    ]);
    expect((await blocks.list(OTHER)).map(({ by }) => by?.name)).toEqual(['Mia Miller']);
  });

  it('also removes the name from data written during the deletion', async () => {
    const parts = await opened();
    await askedBeforeEndOf(parts, () => parts.deletion.member(GUILD, MEMBER));
    expect(await namesIn(parts.store)).toEqual([]);
  });

  it("deletes a running submission's draft once the submission ends", async () => {
    const store = await openStore();
    const parts = partsOver(store, { now: () => NOW });
    const by = { guildId: GUILD, user: { id: MEMBER, name: 'Mia Miller' } };
    const draft = readyDraft('a', 1);
    await store.inGuild(GUILD, () => beginSubmission(parts, by, { interactionId: 'i', draft }));
    await over(store).deletion.member(GUILD, MEMBER);
    await store.inGuild(GUILD, () => parts.submissions.endRunningOf('i'));
    expect((await rowsIn(store, 'submissions')).map(({ user_name }) => user_name)).toEqual([null]);
    expect(await rowsIn(store, 'drafts')).toEqual([]);
  });

  it('also deletes the user id once no limit depends on it', async () => {
    const parts = over(await openStore());
    const { store, deletion, erasure, clock } = parts;
    await fill(parts, GUILD);
    await createDirectMessageChannels({ store }).add(MEMBER, '9');
    const by = { id: MEMBER, name: 'Mia Miller' };
    await parts.keys.set('4', new Secret('the-key-of-this-admin'), { by });
    await deletion.member('4', MEMBER);
    await deletion.member(GUILD, MEMBER);
    expect(await parts.keys.status('4')).toMatchObject({ setBy: '', readable: true });
    expect(bytesOnDisk(store.path)).not.toContain('Mia');
    await erasure.prune();
    expect(bytesOnDisk(store.path)).toContain(MEMBER);
    clock.now += DAY_MS;
    await erasure.prune();
    await store.cutLog();
    expect(await rowsOf(store, GUILD)).toEqual([2, 1, 0, 1, 1, 1, 0]);
    expect(bytesOnDisk(store.path)).not.toContain(MEMBER);
    await addSubmissions(parts, GUILD);
    clock.now += DAY_MS;
    await erasure.prune();
    expect(await namesIn(store)).toEqual(['Mia Miller']);
    expect(await knownServersIn(store)).toHaveLength(2);
  });
});
