import { setImmediate } from 'node:timers/promises';

/**
 * Counts work, and lets everybody else have the event loop whenever enough has come together.
 * @param work what is about to be done, in characters to read or in steps that cost about as much
 */
export type Pauses = (work: number) => Promise<void> | undefined;

/**
 * Work between two pauses. The dearest text to read that is known, short words with dots, takes 3 µs a character on a
 * small machine: 15 ms, while 100 ms is what nobody notices.
 */
const WORK_BETWEEN_PAUSES = 5_000;

/** @param pause gives everybody else their turn; all timers and sockets that are due, unless something else is said */
export function createPauses(pause: () => Promise<unknown> = () => setImmediate()): Pauses {
  let done = 0;
  return (work) => {
    done += work;
    if (done < WORK_BETWEEN_PAUSES) return undefined;
    done = 0;
    return pause().then(() => undefined);
  };
}

/**
 * How long work begins without a pause, in milliseconds. Most begins in a tenth of one, and what begins together is
 * written together; a press on a list of 1,000 takes 20 (measured).
 */
const BEGINS_FOR_MS = 5;

export interface FairStartDeps {
  readonly pause?: () => Promise<unknown>;
  /** Milliseconds, from any moment on. */
  readonly now?: () => number;
}

/**
 * Lets work begin, of one guild after the other, with time for everybody else in between: what one guild has piled up is
 * not before what another begins. With nothing piled up nothing waits.
 * @returns makes of a guild's work the same that waits for this once it is run
 */
export function createFairStart(deps: FairStartDeps = {}) {
  const { pause = () => setImmediate(), now = () => performance.now() } = deps;
  /** By guild; the one that is next is first. */
  const waiting = new Map<string, (() => void)[]>();
  /** When the first work since the last pause began. */
  let since: number | undefined;
  const isTimeUp = () => since !== undefined && now() - since >= BEGINS_FOR_MS;

  async function beginOthers(): Promise<void> {
    await pause();
    since = now();
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [guildId, starts] = next;
      const start = starts.shift();
      waiting.delete(guildId);
      if (starts.length > 0) waiting.set(guildId, starts);
      start?.();
      await begun();
      if (isTimeUp()) {
        await pause();
        since = now();
      }
    }
    since = undefined;
  }

  function mayBegin(guildId: string): Promise<void> {
    if (since === undefined) {
      since = now();
      void beginOthers();
    }
    if (waiting.size === 0 && !isTimeUp()) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const starts = waiting.get(guildId) ?? [];
    starts.push(resolve);
    waiting.set(guildId, starts);
    return promise;
  }

  return <Result>(guildId: string, work: () => Promise<Result>): (() => Promise<Result>) =>
    () =>
      mayBegin(guildId).then(work);
}

/** When what has begun has done all that it can without waiting for anything outside of this process. */
const begun = () => new Promise<void>((resolve) => process.nextTick(resolve));
