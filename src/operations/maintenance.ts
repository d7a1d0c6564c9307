import { AFTER_START_MS, createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';

const HOUR_MS = 3_600_000;

export interface MaintenanceDeps {
  /** Each lets go of something that is past its time, in small steps; one that fails keeps none of the others from it. */
  readonly tasks: Readonly<Record<string, () => Promise<void>>>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The one job for everything that goes, once an hour and soon after the start. */
export function createMaintenance({ tasks, logger }: MaintenanceDeps): Part {
  const job = createJob({ firstMs: AFTER_START_MS, everyMs: HOUR_MS, run: runAll });
  let isStopped = false;

  async function runAll(): Promise<void> {
    for (const [task, run] of Object.entries(tasks)) {
      if (isStopped) return;
      await run().catch((error: unknown) => {
        logger.warn(
          { err: error, task },
          'what is past its time could not be removed; it is tried again in an hour',
        );
      });
    }
  }

  return {
    name: 'maintenance',
    start: async () => job.start(),
    async stop() {
      isStopped = true;
      await job.stop();
    },
  };
}
