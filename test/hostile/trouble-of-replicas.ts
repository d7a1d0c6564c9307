import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, Replica } from './fleet.ts';
import type { Random } from './random.ts';
import type { Replicas, World } from './world.ts';

/** How many milliseconds pass between two kills. */
const KILL_EVERY_MS = 10_000;
/**
 * How long a single replica is stopped, in milliseconds. Another replica considers it dead after 20 to 30 seconds, and
 * isn't killed in that time.
 */
const ONE_STOPPED_MS = 60_000;
/** How long a replica takes to notice that others consider it dead, and to exit. */
const FINDS_OUT_MS = 10_000;
const ALL_STOPPED_MS = 25_000;
const ONLY_READS_MS = 20_000;
/** The longest wait for a replica's next transaction, in milliseconds. */
const LONGEST_WAIT_MS = 60_000;
/** The pause between two faults, in milliseconds. It is short enough that two minutes contain every kind of fault. */
const PAUSE_MS = 4_000;

/**
 * Kills replicas throughout the run, and causes these faults:
 * - Once, one replica stops, the database restarts, and all replicas are restarted one by one.
 * - Repeatedly, a machine vanishes, all replicas stop, and the database becomes read-only.
 */
export async function troubleReplicas(
  world: World,
  random: Random,
  over: AbortSignal,
  { server }: Replicas,
): Promise<void> {
  const { verdict } = world;
  const fleet: Fleet | undefined = world.fleet();
  if (fleet === undefined) throw new Error('there are no replicas');
  const { replicas } = fleet;
  const stopped = new Set<Replica>();
  /** Replicas that must not be killed. */
  const spared = new Set<Replica>();
  const pause = (ms: number) => sleep(ms, undefined, { signal: over }).catch(() => undefined);

  function oneOf(all: readonly Replica[]): Replica | undefined {
    const others = all.filter((replica) => replica.running && !stopped.has(replica));
    return others[random.below(others.length)];
  }

  /** Waits until a replica other than `other` is ready. After a kill, there might be none. */
  async function oneReady(other?: Replica): Promise<Replica | undefined> {
    for (;;) {
      const one = oneOf(replicas.filter((replica) => replica.isReady && replica !== other));
      if (one !== undefined || over.aborted) return one;
      await pause(100);
    }
  }

  async function kill(): Promise<void> {
    while (!over.aborted) {
      await pause(KILL_EVERY_MS);
      const one = oneOf(replicas.filter((replica) => !spared.has(replica)));
      if (over.aborted || one === undefined) continue;
      verdict.count('kills', 1);
      stopped.add(one);
      await one.stop('SIGKILL');
      stopped.delete(one);
    }
  }

  async function standStill(those: readonly Replica[], ms: number): Promise<void> {
    for (const replica of those) {
      stopped.add(replica);
      replica.signal('SIGSTOP');
    }
    await sleep(ms);
    for (const replica of those) {
      replica.signal('SIGCONT');
      stopped.delete(replica);
    }
  }

  /** Stops a replica until another one takes over its work. */
  async function standStillAlone(): Promise<void> {
    const one = await oneReady();
    if (one === undefined) return;
    spared.add(one);
    const heir = await oneReady(one);
    if (heir === undefined) return;
    spared.add(heir);
    await standStill([one], ONE_STOPPED_MS);
    await Promise.race([one.exited(), sleep(FINDS_OUT_MS)]);
    spared.clear();
    verdict.count('stops of a single replica', 1);
  }

  /** Kills a replica during a transaction, but leaves its database connection open. */
  async function vanish(): Promise<void> {
    const one = await oneReady();
    if (one === undefined) return;
    const isSilent = one.wire.freezeInTransaction().then(() => true);
    if (!(await Promise.race([isSilent, pause(LONGEST_WAIT_MS)]))) return;
    await one.stop('SIGKILL');
    verdict.count('vanished machines', 1);
  }

  async function standStillTogether(): Promise<void> {
    await standStill(replicas, ALL_STOPPED_MS);
    verdict.count('stops of all replicas', 1);
  }

  async function rollingRestart(): Promise<void> {
    for (const replica of replicas) {
      await replica.stop();
      await untilReady(replica);
    }
    verdict.count('rolling restarts', 1);
  }

  async function untilReady(replica: Replica): Promise<void> {
    while (!replica.isReady) await sleep(100);
  }

  async function onlyRead(): Promise<void> {
    await server.onlyRead(true);
    await sleep(ONLY_READS_MS);
    await server.onlyRead(false);
    verdict.count('times that PostgreSQL was read-only', 1);
  }

  async function everything(): Promise<void> {
    await pause(PAUSE_MS);
    await standStillAlone();
    await pause(PAUSE_MS);
    await server.restart();
    verdict.count('restarts of PostgreSQL', 1);
    while (!over.aborted) {
      for (const fault of [vanish, standStillTogether, onlyRead]) {
        await pause(PAUSE_MS);
        // Without users, a fault wouldn't test anything.
        if (!over.aborted) await fault();
      }
    }
    // New processes end the work whose result couldn't be recorded in time. Otherwise, only the hourly job would end it.
    await rollingRestart();
  }

  await Promise.all([kill(), everything()]);
  await Promise.all(replicas.map(untilReady));
  verdict.count('replicas that ended because others had taken over', fleet.leasesOver());
}
