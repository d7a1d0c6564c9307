import { AFTER_START_MS, createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { HOUR_MS } from '../pacing/durations.ts';
import type { ClaimJob } from '../storage/claim-job.ts';

/** Tasks in small steps. If a task fails, the others still run. After `stopping` is aborted, the next step throws. */
type Tasks = Readonly<Record<string, (stopping: AbortSignal) => Promise<void>>>;

export interface MaintenanceDeps {
  readonly tasks: Tasks;
  /** Tasks that delete old data. They run first, and only if the clock is right. */
  readonly byAge: Tasks;
  /** Never throws. */
  readonly isClockRight: () => Promise<boolean>;
  readonly claimJob: ClaimJob;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Creates the job that deletes expired data and re-encrypts data with the current key. It runs soon after the start and
 * then once an hour, in one of the processes.
 */
export function createMaintenance(deps: MaintenanceDeps): Part {
  const { tasks, byAge, isClockRight, claimJob, logger } = deps;
  const job = createJob({ firstMs: AFTER_START_MS, everyMs: HOUR_MS, run: runOnce });
  const { stopping } = job;

  async function runOnce(): Promise<void> {
    await claimJob('maintenance', HOUR_MS, runAll).catch((error: unknown) => {
      logger.warn(
        { err: error },
        'could not check whether another process runs the hourly job; will retry in an hour',
      );
    });
  }

  async function runAll(): Promise<void> {
    const due = (await isClockRight()) ? { ...byAge, ...tasks } : tasks;
    for (const [task, run] of Object.entries(due)) {
      if (stopping.aborted) return;
      await run(stopping).catch((error: unknown) => {
        if (stopping.aborted) return;
        logger.warn({ err: error, task }, 'a task of the hourly job failed; will retry in an hour');
      });
    }
  }

  return { name: 'maintenance', ...job };
}
