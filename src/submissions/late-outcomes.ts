import type { Logger } from '../logger.ts';

/** Before the first try, in milliseconds; twice as long before each further one, up to {@link LONGEST_PAUSE_MS}. */
const FIRST_PAUSE_MS = 1_000;
/** A store that is locked holds up everybody for a second at each try. */
const LONGEST_PAUSE_MS = 60_000;
/** Submissions that wait; the oldest goes. Nothing new begins while the store takes nothing, so there are few. */
const MOST_WAITING = 1_000;
/** Submissions that are written at the same moment, in one commit. */
const AT_ONCE = 20;

/** What came of submissions and could not be written: it is, as soon as the store takes it again. */
export interface LateOutcomes {
  /**
   * @param id the submission's
   * @param write writes what came of it, and fails as long as it cannot
   */
  add(id: string, write: () => Promise<void>): void;
  /** Tries for the last time. What cannot be written then is unknown after the next start. It never throws. */
  stop(): Promise<void>;
}

export function createLateOutcomes({
  logger,
}: {
  readonly logger: Pick<Logger, 'error' | 'info'>;
}): LateOutcomes {
  const waiting = new Map<string, () => Promise<void>>();
  let pauseMs = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;

  async function writeOne(id: string, write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      waiting.delete(id);
      return true;
    } catch {
      return false;
    }
  }

  /** Ends when all is written, or the store takes nothing. */
  async function writeAll(): Promise<void> {
    for (let count = 1; count > 0 && waiting.size > 0; ) {
      const some = [...waiting].slice(0, AT_ONCE);
      const written = await Promise.all(some.map(([id, write]) => writeOne(id, write)));
      count = written.filter(Boolean).length;
      if (count > 0) logger.info({ count }, 'what came of submissions could be recorded after all');
    }
  }

  function schedule(): void {
    if (isStopped || timer || waiting.size === 0) return;
    timer = setTimeout(() => {
      running = writeAll().finally(() => {
        timer = undefined;
        pauseMs = waiting.size === 0 ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        schedule();
      });
    }, pauseMs).unref();
  }

  return {
    add(id, write) {
      waiting.set(id, write);
      const [oldest] = waiting.keys();
      if (waiting.size > MOST_WAITING && oldest !== undefined) {
        waiting.delete(oldest);
        logger.error({ submission: oldest }, 'what came of a submission is given up: too many wait');
      }
      schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
      await writeAll();
      if (waiting.size > 0)
        logger.error(
          { count: waiting.size },
          'what came of submissions could not be recorded; it will be unknown after the next start',
        );
    },
  };
}
