import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.ts';

/** Something with a lifetime. Making it does no work; `start` does, and `stop` undoes it. */
export interface Part {
  readonly name: string;
  start?(): Promise<void>;
  stop?(): Promise<void>;
}

/**
 * How long after its start a part begins what nobody waits for, in milliseconds: members who have waited for the bot come
 * first.
 */
export const AFTER_START_MS = 1_000;

export interface JobDeps {
  /** How long after the start it runs first, in milliseconds. */
  readonly firstMs: number;
  readonly everyMs: number;
  /** Must not throw. */
  readonly run: () => Promise<void>;
}

/** What is done again and again, once at a time. */
export function createJob({ firstMs, everyMs, run }: JobDeps) {
  let first: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const stopping = new AbortController();

  /** Does it now, or waits for the run that is under way. */
  function runOnce(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    run: runOnce,
    /** Aborted when it is to stop: a run looks for that between its steps. */
    stopping: stopping.signal,
    async start(): Promise<void> {
      first = setTimeout(runOnce, firstMs).unref();
      timer = setInterval(runOnce, everyMs).unref();
    },
    /** Waits for the run that is under way. */
    async stop(): Promise<void> {
      clearTimeout(first);
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

/**
 * Runs once at a time. Whoever wants it while it runs, so that it may have passed what they want done by then, waits for
 * another run after that one.
 */
export function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let isWanted = false;
  let running: Promise<void> | undefined;

  async function runWhileWanted(): Promise<void> {
    while (isWanted) {
      isWanted = false;
      await run();
    }
  }

  return () => {
    isWanted = true;
    running ??= runWhileWanted().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Waits for something to end, well or not, for so many milliseconds at most. */
export async function atMost(ms: number, end: Promise<unknown>): Promise<void> {
  const isOver = new AbortController();
  const time = sleep(ms, undefined, { signal: isOver.signal, ref: false });
  await Promise.race([end, time]).catch(() => undefined);
  isOver.abort();
}

/**
 * Parts started in order and stopped in reverse, once. If one fails to start, those before it are stopped again and its
 * error is thrown. A part that fails to stop is logged; the others are stopped all the same.
 */
export function inOrder(parts: readonly Part[], logger: Logger): Required<Omit<Part, 'name'>> {
  const started: Part[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (const part of started.splice(0).reverse()) {
      await part.stop?.().catch((error: unknown) => {
        logger.error({ err: error, part: part.name }, 'a part could not be stopped cleanly');
      });
    }
  }

  return {
    async start() {
      for (const part of parts) {
        if (stopping) return;
        started.push(part);
        try {
          await part.start?.();
        } catch (error) {
          await stopAll();
          throw error;
        }
      }
    },
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}
