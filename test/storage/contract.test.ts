import { randomBytes, randomUUID } from 'node:crypto';
import { SnowflakeUtil } from 'discord.js';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Interaction } from '../../src/interactions/interaction.ts';
import { SILENT } from '../../src/logger.ts';
import { createClaimJob } from '../../src/storage/claim-job.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { createLeases, type LeasesDeps } from '../../src/storage/leases.ts';
import { MIGRATIONS, migrate } from '../../src/storage/migrations.ts';
import type { Store, TransactionEnd } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { Secret } from '../../src/text/secret.ts';
import { createWords } from '../../src/words/words.ts';
import { beginSubmission, partsOver, readyDraft } from '../support/builders.ts';
import { kinds, newPlace, type Place, rowsIn } from '../support/database.ts';
import { recorder } from '../support/machine.ts';
import { NEXT_VERSION } from '../support/next-version.ts';
import { interactionParts } from '../support/small-bot.ts';

const addGuild = (store: Store, guildId: string) =>
  store
    .tables()
    .insertInto('guild_departures')
    .values({ guild_id: guildId, unused_since: Date.UTC(2026, 0) })
    .execute();

async function guildsIn(store: Store): Promise<readonly string[]> {
  return (await rowsIn(store, 'guild_departures')).map(({ guild_id }) => guild_id);
}

