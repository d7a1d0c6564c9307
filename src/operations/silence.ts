import type { Config } from '../config/config.ts';
import { FatalDiscordError, type GatewayState } from '../discord/gateway.ts';
import { IDENTIFIES_KEPT } from '../discord/identifies.ts';
import { createJob, type Part } from '../lifecycle.ts';
import { createSparingLog, type SparingLog } from '../sparing-log.ts';

export interface SilenceDeps {
  readonly config: Pick<Config, 'exitWhenSilentSeconds'>;
  readonly gateway: Pick<GatewayState, 'silentMs' | 'identifiesLeft' | 'askIdentifiesLeft'>;
  /** Called with the error with which the process has to end. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: SparingLog;
}

/** How often the gateway is looked at within the time that it may be silent. */
const LOOKS_IN_A_WAIT = 40;

/**
 * Ends the process when the gateway has been silent for long, so that a supervisor starts it anew: the connection may never
 * come back by itself. A start takes an IDENTIFY for every shard. To be started before the connection.
 */
export function createSilence({ config, gateway, onFatal, logger }: SilenceDeps): Part {
  const longestMs = config.exitWhenSilentSeconds * 1000;
  const job = createJob({ firstMs: 0, everyMs: longestMs / LOOKS_IN_A_WAIT, run: look });
  const log = createSparingLog(logger);

  async function look(): Promise<void> {
    const silentMs = gateway.silentMs();
    if (silentMs < longestMs) return;
    const isGranted = await mayEnd();
    // The bot may be stopping by now.
    if (!isGranted || job.stopping.aborted) return;
    void job.stop();
    onFatal(
      new FatalDiscordError(
        `Nothing has come from Discord's gateway for ${Math.floor(silentMs / 1000)} seconds: the bot ends, to be started ` +
          'anew. See EXIT_WHEN_SILENT_SECONDS',
      ),
    );
  }

  /** Whether enough IDENTIFYs are left for a start, by what Discord says now or has said last. */
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
      // Does not wait for a look that is under way, since Discord may take long to answer.
      void job.stop();
    },
  };
}
