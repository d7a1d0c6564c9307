import { setTimeout as sleep } from 'node:timers/promises';
import { SimpleIdentifyThrottler } from '@discordjs/ws';
import { type RESTGetAPIGatewayBotResult, Routes } from 'discord.js';
import type { SparingLog } from '../pacing/sparing-log.ts';
import type { DiscordApi } from './api.ts';

/**
 * Kept for manual starts. Discord allows 1,000 a day. If a bot uses all 1,000, Discord ends its sessions and resets its
 * token (Discord docs: Gateway, "Identifying"; discord-api-docs#215).
 */
export const RESERVED_IDENTIFIES = 200;
const ASK_AGAIN_AFTER_MS = 10 * 60_000;

export interface Turn {
  readonly shard: number;
  /** Whether the shard identifies for the first time since the process started. */
  readonly isFirst: boolean;
  /** Aborted when the waiting connection ends. */
  readonly signal: AbortSignal;
}

export type IdentifyQuota = ReturnType<typeof createIdentifyQuota>;

/** Creates a quota that lets shards identify as fast as Discord allows, but leaves some IDENTIFYs for manual starts. */
export function createIdentifyQuota({
  api,
  log,
}: {
  readonly api: Pick<DiscordApi, 'get'>;
  log: SparingLog;
}) {
  let left: number | undefined;
  let throttler: SimpleIdentifyThrottler | undefined;

  /** Asks Discord for the gateway's URL and the number of remaining IDENTIFYs. @throws if Discord doesn't respond */
  async function ask(): Promise<RESTGetAPIGatewayBotResult> {
    const info = (await api.get(Routes.gatewayBot())) as RESTGetAPIGatewayBotResult;
    left = info.session_start_limit.remaining;
    throttler ??= new SimpleIdentifyThrottler(info.session_start_limit.max_concurrency);
    return info;
  }

  return {
    ask,
    left: () => left,
    /** Waits until a shard can identify, and counts its IDENTIFY. @throws if `signal` is aborted */
    async acquire({ shard, isFirst, signal }: Turn): Promise<void> {
      const kept = isFirst ? 1 : RESERVED_IDENTIFIES;
      for (;;) {
        await throttler?.waitForIdentify(shard, signal);
        // The throttler ignores `signal` while it sleeps.
        signal.throwIfAborted();
        if (left === undefined || left > kept) break;
        await ask().catch(() => undefined);
        if (left > kept) continue;
        log.error(
          { shard, left },
          'too few IDENTIFYs are left for today; shards without a session wait until Discord grants more. A restart ' +
            'can use the remaining ones, but first find out why sessions end',
        );
        await sleep(ASK_AGAIN_AFTER_MS, undefined, { signal });
      }
      if (left !== undefined) left -= 1;
    },
  };
}
