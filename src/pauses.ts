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
