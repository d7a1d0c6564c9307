import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { GatewayState } from '../discord/client.ts';
import { FatalDiscordError } from '../discord/connection.ts';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

export interface SilenceDeps {
  readonly config: Pick<Config, 'exitWhenSilentSeconds'>;
  readonly gateway: Pick<GatewayState, 'silentMs' | 'identifiesLeft' | 'askIdentifiesLeft'>;
  readonly store: Store;
  /** The process has to end with this, and a status that says so. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: Logger;
  /** How often it is looked, in milliseconds, where it is not to be the usual time. */
  readonly lookEveryMs?: number;
}

/** The wait is doubled up to this, in seconds: 6 hours, so that a long outage takes four IDENTIFYs a day. */
const LONGEST_WAIT_SECONDS = 21_600;
/**
 * Each start takes an IDENTIFY for every shard, of 1,000 a day; at the last one Discord resets the token (Discord docs:
 * Gateway, "Session Start Limit"). So many are kept for the starts that somebody wants.
 */
const IDENTIFIES_KEPT = 200;
/** Discord's heartbeat, in seconds: with a shorter wait the pause between two of them would count as silence. */
const HEARTBEAT_SECONDS = 41.25;
/** How often it is looked, in milliseconds: at most so often, and so many times in a wait. */
const LOOKS = { everyMs: 15_000, inAWait: 10 };
/** Under one id: the wait that is kept over restarts. */
const WAITS = { name: 'silence', version: 1, schema: z.object({ seconds: z.number() }) };
const WAIT = 'wait';

/**
 * Ends the process when the gateway has been silent for long, so that a supervisor starts it anew: discord.js may be
 * left waiting for a connection that nobody will bring back. Each end in a row doubles the wait; a gateway that has been
 * heard for a whole wait brings it back. To be started after the store, and before the connection.
 */
export function createSilence(deps: SilenceDeps): Part {
  const { config, gateway, store, onFatal, logger } = deps;
  const { exitWhenSilentSeconds: seconds } = config;
  let timer: NodeJS.Timeout | undefined;
  const kept = createKeptWait({ seconds, store, logger });
  let waitSeconds = seconds;
  let heardSince: number | undefined;
  let startedAt = 0;
  let isEnding = false;
  let hasWarned = false;

  /** Whether a start is granted: by what Discord says now or, where it does not answer, has said last. */
  async function mayEnd(): Promise<boolean> {
    await gateway
      .askIdentifiesLeft()
      .catch((error: unknown) =>
        logger.debug({ err: error }, 'Discord did not say how many IDENTIFYs are left'),
      );
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

  async function look(): Promise<void> {
    const silentMs = gateway.silentMs();
    if (silentMs < waitSeconds * 1000) {
      await heard(silentMs);
      return;
    }
    heardSince = undefined;
    if (isEnding || !(await mayEnd()) || timer === undefined) return;
    isEnding = true;
    await kept.write(Math.min(LONGEST_WAIT_SECONDS, waitSeconds * 2));
    onFatal(
      new FatalDiscordError(
        `Nothing has come from Discord's gateway for ${Math.floor(silentMs / 1000)} seconds: the bot ends, to be started anew. ` +
          'See EXIT_WHEN_SILENT_SECONDS',
      ),
    );
  }

  async function heard(silentMs: number): Promise<void> {
    const now = performance.now();
    hasWarned = false;
    // Something came, and not only the time since the start is short.
    if (heardSince === undefined && silentMs < now - startedAt) heardSince = now;
    if (waitSeconds === seconds || heardSince === undefined || now - heardSince < waitSeconds * 1000) return;
    waitSeconds = seconds;
    await kept.write(undefined);
  }

  return {
    name: 'silence',
    async start() {
      if (seconds === 0) return;
      if (seconds < 2 * HEARTBEAT_SECONDS) {
        logger.warn(
          { seconds },
          'EXIT_WHEN_SILENT_SECONDS is shorter than two heartbeats of Discord (83 seconds): a quiet bot may end for nothing',
        );
      }
      startedAt = performance.now();
      waitSeconds = await kept.read();
      const every = deps.lookEveryMs ?? Math.min(LOOKS.everyMs, (waitSeconds * 1000) / LOOKS.inAWait);
      timer = setInterval(() => void look(), every).unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** The wait that a previous end has left. A store that fails must keep nobody from starting or ending. */
function createKeptWait(deps: { readonly seconds: number } & Pick<SilenceDeps, 'store' | 'logger'>) {
  const { seconds, store, logger } = deps;
  const waits = createCollection({ store, ...WAITS });
  return {
    async read(): Promise<number> {
      try {
        const kept = await waits.get(WAIT);
        return kept ? Math.min(LONGEST_WAIT_SECONDS, Math.max(seconds, kept.seconds)) : seconds;
      } catch (error) {
        logger.warn({ err: error }, 'how long to wait for a silent gateway could not be read');
        return seconds;
      }
    },
    async write(next: number | undefined): Promise<void> {
      try {
        if (next === undefined) await waits.delete(WAIT);
        else await waits.set(WAIT, { seconds: next });
      } catch (error) {
        logger.warn({ err: error }, 'how long to wait for a silent gateway could not be kept');
      }
    },
  };
}
