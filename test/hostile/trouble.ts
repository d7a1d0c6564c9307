import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../sandbox/discord/rest/faults.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../sandbox/listing/stand-in.ts';
import type { Random } from './random.ts';
import { troubleReplicas } from './trouble-of-replicas.ts';
import type { Replicas, World } from './world.ts';

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

/** Steam's list and the name server respond correctly half the time. */
const STEAM_MODES: readonly (readonly [weight: number, mode: Mode])[] = [
  [10, { kind: 'ok' }],
  [2, { kind: 'hang' }],
  [1, { kind: 'slow', ms: 2_000 }],
  [1, { kind: 'status', status: 429 }],
  [1, { kind: 'status', status: 503 }],
  [1, { kind: 'html' }],
  [1, { kind: 'truncated' }],
  [1, { kind: 'huge' }],
  [1, { kind: 'reset' }],
];
const NAME_SERVER_MODES = [
  [4, 'ok'],
  [2, 'silent'],
  [2, 'failing'],
] as const;

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

/** Paths below `/api/v10` for responses to interactions. Other paths never fail, because the bot needs them to start. */
const ANSWERS = [/\/callback$/, /^\/webhooks\//, /^\/(interactions|webhooks)\//];

/** The share of requests that the service rejects. */
const REFUSALS = 0.04;
const HOUR_MS = 3_600_000;
/** If the clock were months off, no certificate would be valid, and the bot could never connect to Discord. */
const THREE_WEEKS_MS = 21 * 24 * HOUR_MS;
/** When and for how long the log reader pauses during a soak test, in milliseconds. */
const UNREAD_AFTER_MS = 10_000;
const UNREAD_MS = 60_000;
const REFUSAL: Mode = { kind: 'json', status: 200, body: { status: 'error', message: 'Not today.' } };

const KEY_REFUSAL: Mode = {
  kind: 'json',
  status: 200,
  body: { status: 'error', message: 'Invalid API key.' },
};

/** Rejects some of the requests that submit servers, and records which ones. */
export function createRefusals(random: Random) {
  const refused = new Set<ListingRequest>();
  /** Requests that were rejected because of their key. The service accepted none of their servers. */
  const refusedForKey = new Set<ListingRequest>();
  let areKeysRefused = false;
  return {
    refused,
    refusedForKey,
    refuseKeys(isOn: boolean): void {
      areKeysRefused = isOn;
    },
    onRequest(_count: number, request: ListingRequest): Mode | undefined {
      if (request.action === 'add' && areKeysRefused) {
        refusedForKey.add(request);
        return KEY_REFUSAL;
      }
      if (request.action !== 'add' || !random.chance(REFUSALS)) return undefined;
      refused.add(request);
      return REFUSAL;
    },
  };
}

/**
 * Causes every kind of fault, including `kill -9`, until `over` is aborted. Then repairs everything and waits until the bot
 * is ready.
 */
export async function makeTrouble(
  world: World,
  random: Random,
  over: AbortSignal,
  refusals: ReturnType<typeof createRefusals>,
  replicas?: Replicas,
): Promise<void> {
  const { discord, listing, records, bot, startBot, setClock, verdict } = world;
  const { gateway, faults, clock } = discord;
  let isRestarting = false;

  async function again(
    name: string,
    [least, most]: readonly [least: number, most: number],
    run: (own: Random) => Promise<void> | void,
  ): Promise<void> {
    const own = random.of(name);
    while (!over.aborted) {
      // The promise only rejects at the end of the soak test.
      await sleep(own.between(least, most), undefined, { signal: over }).catch(() => undefined);
      if (!over.aborted) await run(own);
    }
  }

  /** Simulates a faulty service that claims that keys are invalid. */
  async function refuseKeys(): Promise<void> {
    verdict.count('seconds of rejected keys', 2);
    refusals.refuseKeys(true);
    await listing.behave(KEY_REFUSAL);
    await sleep(2_000);
    await listing.behave({ kind: 'ok' });
    refusals.refuseKeys(false);
  }

  async function jump(own: Random): Promise<void> {
    verdict.count('clock jumps', 1);
    await setClock((own.chance(0.5) ? HOUR_MS : THREE_WEEKS_MS) * (own.chance(0.5) ? 1 : -1));
    await sleep(own.between(500, 3_000));
    await setClock(0);
  }

  /** Simulates a log driver that is stuck. */
  async function leaveLogUnread(): Promise<void> {
    await sleep(UNREAD_AFTER_MS, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    verdict.count('pauses of the log reader', 1);
    bot.readLog(false);
    await sleep(UNREAD_MS, undefined, { signal: over }).catch(() => undefined);
    bot.readLog(true);
  }

  async function troubleListing(own: Random): Promise<void> {
    verdict.count('faults', 1);
    if (!own.chance(0.1)) return listing.behave(own.pick(MODES), 1 + own.below(3));
    await listing.behave({ kind: 'down' });
    await sleep(own.between(100, 1_500));
    await listing.behave({ kind: 'ok' });
  }

  function troubleRecords(own: Random): void {
    verdict.count('faults', 1);
    records.behaveAsSteam(own.pick(STEAM_MODES));
    records.behaveAsNameServer(own.pick(NAME_SERVER_MODES));
  }

  function troubleRest(own: Random): void {
    verdict.count('faults', 1);
    const path = ANSWERS[own.below(ANSWERS.length)];
    faults.inject({ fault: own.pick(FAULTS), times: 1 + own.below(2), ...(path && { path }) });
  }

  async function disturb(how: { readonly copies?: number; readonly delayMs?: number }, ms: number) {
    gateway.disturbDispatch(how);
    await sleep(ms);
    gateway.disturbDispatch({});
  }

  /** Simulates a gateway that doesn't start or resume any sessions for a while. */
  async function loseSessions(lose: () => void, ms: number): Promise<void> {
    lose();
    await sleep(ms);
    healGateway();
  }

  function healGateway(): void {
    gateway.killResumeHost(false);
    gateway.answerIdentify('ready');
    gateway.answerResume(true);
  }

  const deadResumeHost = () => {
    gateway.killResumeHost(true);
    gateway.close(4000);
  };
  const noSession = (answer: 'nothing' | 'invalid session') => () => {
    gateway.answerIdentify(answer);
    gateway.invalidate(false);
  };
  const deafResume = () => {
    gateway.answerResume(false);
    gateway.close(4000);
  };

  async function troubleGateway(own: Random): Promise<void> {
    const trouble = own.pick<() => Promise<void> | void>([
      [3, () => gateway.cut()],
      [3, () => gateway.askToReconnect()],
      [3, () => gateway.close(4000)],
      [2, () => gateway.invalidate(true)],
      [6, () => disturb({ copies: 2 }, 1_500)],
      [2, () => disturb({ delayMs: 1_000 }, 1_000)],
      [1, () => disturb({ delayMs: 3_200 }, 500)],
      [1, () => loseSessions(deadResumeHost, 6_000)],
      [1, () => loseSessions(noSession('nothing'), 3_000)],
      [1, () => loseSessions(noSession('invalid session'), 3_000)],
      [1, () => loseSessions(deafResume, 1_500)],
    ]);
    if (isRestarting) return;
    verdict.count('faults', 1);
    await trouble();
  }

  async function kill(): Promise<void> {
    isRestarting = true;
    verdict.count('restarts', 1);
    await bot.stop('SIGKILL');
    await startBot();
    isRestarting = false;
  }

  await Promise.all([
    again('listing', [300, 1_500], troubleListing),
    again('rest', [300, 1_500], troubleRest),
    again('public records', [1_000, 5_000], troubleRecords),
    again('keys', [20_000, 40_000], refuseKeys),
    again('clock', [8_000, 20_000], jump),
    leaveLogUnread(),
    ...(replicas
      ? [troubleReplicas(world, random.of('replicas'), over, replicas)]
      : [again('gateway', [1_000, 4_000], troubleGateway), again('kills', [1_500, 7_000], kill)]),
  ]);
  await listing.behave({ kind: 'ok' });
  records.behaveAsSteam({ kind: 'ok' });
  records.behaveAsNameServer('ok');
  faults.clear();
  gateway.disturbDispatch({});
  healGateway();
  // A bot waiting for RESUMED would otherwise wait for a full minute.
  gateway.cut();
  clock.advance(0);
  await discord.connected();
}
