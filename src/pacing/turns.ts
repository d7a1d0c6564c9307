import { setImmediate } from 'node:timers/promises';
import { createBoundedMap } from './bounded-map.ts';

export interface NotRun {
  readonly kind: 'not-run';
  readonly why: 'queue-full' | 'deadline';
}

export interface TurnRequest {
  readonly guildId: string;
  readonly memberId?: string;
  /** `reading` tasks fetch the games list or test a key. They make up at most half of the concurrent tasks. */
  readonly kind?: 'submission' | 'reading';
  /** When the task is no longer worth running, in milliseconds since 1970. */
  readonly deadline?: number;
}

export type Turns = ReturnType<typeof createTurns>;
export type WorkTurns = ReturnType<typeof createWorkTurns>;

interface Waiting {
  readonly request: TurnRequest;
  readonly start: () => void;
}

const MAX_RUNNING_PER_GUILD = 2;
const MAX_WAITING_PER_MEMBER = 20;
/** A guild whose last turn isn't remembered counts as never served. */
const MAX_REMEMBERED_GUILDS = 10_000;

export interface TurnsOptions {
  readonly maxConcurrent: number;
  /** Counted per guild. Tasks without a member share one limit. */
  readonly maxWaitingPerMember?: number;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Creates a queue in which guilds take turns. The next turn goes to the guild served longest ago, so one guild's backlog
 * doesn't hold up the others.
 */
export function createTurns({
  maxConcurrent,
  maxWaitingPerMember = MAX_WAITING_PER_MEMBER,
  now = () => Date.now(),
}: TurnsOptions) {
  const maxReading = Math.max(1, Math.floor(maxConcurrent / 2));
  const waiting = new Map<string, Waiting[]>();
  const running: TurnRequest[] = [];
  const lastTurns = createBoundedMap<number>(MAX_REMEMBERED_GUILDS);
  let turn = 0;

  function mayRun({ guildId, kind }: TurnRequest): boolean {
    const ofGuild = running.filter((request) => request.guildId === guildId);
    if (ofGuild.length >= MAX_RUNNING_PER_GUILD) return false;
    const reading = running.filter((request) => request.kind === 'reading');
    return kind !== 'reading' || reading.length < maxReading;
  }

  /** Takes time linear in the number of waiting tasks. */
  function nextWaiting(): Waiting | undefined {
    if (running.length >= maxConcurrent) return undefined;
    let next: Waiting | undefined;
    let lastTurnOfNext = Number.POSITIVE_INFINITY;
    for (const [guildId, requests] of waiting) {
      const lastTurn = lastTurns.get(guildId) ?? 0;
      if (lastTurn >= lastTurnOfNext) continue;
      const candidate = requests.find(({ request }) => mayRun(request));
      if (candidate === undefined) continue;
      next = candidate;
      lastTurnOfNext = lastTurn;
    }
    return next;
  }

  function removeWaiting(entry: Waiting): void {
    const { guildId } = entry.request;
    const others = waiting.get(guildId)?.filter((other) => other !== entry) ?? [];
    if (others.length > 0) waiting.set(guildId, others);
    else waiting.delete(guildId);
  }

  function startNext(): void {
    for (let next = nextWaiting(); next !== undefined; next = nextWaiting()) {
      removeWaiting(next);
      running.push(next.request);
      turn += 1;
      lastTurns.set(next.request.guildId, turn);
      next.start();
    }
  }

  function isQueueFull({ guildId, memberId }: TurnRequest): boolean {
    const ofMember = waiting.get(guildId)?.filter(({ request }) => request.memberId === memberId) ?? [];
    return ofMember.length >= maxWaitingPerMember;
  }

  return {
    isFull: (): boolean => running.length >= maxConcurrent,
    isQueueFull,
    async run<Result>(request: TurnRequest, task: () => Promise<Result>): Promise<Result | NotRun> {
      const { guildId, deadline = Number.POSITIVE_INFINITY } = request;
      if (isQueueFull(request)) return { kind: 'not-run', why: 'queue-full' };

      await new Promise<void>((start) => {
        waiting.set(guildId, [...(waiting.get(guildId) ?? []), { request, start }]);
        startNext();
      });
      try {
        return now() > deadline ? { kind: 'not-run', why: 'deadline' } : await task();
      } finally {
        running.splice(running.indexOf(request), 1);
        startNext();
      }
    },
  };
}

/**
 * Creates turns for pieces of work, one per event loop iteration. Awaiting the store only yields to microtasks, so without
 * turns, 100 simultaneous pieces of 20 ms each would block the bot for two seconds (measured).
 */
export function createWorkTurns() {
  const turns = createTurns({ maxConcurrent: 1, maxWaitingPerMember: Number.POSITIVE_INFINITY });

  /** Resolves when it's the guild's turn to do a piece of work, which must end before the next turn begins. */
  return async (guildId: string): Promise<void> => {
    await turns.run({ guildId }, () => setImmediate());
  };
}
