import type { Config } from '../config/config.ts';
import { FatalDiscordError, type GatewayState } from '../discord/gateway.ts';
import { RESERVED_IDENTIFIES } from '../discord/identifies.ts';
import { createJob, type Part } from '../lifecycle.ts';
import { createSparingLog, type SparingLog } from '../pacing/sparing-log.ts';

export interface SilenceDeps {
  readonly config: Pick<Config, 'exitWhenSilentSeconds'>;
  readonly gateway: Pick<GatewayState, 'silentMs' | 'identifiesLeft' | 'askIdentifiesLeft'>;
  /** The process must exit after this error. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: SparingLog;
}

const CHECKS_PER_MAX_SILENCE = 40;

/**
 * Creates the check that ends the process if the gateway has been silent for too long. The connection may never recover on
 * its own, so a supervisor should restart the bot. Each start uses one IDENTIFY per shard. Must be started before the
 * connection.
 */
export function createSilence({ config, gateway, onFatal, logger }: SilenceDeps): Part {
  const maxSilentMs = config.exitWhenSilentSeconds * 1000;
  const job = createJob({ firstMs: 0, everyMs: maxSilentMs / CHECKS_PER_MAX_SILENCE, run: checkSilence });
  const log = createSparingLog(logger);

  async function checkSilence(): Promise<void> {
    const silentMs = gateway.silentMs();
    if (silentMs < maxSilentMs) return;
    const isGranted = await hasIdentifiesForRestart();
    // The bot may have begun shutting down in the meantime.
    if (!isGranted || job.stopping.aborted) return;
    void job.stop();
    onFatal(
      new FatalDiscordError(
        `Discord's gateway has been silent for ${Math.floor(silentMs / 1000)} seconds (EXIT_WHEN_SILENT_SECONDS): ` +
          'exiting so that the bot can be restarted',
      ),
    );
  }

  /** Uses the last known number if Discord doesn't respond. */
  async function hasIdentifiesForRestart(): Promise<boolean> {
    await gateway.askIdentifiesLeft().catch(() => undefined);
    const left = gateway.identifiesLeft();
    if (left === undefined || left >= RESERVED_IDENTIFIES) return true;
    log.error(
      { left },
      'the gateway is silent, but too few IDENTIFYs are left today for a restart; not exiting',
    );
    return false;
  }

  return {
    name: 'silence',
    async start() {
      if (maxSilentMs > 0) job.start();
    },
    async stop() {
      // Doesn't wait for a running check, because Discord may respond slowly.
      void job.stop();
    },
  };
}