/** These tests cover behaviour that the rest of the bot relies on, with both kinds of database. */
describe.each(kinds())('a %s store', (kind) => {
  const openStore: Place['open'] = async (deps) => (await newPlace(kind)).open(deps);

  it('preserves rows and values across a restart', async () => {
    const { open } = await newPlace(kind);
    const store = await open();
    await addGuild(store, '1');
    await store.values.set('a:1', { deep: ['ä', null, 1.5] });
    await store.stop();
    const again = await open();
    expect(await rowsIn(again, 'guild_departures')).toEqual([
      { guild_id: '1', unused_since: Date.UTC(2026, 0) },
    ]);
    expect(await again.values.get('a:1')).toEqual({ deep: ['ä', null, 1.5] });
  });

  it('lists keys with a given prefix in byte order', async () => {
    const { values } = await openStore();
    for (const key of ['a:2', 'a:10', 'a:ü', 'a:B', 'b:1', 'a', 'A:1']) await values.set(key, 1);
    expect(await values.keys('a:')).toEqual(['a:10', 'a:2', 'a:B', 'a:ü']);
    expect(await values.delete('a:2')).toBe(true);
    expect(await values.delete('a:2')).toBe(false);
    expect(await values.get('a:2')).toBeUndefined();
  });

  it('rejects calls during and after shutdown', async () => {
    const store = await openStore();
    const hold = Promise.withResolvers<void>();
    const begun = store.inGuild('1', () => hold.promise).catch(() => undefined);
    const waiting = store.inGuild('1', async () => undefined);
    const stopped = store.stop();
    await expect(async () => rowsIn(store, 'guild_departures')).rejects.toThrow(StoreError);
    hold.resolve();
    await expect(waiting).rejects.toThrow(StoreError);
    await Promise.all([begun, stopped]);
    await expect(store.values.get('a:1')).rejects.toThrow(/is not open/);
    await expect(store.inGuild('1', async () => undefined)).rejects.toThrow(StoreError);
  });

  it('rejects a database from a newer version', async () => {
    const { store, open, change } = await newPlace(kind);
    await (await open()).stop();
    await change("insert into kysely_migration values ('9.0-of-next-year', '2027-01-01T00:00:00.000Z')");
    const refused = store();
    await expect(refused.start()).rejects.toThrow(
      /by a newer version of the bot \(it has "9\.0-of-next-year"\)/,
    );
    await expect(refused.start()).rejects.toThrow(StoreError);
  });

  it('rejects a database from an unreleased version', async () => {
    const { store, open, change } = await newPlace(kind);
    await (await open()).stop();
    await change('delete from kysely_migration');
    await change("insert into kysely_migration values ('2.0-tables', '2026-01-01T00:00:00.000Z')");
    await expect(store().start()).rejects.toThrow(
      /by an unreleased version of the bot from before 0\.3\.0 \(it has "2\.0-tables"\).*move it and its key file away/,
    );
  });

  it('accepts compatible changes from a newer version', async () => {
    const { store, open, change } = await newPlace(kind);
    const newer = await open();
    await addGuild(newer, '1');
    await migrate(newer.tables(), [], SILENT, { ...MIGRATIONS, ...NEXT_VERSION });
    await addGuild(newer, '2');
    await newer.stop();
    for (const guildId of ['3', '4']) {
      const older = await open();
      await addGuild(older, guildId);
      await older.stop();
    }
    await expect(store({ mayMigrate: false }).start()).rejects.toThrow(
      /lacks the tables that this version of the bot needs/,
    );
    expect(await guildsIn(await open())).toEqual(['1', '2', '3', '4']);
    await change("insert into kysely_migration values ('9.1-of-next-year', '2027-01-01T00:00:00.000Z')");
    await expect(store().start()).rejects.toThrow(/by a newer version .*"9\.1-of-next-year"/);
  });

  describe('a transaction', () => {
    it('writes everything or nothing', async () => {
      const store = await openStore();
      const write = async () => {
        await addGuild(store, '1');
        await store.values.set('a:1', 1);
        await store.values.delete('a:0');
      };
      await store.values.set('a:0', 0);
      const failed = store.inGuild('1', async () => {
        await write();
        expect(await store.values.get('a:1')).toBe(1);
        throw new Error('changed my mind');
      });
      await expect(failed).rejects.toThrow('changed my mind');
      expect(await guildsIn(store)).toEqual([]);
      expect(await store.values.keys('a:')).toEqual(['a:0']);

      expect(await store.inGuild('1', write)).toBeUndefined();
      expect(await guildsIn(store)).toEqual(['1']);
      expect(await store.values.keys('a:')).toEqual(['a:1']);
    });

    it("doesn't roll back writes made outside it", async () => {
      const store = await openStore();
      const inside = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const failed = store.inGuild('1', async () => {
        await store.values.set('a:inside', 1);
        inside.resolve();
        await goOn.promise;
        throw new Error('changed my mind');
      });
      await inside.promise;
      const beside = [store.values.set('a:beside', 1), addGuild(store, 'beside')];
      goOn.resolve();
      await expect(failed).rejects.toThrow('changed my mind');
      await Promise.all(beside);
      expect(await store.values.keys('a:')).toEqual(['a:beside']);
      expect(await guildsIn(store)).toEqual(['beside']);
    });

    it("doesn't overwrite concurrent changes", async () => {
      const store = await openStore();
      const add = () =>
        store.inGuild('1', async () => store.values.set('n', Number((await store.values.get('n')) ?? 0) + 1));
      await Promise.all(Array.from({ length: 50 }, add));
      expect(await store.values.get('n')).toBe(50);
    });

    it('joins the outer transaction if it is nested', async () => {
      const store = await openStore();
      const failed = store.inGuild('1', async () => {
        await store.inGuild('1', () => store.values.set('a:1', 1));
        throw new Error('changed my mind');
      });
      await expect(failed).rejects.toThrow('changed my mind');
      expect(await store.values.get('a:1')).toBeUndefined();
    });

    it('reports its duration and whether the database failed', async () => {
      const ends: TransactionEnd[] = [];
      const store = await openStore({ onTransaction: (end) => ends.push(end) });
      await store.inGuild('1', async () => undefined);
      await store.inGuild('1', () => Promise.reject(new Error('not of the database'))).catch(() => undefined);
      await store.inGuild('1', () => sql`no such statement`.execute(store.tables())).catch(() => undefined);
      expect(ends.map(({ isStoreError }) => isStoreError)).toEqual([false, false, true]);
      expect(ends.every(({ ms }) => ms >= 0)).toBe(true);
    });

    it('is logged with its guild if it takes longer than a second', async () => {
      const logger = recorder();
      const store = await openStore({ logger });
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      await store.inGuild('7', async () => void vi.advanceTimersByTime(999));
      vi.advanceTimersByTime(10_000);
      const warnings = () => logger.lines.filter(({ level }) => level === 'warn');
      expect(warnings()).toEqual([]);
      await store.inGuild('7', async () => void vi.advanceTimersByTime(1_001));
      expect(warnings()).toMatchObject([
        { level: 'warn', details: { guildId: '7', stack: expect.stringContaining('contract.test.ts') } },
      ]);
    });
  });

  it.each(['{"value":"ha', '', '{'])('returns null for an invalid value: %j', async (damage) => {
    const { open, change } = await newPlace(kind);
    const store = await open();
    for (const key of ['a:0', 'a:1']) await store.values.set(key, 1);
    await change(`update keyv set value = '${damage}' where key = 'a:1'`);
    expect(await store.values.get('a:1')).toBeNull();
    expect(await store.values.get('a:0')).toBe(1);
    expect(await store.values.keys('a:')).toEqual(['a:0', 'a:1']);
    await store.values.set('a:1', 2);
    expect(await store.values.get('a:1')).toBe(2);
  });

  it('throws from every method if the database fails', async () => {
    const { open, change } = await newPlace(kind);
    const store = await open();
    await store.values.set('a:1', 1);
    await change('alter table keyv rename to gone');
    await expect(store.values.get('a:1')).rejects.toThrow(StoreError);
    await expect(store.values.set('a:1', 2)).rejects.toThrow(StoreError);
    await expect(store.values.delete('a:1')).rejects.toThrow(StoreError);
    await expect(store.values.keys('a:')).rejects.toThrow(StoreError);
  });
});

