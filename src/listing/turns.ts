import { createBoundedMap } from '../bounded-map.ts';

/** Why a request wasn't made. */
export type NotRun = 'queue-full' | 'deadline';

/** A request to the listing service that waits for its turn. */
export interface TurnRequest {
  readonly guildId: string;
  readonly memberId?: string;
  /** `reading`: fetches the games list or tests a key. */
  readonly kind: 'submission' | 'reading';
  /** When the request is no longer worth making, in milliseconds since 1970. */
  readonly deadline?: number;
}

export type Turns = ReturnType<typeof createTurns>;

interface Waiting {
  readonly request: TurnRequest;
  readonly start: () => void;
}

const MOST_RUNNING_OF_A_GUILD = 2;
const MOST_WAITING_OF_A_MEMBER = 20;
/** How many guilds are remembered with their last turn. A forgotten guild counts as never served. */
const MOST_REMEMBERED = 10_000;

/**
 * Creates a queue in which guilds take turns, so that no guild waits for another guild's backlog. The guild that was served
 * longest ago is next. Reads use at most half of the places, so submissions always get through.
 * @param atOnce the maximum number of concurrent requests
 * @param now milliseconds since 1970
 */
export function createTurns({ atOnce, now = () => Date.now() }: { atOnce: number; now?: () => number }) {
  const mostReading = Math.max(1, Math.floor(atOnce / 2));
  /** The waiting requests of each guild, in order of arrival. */
  const waiting = new Map<string, Waiting[]>();
  const running: TurnRequest[] = [];
  const lastTurns = createBoundedMap<number>(MOST_REMEMBERED);
  let turn = 0;

  function mayRun({ guildId, kind }: TurnRequest): boolean {
    const ofGuild = running.filter((request) => request.guildId === guildId);
    if (ofGuild.length >= MOST_RUNNING_OF_A_GUILD) return false;
    const reading = running.filter((request) => request.kind === 'reading');
    return kind === 'submission' || reading.length < mostReading;
  }

  /** Linear in the number of waiting guilds. */
  function nextWaiting(): Waiting | undefined {
    if (running.length >= atOnce) return undefined;
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

  function remember(guildId: string): void {
    turn += 1;
    lastTurns.set(guildId, turn);
  }

  function startNext(): void {
    for (let next = nextWaiting(); next !== undefined; next = nextWaiting()) {
      removeWaiting(next);
      running.push(next.request);
      remember(next.request.guildId);
      next.start();
    }
  }

  return {
    /** Runs a task that makes one request, when it is the guild's turn. */
    async run<Result>(request: TurnRequest, task: () => Promise<Result>): Promise<Result | NotRun> {
      const { guildId, memberId, deadline = Number.POSITIVE_INFINITY } = request;
      const ofGuild = waiting.get(guildId) ?? [];
      const ofMember = ofGuild.filter((other) => other.request.memberId === memberId);
      if (ofMember.length >= MOST_WAITING_OF_A_MEMBER) return 'queue-full';

      await new Promise<void>((start) => {
        waiting.set(guildId, [...ofGuild, { request, start }]);
        startNext();
      });
      try {
        return now() > deadline ? 'deadline' : await task();
      } finally {
        running.splice(running.indexOf(request), 1);
        startNext();
      }
    },
  };
}
