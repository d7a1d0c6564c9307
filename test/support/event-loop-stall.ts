import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One time that the bot's event loop stood still. */
export interface Stall {
  /** When it ended, in ms since 1970. */
  readonly at: number;
  /** Milliseconds by the clock: the bot's own work, and whatever else the machine did meanwhile. */
  readonly ms: number;
  /**
   * Of these, the milliseconds of processor time that the bot's main thread used. On a machine with other work this is
   * what the bot did; the rest of `ms` was waiting for a processor.
   */
  readonly ownMs: number;
}

const PRELOAD = new URL('preloads/event-loop-stall.ts', import.meta.url);

/** Measures how long the event loop of a bot's process stands still, from inside that process. */
export async function createStallProbe() {
  const folder = await mkdtemp(join(tmpdir(), 'stalls-'));
  const file = join(folder, 'stalls.jsonl');

  /** What ended at `since` or later, in ms since 1970; a start of the bot is a stall too. Those up to 20 ms are left out. */
  async function stalls(since = 0): Promise<readonly Stall[]> {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Stall)
      .filter(({ at }) => at >= since);
  }

  return {
    /** To be given to the bot's process: `openScene({ env: { ...probe.env } })`. */
    env: { NODE_OPTIONS: `--import ${PRELOAD.href}`, STALL_FILE: file },
    stalls,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
