import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { createSparingLog } from '../pacing/sparing-log.ts';
import type { Secret } from '../text/secret.ts';
import type { Health } from './health.ts';
import { readOperatorUrl } from './operator-urls.ts';

const EVERY_MS = 60_000;

export interface HeartbeatDeps {
  readonly url: Secret;
  readonly health: () => Promise<Health>;
  readonly everyMs?: number | undefined;
  readonly logger: Logger;
}

/**
 * Creates the heartbeat, which requests the operator's URL once a minute while the bot is ready. If the requests stop, the
 * monitoring service alerts the operator.
 */
export function createHeartbeat({ url, health, everyMs = EVERY_MS, logger }: HeartbeatDeps): Part {
  const log = createSparingLog(logger);

  async function beat(): Promise<void> {
    const { ready } = await health();
    if (!ready) return;
    await readOperatorUrl(url).catch(({ message }: Error) => {
      log.warn({ reason: message }, 'could not reach HEARTBEAT_URL; will try again in a minute');
    });
  }

  return { name: 'heartbeat', ...createJob({ firstMs: everyMs, everyMs, run: beat }) };
}
