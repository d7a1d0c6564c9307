import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.ts';

export interface Part {
  readonly name: string;
  start?(): Promise<void>;
  stop?(): Promise<void>;
}

/** Delay before a started part begins background work (ms). Members who are waiting for the bot are served first. */
export const AFTER_START_MS = 1_000;

export interface JobDeps {
  readonly firstMs: number;
  readonly everyMs: number;
  /** Must not throw. */
  readonly run: () => Promise<void>;
}

/** Creates a recurring job whose runs never overlap. */
export function createJob({ firstMs, everyMs, run }: JobDeps) {
  let first: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const stopping = new AbortController();

  /** Runs the job now. If it's already running, waits for that run instead. */
  function runOnce(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    run: runOnce,
    /** The signal is aborted when the job stops. Runs should check it between steps. */
    stopping: stopping.signal,
    async start(): Promise<void> {
      first = setTimeout(runOnce, firstMs).unref();
      timer = setInterval(runOnce, everyMs).unref();
    },
    async stop(): Promise<void> {
      clearTimeout(first);
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

/** Returns whether the promise was fulfilled or rejected in time. Never throws. */
export async function waitAtMost(ms: number, end: Promise<unknown>): Promise<boolean> {
  const isOver = new AbortController();
  const time = sleep(ms, false, { signal: isOver.signal, ref: false });
  const settled = end.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, time]);
  isOver.abort();
  return isSettled;
}

/** Returns a promise's result, or `undefined` after `ms` milliseconds. @throws if the promise is rejected in time */
export const resultWithin = async <Result>(
  ms: number,
  result: Promise<Result>,
): Promise<Result | undefined> => ((await waitAtMost(ms, result)) ? result : undefined);

/**
 * Starts parts in order, and stops them once, in reverse order. If a part fails to start, the parts before it are stopped
 * and its error is thrown. If a part fails to stop, its error is logged and the other parts are still stopped.
 */
export function startInOrder(parts: readonly Part[], logger: Logger) {
  const started: Part[] = [];
  const running = new Set<Part>();
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (const part of started.splice(0).reverse()) {
      await part.stop?.().catch((error: unknown) => {
        logger.error(
          { err: error, part: part.name },
          'could not stop a part cleanly; continuing to stop the others',
        );
      });
      running.delete(part);
    }
  }

  return {
    async start(): Promise<void> {
      for (const part of parts) {
        if (stopping) return;
        started.push(part);
        running.add(part);
        try {
          await part.start?.();
        } catch (error) {
          await stopAll();
          throw error;
        }
      }
    },
    stop(): Promise<void> {
      stopping ??= stopAll();
      return stopping;
    },
    running: (): readonly string[] => [...running].map(({ name }) => name),
  };
}