/** These tests cover processes that share a database. With SQLite, the processes take turns using one connection. */
describe.each(kinds())('processes sharing a %s store', (kind) => {
  const NEVER_MS = 1_000_000;
  const SOON_MS = 5;
  const OLD_MS = 16 * 60_000;
  const encryption = createEncryption([randomBytes(32)]);
  const mia = { guildId: '1', user: { id: '2', name: 'mia' } };

  const interactionOf = (id: string): Interaction => ({
    ...mia,
    id,
    applicationId: '1',
    token: new Secret('token'),
    receivedAt: Date.now() - OLD_MS,
    channelId: '1',
    isAdmin: false,
    isAdministrator: false,
    roleIds: [],
    locale: 'en-US',
    guildLocale: 'en-US',
    isInstalledInGuild: true,
    isInThread: false,
    request: { kind: 'unknown' },
  });

  async function openBoth(): Promise<readonly [Store, Store]> {
    const { open } = await newPlace(kind);
    const store = await open();
    return [store, kind === 'postgres' ? await open() : store];
  }

  async function startProcess(store: Store, deps: Partial<LeasesDeps> = {}) {
    const ends: string[] = [];
    const processId = randomUUID();
    const work = workOf(store, processId);
    const leases = createLeases({
      store,
      processId,
      isShared: true,
      takeOver: work.takeOver,
      onOver: ({ name }) => ends.push(name),
      encryptionKeyId: () => 'a key',
      logger: recorder(),
      renewedEveryMs: SOON_MS,
      ...deps,
    });
    await leases.start?.();
    onTestFinished(() => leases.stop?.());
    return { ...work, ...leases, processId, claimJob: createClaimJob({ store, processId }), ends };
  }

  const words = createWords();

  /**
   * Creates the parts of a process that accept interactions and submit servers. Discord no longer accepts the process's
   * replies.
   * @param failures the number of failing attempts to notify a member
   */
  function workOf(store: Store, processId: string, failures = 0) {
    const parts = partsOver(store, { processId });
    const notified: string[] = [];
    let failed = 0;
    const { interactionStore, editOrder, takeOver } = interactionParts({
      api: { read: async () => 'gone', edit: async () => undefined, followUp: async () => undefined },
      store,
      processId,
      isShared: true,
      encryption,
      wording: { ...words, guildWords: async () => words.wordsFor('en-US'), mention: (name) => name },
      submissions: parts.submissions,
      async reportOf({ interactionId }) {
        failed += 1;
        if (failed <= failures) throw new StoreError('away');
        await parts.submissions.endRunningOf(interactionId);
        const [submission] = await parts.submissions.by('1', interactionId);
        notified.push(interactionId, ...(submission?.servers ?? []).map(({ outcome }) => `${outcome?.kind}`));
        return undefined;
      },
      notifyGuild: async () => undefined,
      pause: async () => undefined,
      logger: recorder(),
    });
    return { parts, ...interactionStore, ...editOrder, takeOver, notified };
  }

  /** Creates a lease that stays valid until the test deletes it. */
  const live = (store: Store, name: string) =>
    store
      .tables()
      .insertInto('leases')
      .values({ process_id: name, until: Date.now() + 60_000, encryption_key_id: 'a key' })
      .execute();

  /** Starts a process that has accepted an interaction and sent the first of three servers. */
  async function working(store: Store) {
    const process = workOf(store, 'asleep');
    await live(store, 'asleep');
    const id = String(SnowflakeUtil.generate());
    await process.record(interactionOf(id));
    const draft = readyDraft(id, 3);
    const submissionId = await beginSubmission(process.parts, mia, { interactionId: id, draft });
    expect(await process.parts.submissions.markSending('1', submissionId, [0])).toBe(true);
    return { process, id, submissionId };
  }

  it("treat a process as dead if it doesn't renew its lease", async () => {
    const [store, another] = await openBoth();
    const silent = await startProcess(store, { leaseMs: 1, renewedEveryMs: 300 });
    const alive = [await startProcess(store), await startProcess(another)];
    await expect.poll(() => silent.ends).toContain('ExpiredLeaseError');
    expect(alive.flatMap(({ ends }) => ends)).toEqual([]);
  });

  it("aren't treated as dead if they all pause", async () => {
    const [store, another] = await openBoth();
    let pausedMs = 0;
    const pausing = (each: Store): Store => ({
      ...each,
      get clock() {
        return sql<number>`${each.clock} + ${sql.lit(pausedMs)}`;
      },
    });
    // It is correct to treat a process as dead if it renews its lease only once while another process does so more than
    // four times.
    const often = { renewedEveryMs: 250 };
    const processes = [
      await startProcess(pausing(store), often),
      await startProcess(pausing(another), often),
    ];
    const untils = async () => (await rowsIn(store, 'leases')).map(({ until }) => until);
    for (let pauses = 0; pauses < 3; pauses += 1) {
      const before = Math.max(...(await untils()));
      pausedMs += 25_000;
      // Both processes have renewed their leases, so neither of them counted as dead.
      await expect.poll(async () => Math.min(...(await untils()))).toBeGreaterThan(before);
    }
    expect(processes.flatMap(({ ends }) => ends)).toEqual([]);
    expect(await untils()).toHaveLength(2);
  });

  it('lose their leases if another process claims exclusive use of the store', async () => {
    const [store] = await openBoth();
    await working(store);
    const { processId } = await startProcess(store, { isShared: false });
    expect(await rowsIn(store, 'leases')).toMatchObject([{ process_id: processId }]);
  });

  it('never run a shared job concurrently', async () => {
    const [store, another] = await openBoth();
    const [one, other] = [await startProcess(store), await startProcess(another)];
    const done: string[] = [];
    const work = (who: string) => async () => void done.push(who);
    const both = await Promise.all([
      one.claimJob('job', NEVER_MS, work('first')),
      other.claimJob('job', NEVER_MS, work('first')),
    ]);
    expect([both.filter(Boolean), done]).toEqual([[true], ['first']]);
    const [holder, waiting] = both[0] ? [one, other] : [other, one];
    expect(await holder.claimJob('job', 1, work('again'))).toBe(true);
    await expect.poll(() => waiting.claimJob('job', NEVER_MS, work('once it is over'))).toBe(true);
    expect(await holder.claimJob('job', NEVER_MS, work('never'))).toBe(false);
    await waiting.stop?.();
    await expect.poll(() => holder.claimJob('job', NEVER_MS, work('once it is dead'))).toBe(true);
    expect(done).toEqual(['first', 'again', 'once it is over', 'once it is dead']);
  });

  it('record an interaction only once, even if several receive it', async () => {
    const [store, another] = await openBoth();
    const [one, other] = [workOf(store, 'one'), workOf(another, 'other')];
    const interaction = interactionOf('1');
    const deliveries = Array.from({ length: 5 }, () => [one.record(interaction), other.record(interaction)]);
    const results = await Promise.allSettled(deliveries.flat());
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it("take over a dead process's work only once", async () => {
    const [store, another] = await openBoth();
    const { id } = await working(store);
    for (const name of ['one', 'another']) await live(store, name);
    const alive = [workOf(store, 'one'), workOf(another, 'another')];
    for (const { takeOver, notified } of alive) {
      await takeOver();
      // The process that accepted the interaction doesn't count as dead yet.
      expect(notified).toEqual([]);
    }
    await store.tables().deleteFrom('leases').where('process_id', '=', 'asleep').execute();
    await Promise.all(alive.map(({ takeOver }) => takeOver()));
    const notified = () => alive.flatMap((each) => each.notified);
    await expect.poll(notified).toEqual([id, 'unknown', 'not-sent', 'not-sent']);
  });

  it('notify the member if another process dies during a submission', async () => {
    const [store, another] = await openBoth();
    const alive = await startProcess(another);
    const { id } = await working(store);
    await store.tables().deleteFrom('leases').where('process_id', '=', 'asleep').execute();
    await expect.poll(() => alive.notified).toEqual([id, 'unknown', 'not-sent', 'not-sent']);
  });

  it.each<[what: string, isResponseLost: boolean, failures: number]>([
    ['the response to a claim was lost', true, 0],
    ['the first attempt to notify the member failed', false, 1],
  ])('retry a takeover if %s', async (_what, isResponseLost, failures) => {
    const [store, another] = await openBoth();
    let isLost = !isResponseLost;
    const losing: Store = {
      ...another,
      async inGuild(...change) {
        const result = await another.inGuild(...change);
        if (isLost) return result;
        isLost = true;
        throw new StoreError('the connection was lost');
      },
    };
    const alive = workOf(losing, 'alive', failures);
    const { id } = await working(store);
    await store.tables().deleteFrom('leases').where('process_id', '=', 'asleep').execute();
    const takeOver = alive.takeOver();
    await (isResponseLost ? expect(takeOver).rejects.toThrow(StoreError) : takeOver);
    expect(alive.notified).toEqual([]);
    // The first attempt to notify the member might still be running.
    const takeOverAgain = () => alive.takeOver().then(() => alive.notified);
    await expect.poll(takeOverAgain).toEqual([id, 'unknown', 'not-sent', 'not-sent']);
  });

  it('agree on which interaction last edited a message', async () => {
    const [store, another] = await openBoth();
    const [one, other] = [workOf(store, 'one'), workOf(another, 'other')];
    const ids = [1, 2, 3].map((n) => String(SnowflakeUtil.generate({ timestamp: Date.now() + n })));
    const [made = '', first = '', second = ''] = ids;
    for (const id of [made, first]) await one.record(interactionOf(id));
    await other.record(interactionOf(second));
    await one.claim(first, made);
    const latest = () => Promise.all(ids.map((id) => one.isLatest(id, made)));
    expect(await latest()).toEqual([false, true, true]);
    await other.claim(second, made);
    expect(await latest()).toEqual([false, false, true]);
    // A process doesn't claim an interaction that another process is already responding to.
    await one.claim(second, first);
    expect(await one.isLatest(first, first)).toBe(true);
  });

  it('stop a paused process from resuming work that was taken over', async () => {
    const [store, another] = await openBoth();
    const { process, id, submissionId } = await working(store);
    expect(await process.isOwned(id)).toBe(true);
    expect(await process.parts.submissions.markSending('1', submissionId, [1])).toBe(true);
    await store.tables().deleteFrom('leases').where('process_id', '=', 'asleep').execute();
    const alive = workOf(another, 'alive');
    await alive.takeOver();
    await expect.poll(() => alive.notified).toHaveLength(4);
    expect(await process.isOwned(id)).toBe(false);
    expect(await process.parts.submissions.markSending('1', submissionId, [2])).toBe(false);
    const ended = { indices: [0, 1, 2], outcome: { kind: 'accepted', message: 'Yes.' } } as const;
    await process.parts.submissions.endRequest(submissionId, ended.indices, [ended]);
    const [{ servers } = { servers: [] }] = await process.parts.submissions.by('1', id);
    expect(servers.map(({ outcome }) => outcome?.kind)).toEqual(['unknown', 'unknown', 'not-sent']);
  });
});
