import { setTimeout as sleep } from 'node:timers/promises';
import { SimpleIdentifyThrottler } from '@discordjs/ws';
import { type RESTGetAPIGatewayBotResult, Routes } from 'discord.js';
import type { SparingLog } from '../sparing-log.ts';
import type { DiscordApi } from './api.ts';

/**
 * Discord grants 1,000 IDENTIFYs a day. At the last one it ends every session and resets the token (Discord docs: Gateway,
 * "Identifying"; discord-api-docs#215). So many are kept for starts by hand.
 */
export const IDENTIFIES_KEPT = 200;
/** How long a shard waits before it asks again for an IDENTIFY that was not granted, in milliseconds. */
const ASK_AGAIN_MS = 10 * 60_000;

export interface Turn {
  readonly shard: number;
  /** The shard has not identified since the start of the process. */
  readonly isFirst: boolean;
  /** The connection that waits has ended. */
  readonly signal: AbortSignal;
}

export type IdentifyQuota = ReturnType<typeof createIdentifyQuota>;

/** Grants IDENTIFYs to shards: at the pace that Discord wants, and never the last ones of the day. */
export function createIdentifyQuota({
  api,
  log,
}: {
  readonly api: Pick<DiscordApi, 'get'>;
  log: SparingLog;
}) {
  let left: number | undefined;
  let throttler: SimpleIdentifyThrottler | undefined;

  /** Asks Discord where the gateway is, and how many are left. @throws when there is no answer */
  async function ask(): Promise<RESTGetAPIGatewayBotResult> {
    const info = (await api.get(Routes.gatewayBot())) as RESTGetAPIGatewayBotResult;
    left = info.session_start_limit.remaining;
    throttler ??= new SimpleIdentifyThrottler(info.session_start_limit.max_concurrency);
    return info;
  }

  return {
    ask,
    /** How many are left, by what Discord said last and what was used since; `undefined`: not asked yet. */
    left: () => left,
    /** Waits until a shard may identify, and counts that it does. @throws when `signal` is aborted */
    async take({ shard, isFirst, signal }: Turn): Promise<void> {
      const kept = isFirst ? 1 : IDENTIFIES_KEPT;
      for (;;) {
        await throttler?.waitForIdentify(shard, signal);
        // The throttler does not look at `signal` while it sleeps.
        signal.throwIfAborted();
        if (left === undefined || left > kept) break;
        await ask().catch(() => undefined);
        if (left > kept) continue;
        log.error(
          { shard, left },
          'too few IDENTIFYs are left of this day: a shard without a session waits until Discord grants more. A restart ' +
            'may use those that are left; look first for what ends the sessions',
        );
        await sleep(ASK_AGAIN_MS, undefined, { signal });
      }
      if (left !== undefined) left -= 1;
    },
  };
}
