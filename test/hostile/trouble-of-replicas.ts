import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, Replica } from './fleet.ts';
import type { Random } from './random.ts';
import type { Replicas, World } from './world.ts';

/** In milliseconds. */
const KILL_EVERY_MS = 10_000;
/** Others count one as dead after 20 to 30 seconds in which they are not killed themselves: one of them is spared. */
const ONE_STOPPED_MS = 60_000;
/** In which one that was counted as dead finds that out, and ends. */
const FINDS_OUT_MS = 10_000;
const ALL_STOPPED_MS = 25_000;
const ONLY_READS_MS = 20_000;
/** For a transaction of one of them. */
const LONGEST_WAIT_MS = 60_000;
/** Between two troubles, by the time that the others take. */
const PAUSE_MS = 10_000;

/**
 * What happens to processes: `kill -9`; once each a stop of one of them, a rolling restart, and a restart of their database;
 * again and again a machine that vanishes, a stop of all of them together, and a database that only reads.
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
  /** They are not killed. */
  const spared = new Set<Replica>();
  const pause = (ms: number) => sleep(ms, undefined, { signal: over }).catch(() => undefined);

  function oneOf(all: readonly Replica[]): Replica | undefined {
    const others = all.filter((replica) => replica.running && !stopped.has(replica));
    return others[random.below(others.length)];
  }

  /** Waits for one, other than this if one is named; a kill may have left none that is ready. */
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

  /** One stands still for so long that another takes over what it had. */
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
    verdict.count('stops of one', 1);
  }

  /** One ends in a transaction, and its database hears nothing of that. */
  async function vanish(): Promise<void> {
    const one = await oneReady();
    if (one === undefined) return;
    const isSilent = one.wire.freezeInTransaction().then(() => true);
    if (!(await Promise.race([isSilent, pause(LONGEST_WAIT_MS)]))) return;
    await one.stop('SIGKILL');
    verdict.count('machines that vanished', 1);
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
    verdict.count('times that PostgreSQL only read', 1);
  }

  async function everything(): Promise<void> {
    await pause(PAUSE_MS);
    await standStillAlone();
    await pause(PAUSE_MS);
    await server.restart();
    verdict.count('restarts of PostgreSQL', 1);
    while (!over.aborted) {
      await pause(PAUSE_MS);
      await vanish();
      await pause(PAUSE_MS);
      await standStill(replicas, ALL_STOPPED_MS);
      verdict.count('stops of all', 1);
      await pause(PAUSE_MS);
      await onlyRead();
    }
    // What could not be recorded in time is told by whoever comes after: only the hourly job would end it otherwise.
    await rollingRestart();
  }

  await Promise.all([kill(), everything()]);
  await Promise.all(replicas.map(untilReady));
  verdict.count('replicas that ended since others had taken over', fleet.leasesOver());
}
