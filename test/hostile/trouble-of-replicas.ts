import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, Replica } from './fleet.ts';
import type { Random } from './random.ts';
import type { Replicas, World } from './world.ts';

/** In milliseconds. */
const KILL_EVERY_MS = 10_000;
const STOPPED_FOR_MS = 30_000;
/** When each of these comes, once, by the time that the others take. */
const STOP_AFTER_MS = 5_000;
const PAUSE_MS = 10_000;

/** What happens to processes: `kill -9`, a stop of 30 s, a rolling restart, a restart of their database. */
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
  let stopped: Replica | undefined;
  const pause = (ms: number) => sleep(ms, undefined, { signal: over }).catch(() => undefined);

  async function kill(): Promise<void> {
    while (!over.aborted) {
      await pause(KILL_EVERY_MS);
      const others = replicas.filter((replica) => replica !== stopped && replica.running);
      const one = others[random.below(others.length)];
      if (over.aborted || one === undefined) continue;
      verdict.count('kills', 1);
      await one.stop('SIGKILL');
    }
  }

  /** One stands still for so long that others take over what it had. */
  async function standStill(): Promise<void> {
    await pause(STOP_AFTER_MS);
    if (over.aborted) return;
    const [one] = replicas;
    const { pid } = one ?? {};
    if (one === undefined || pid === undefined) return;
    stopped = one;
    process.kill(pid, 'SIGSTOP');
    await sleep(STOPPED_FOR_MS);
    process.kill(pid, 'SIGCONT');
    verdict.count('stops of 30 seconds', 1);
    stopped = undefined;
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

  async function once(): Promise<void> {
    await standStill();
    await pause(PAUSE_MS);
    if (!over.aborted) await rollingRestart();
    await pause(PAUSE_MS);
    if (over.aborted) return;
    await server.restart();
    verdict.count('restarts of PostgreSQL', 1);
  }

  await Promise.all([kill(), once()]);
  await Promise.all(replicas.map(untilReady));
  verdict.count('replicas that ended since others had taken over', fleet.leasesOver());
}
