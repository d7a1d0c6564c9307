import { AFTER_START_MS, createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { HOUR_MS } from '../numbers.ts';
import type { ClaimJob } from '../storage/claim-job.ts';

/**
 * Each task works in small steps; if one fails, the others go on. When the bot stops, `stopping` is aborted, and a task throws
 * between two steps.
 */
type Tasks = Readonly<Record<string, (stopping: AbortSignal) => Promise<void>>>;

export interface MaintenanceDeps {
  readonly tasks: Tasks;
  /** These run first, and only where the clock is right. */
  readonly byAge: Tasks;
  /** Never throws. */
  readonly isClockRight: () => Promise<boolean>;
  readonly claimJob: ClaimJob;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * The job that deletes whatever is past its time, and seals anew what is sealed with a former key: soon after the start and once
 * an hour, in one process for all.
 */
export function createMaintenance(deps: MaintenanceDeps): Part {
  const { tasks, byAge, isClockRight, claimJob, logger } = deps;
  const job = createJob({ firstMs: AFTER_START_MS, everyMs: HOUR_MS, run: runOnce });
  const { stopping } = job;

  async function runOnce(): Promise<void> {
    await claimJob('maintenance', HOUR_MS, runAll).catch((error: unknown) => {
      logger.warn(
        { err: error },
        'whether another process does the hourly job cannot be known; it is tried again in an hour',
      );
    });
  }

  async function runAll(): Promise<void> {
    const due = (await isClockRight()) ? { ...byAge, ...tasks } : tasks;
    for (const [task, run] of Object.entries(due)) {
      if (stopping.aborted) return;
      await run(stopping).catch((error: unknown) => {
        if (stopping.aborted) return;
        logger.warn({ err: error, task }, 'a task of the hourly job failed; it is tried again in an hour');
      });
    }
  }

  return { name: 'maintenance', ...job };
}
