import type { Config } from '../config/config.ts';
import { FatalDiscordError, type GatewayState } from '../discord/gateway.ts';
import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Values } from '../storage/store.ts';

export interface SilenceDeps {
  readonly config: Pick<Config, 'exitWhenSilentSeconds'>;
  readonly gateway: Pick<GatewayState, 'silentMs' | 'identifiesLeft' | 'askIdentifiesLeft'>;
  readonly values: Values;
  /** The process has to end with this, and a status that says so. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: Logger;
}

/** The wait is doubled up to this, in seconds: 6 hours, so that a long outage takes four IDENTIFYs a day. */
const LONGEST_WAIT_SECONDS = 21_600;
/**
 * Each start takes an IDENTIFY for every shard, of 1,000 a day; at the last one Discord resets the token (Discord docs:
 * Gateway, "Session Start Limit"). So many are kept for the starts that somebody wants.
 */
const IDENTIFIES_KEPT = 200;
/** How many times in a wait the gateway is looked at. */
const LOOKS_IN_A_WAIT = 40;
/** The key of the wait in seconds, which is kept over restarts. */
const WAIT = 'silence:wait';

/**
 * Ends the process when the gateway has been silent for long, so that a supervisor starts it anew: discord.js may be
 * left waiting for a connection that nobody will bring back. Each end in a row doubles the wait; a gateway that has been
 * heard for a whole wait brings it back. To be started after the store, and before the connection.
 */
export function createSilence({ config, gateway, values, onFatal, logger }: SilenceDeps): Part {
  const { exitWhenSilentSeconds: seconds } = config;
  const job = createJob({ firstMs: 0, everyMs: (seconds * 1000) / LOOKS_IN_A_WAIT, run: look });
  let waitSeconds = seconds;
  let startedAt = 0;
  let isOver = false;
  let hasWarned = false;

  async function look(): Promise<void> {
    const silentMs = gateway.silentMs();
    try {
      if (silentMs < waitSeconds * 1000) await heard(silentMs);
      else await silent(silentMs);
    } catch (error) {
      logger.warn({ err: error }, 'how long to wait for a silent gateway could not be kept');
    }
  }

  async function heard(silentMs: number): Promise<void> {
    hasWarned = false;
    const heardForMs = performance.now() - silentMs - startedAt;
    if (waitSeconds === seconds || heardForMs < waitSeconds * 1000) return;
    waitSeconds = seconds;
    await values.delete(WAIT);
  }

  async function silent(silentMs: number): Promise<void> {
    const isGranted = await mayEnd();
    // The bot may have been stopped meanwhile.
    if (!isGranted || isOver) return;
    isOver = true;
    try {
      await values.set(WAIT, Math.min(LONGEST_WAIT_SECONDS, waitSeconds * 2));
    } finally {
      onFatal(
        new FatalDiscordError(
          `Nothing has come from Discord's gateway for ${Math.floor(silentMs / 1000)} seconds: the bot ends, to be started ` +
            'anew. See EXIT_WHEN_SILENT_SECONDS',
        ),
      );
    }
  }

  /** Whether a start is granted, by what Discord says now or has said last. */
  async function mayEnd(): Promise<boolean> {
    await gateway.askIdentifiesLeft().catch(() => undefined);
    const left = gateway.identifiesLeft();
    if (left === undefined || left >= IDENTIFIES_KEPT) return true;
    if (!hasWarned) {
      logger.error(
        { left },
        'the gateway is silent, but too few IDENTIFYs are left of this day for a restart',
      );
    }
    hasWarned = true;
    return false;
  }

  return {
    name: 'silence',
    async start() {
      if (seconds === 0) return;
      const kept = await values.get(WAIT);
      if (typeof kept === 'number') waitSeconds = Math.max(seconds, kept);
      startedAt = performance.now();
      job.start();
    },
    async stop() {
      isOver = true;
      // Discord may take long to answer a look that is under way; nobody waits for that.
      void job.stop();
    },
  };
}
