import type { Config } from '../config/config.ts';
import { FatalDiscordError, type GatewayState } from '../discord/gateway.ts';
import { IDENTIFIES_KEPT } from '../discord/identifies.ts';
import { createJob, type Part } from '../lifecycle.ts';
import { createSparingLog, type SparingLog } from '../sparing-log.ts';

export interface SilenceDeps {
  readonly config: Pick<Config, 'exitWhenSilentSeconds'>;
  readonly gateway: Pick<GatewayState, 'silentMs' | 'identifiesLeft' | 'askIdentifiesLeft'>;
  /** The process has to end with this, and a status that says so. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: SparingLog;
}

/** How many times in a wait the gateway is looked at. */
const LOOKS_IN_A_WAIT = 40;

/**
 * Ends the process when the gateway has been silent for long, so that a supervisor starts it anew: discord.js may be
 * left waiting for a connection that nobody will bring back. A start takes an IDENTIFY for every shard. To be started
 * before the connection.
 */
export function createSilence({ config, gateway, onFatal, logger }: SilenceDeps): Part {
  const longestMs = config.exitWhenSilentSeconds * 1000;
  const job = createJob({ firstMs: 0, everyMs: longestMs / LOOKS_IN_A_WAIT, run: look });
  const log = createSparingLog(logger);
  let isOver = false;

  async function look(): Promise<void> {
    const silentMs = gateway.silentMs();
    if (silentMs < longestMs) return;
    const isGranted = await mayEnd();
    // The bot may have been stopped meanwhile.
    if (!isGranted || isOver) return;
    isOver = true;
    onFatal(
      new FatalDiscordError(
        `Nothing has come from Discord's gateway for ${Math.floor(silentMs / 1000)} seconds: the bot ends, to be started ` +
          'anew. See EXIT_WHEN_SILENT_SECONDS',
      ),
    );
  }

  /** Whether a start is granted, by what Discord says now or has said last. */
  async function mayEnd(): Promise<boolean> {
    await gateway.askIdentifiesLeft().catch(() => undefined);
    const left = gateway.identifiesLeft();
    if (left === undefined || left >= IDENTIFIES_KEPT) return true;
    log.error({ left }, 'the gateway is silent, but too few IDENTIFYs are left of this day for a restart');
    return false;
  }

  return {
    name: 'silence',
    async start() {
      if (longestMs > 0) job.start();
    },
    async stop() {
      isOver = true;
      // Discord may take long to answer a look that is under way; nobody waits for that.
      void job.stop();
    },
  };
}
