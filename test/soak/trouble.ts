import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../sandbox/discord/rest/faults.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../sandbox/listing/stand-in.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Random } from './random.ts';

export interface Trouble {
  readonly faults: () => number;
  readonly restarts: () => number;
  /** Troubles of each kind, until `over`; ends with everything well again and the bot ready. */
  make(random: Random, over: AbortSignal): Promise<void>;
}

const MODES: readonly (readonly [weight: number, mode: Mode])[] = [
  [3, { kind: 'resetBefore' }],
  [3, { kind: 'resetDuring' }],
  [3, { kind: 'reset' }],
  [3, { kind: 'reset', carriedOut: true }],
  [3, { kind: 'cut' }],
  [2, { kind: 'hang' }],
  [2, { kind: 'hang', carriedOut: true }],
  [6, { kind: 'slow', ms: 400 }],
  [3, { kind: 'slow', ms: 2_000 }],
  [1, { kind: 'trickle' }],
  [1, { kind: 'headersThenSilence' }],
  [2, { kind: 'html' }],
  [2, { kind: 'truncated' }],
  [1, { kind: 'wrongTypes' }],
  [1, { kind: 'huge' }],
  [1, { kind: 'gzipBomb' }],
  [1, { kind: 'redirect', status: 307, to: 'http://127.0.0.1:9/api' }],
  [2, { kind: 'status', status: 503 }],
  [2, { kind: 'status', status: 429, retryAfter: 1 }],
  [4, { kind: 'okThenClose' }],
];

const FAULTS: readonly (readonly [weight: number, fault: Fault])[] = [
  [3, { kind: 'rate limit', scope: 'user', retryAfterMs: 300 }],
  [2, { kind: 'rate limit', scope: 'shared', retryAfterMs: 300 }],
  [2, { kind: 'rate limit', scope: 'global', retryAfterMs: 300 }],
  [4, { kind: 'status', status: 500 }],
  [3, { kind: 'status', status: 503 }],
  [4, { kind: 'reset' }],
  [4, { kind: 'answer lost' }],
  [3, { kind: 'delay', ms: 700 }],
  [1, { kind: 'hang' }],
];

/** A request in 25 is refused. */
const REFUSALS = 0.04;
const REFUSAL: Mode = { kind: 'json', status: 200, body: { status: 'error', message: 'Not today.' } };

/** Refuses some of the requests that submit servers, and remembers which. */
export function createRefusals(random: Random) {
  const refused = new Set<ListingRequest>();
  return {
    refused,
    onRequest(_count: number, request: ListingRequest): Mode | undefined {
      if (request.action !== 'add' || !random.chance(REFUSALS)) return undefined;
      refused.add(request);
      return REFUSAL;
    },
  };
}

/** Of the paths below `/api/v10`; all else is needed to start, and a bot that cannot start has to say so and end. */
const ANSWERS = [/\/callback$/, /^\/webhooks\//, /^\/(interactions|webhooks)\//];

export function createTrouble({ discord, listing, bot, startBot }: Sandbox): Trouble {
  const { gateway, faults: rest, clock } = discord;
  let faults = 0;
  let restarts = 0;
  let restarting = false;

  async function again(
    over: AbortSignal,
    pause: () => number,
    run: () => Promise<void> | void,
  ): Promise<void> {
    for (;;) {
      // A rejection only says that it is over.
      await sleep(pause(), undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return;
      await run();
    }
  }

  async function listingTrouble(random: Random): Promise<void> {
    faults += 1;
    if (!random.chance(0.1)) return listing.behave(random.pick(MODES), 1 + random.below(3));
    await listing.behave({ kind: 'down' });
    await sleep(random.between(100, 1_500));
    await listing.behave({ kind: 'ok' });
  }

  function restTrouble(random: Random): void {
    faults += 1;
    const path = random.pick(ANSWERS.map((each) => [1, each] as const));
    rest.inject({ fault: random.pick(FAULTS), times: 1 + random.below(2), path });
  }

  async function gatewayTrouble(random: Random): Promise<void> {
    const disturb = async (how: { copies?: number; delayMs?: number }, ms: number) => {
      gateway.disturbDispatch(how);
      await sleep(ms);
      gateway.disturbDispatch({});
    };
    const trouble = random.pick<() => Promise<void> | void>([
      [3, () => gateway.cut()],
      [3, () => gateway.askToReconnect()],
      [3, () => gateway.close(4000)],
      [2, () => gateway.invalidate(true)],
      [6, () => disturb({ copies: 2 }, 1_500)],
      [2, () => disturb({ delayMs: 1_000 }, 1_000)],
      [1, () => disturb({ delayMs: 3_200 }, 500)],
    ]);
    if (restarting) return;
    faults += 1;
    await trouble();
  }

  async function restart(): Promise<void> {
    restarting = true;
    restarts += 1;
    await bot.stop('SIGKILL');
    await startBot();
    restarting = false;
  }

  return {
    faults: () => faults,
    restarts: () => restarts,
    async make(random, over) {
      const [forListing, forRest, forGateway, forKills] = ['listing', 'rest', 'gateway', 'kills'].map(
        (name) => random.of(name),
      ) as [Random, Random, Random, Random];
      await Promise.all([
        again(
          over,
          () => forListing.between(300, 1_500),
          () => listingTrouble(forListing),
        ),
        again(
          over,
          () => forRest.between(300, 1_500),
          () => restTrouble(forRest),
        ),
        again(
          over,
          () => forGateway.between(1_000, 4_000),
          () => gatewayTrouble(forGateway),
        ),
        again(over, () => forKills.between(1_500, 7_000), restart),
      ]);
      await listing.behave({ kind: 'ok' });
      rest.clear();
      gateway.disturbDispatch({});
      clock.advance(0);
    },
  };
}
