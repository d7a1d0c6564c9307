import {
  type Halt,
  MAX_SERVERS_PER_REQUEST,
  type NotSent,
  type Outcome,
  type Rejected,
  type ServerSubmission,
} from '../listing/contract.ts';

interface SubmitAllOptions {
  /** Sends one request of 1 to 100 servers, or tells why nothing more is sent. */
  readonly send: (servers: readonly ServerSubmission[], places: readonly number[]) => Promise<Outcome | Halt>;
  /** Asked before each request. */
  readonly halt?: () => Halt | undefined;
  /** What is known of servers from before, by their places; they are not sent. */
  readonly known?: ReadonlyMap<number, Outcome>;
  /** Told after each request what is known by then. */
  readonly onSettled?: (outcomes: ReadonlyMap<number, Outcome>) => Promise<void> | void;
}

/** A service that does not answer twice in a row is not asked a third time. */
const MOST_SILENCES = 2;
/** Why a request was not sent that the next one would not be sent for either. */
const IN_VAIN: ReadonlySet<string> = new Set(['key-dropped', 'too-late', 'queue-full', 'rate-limited']);
/**
 * Rejected requests that are halved in one submission for a reason other than a game. A bad line among 100 is found
 * with 7 of them; a service that rejects everything must not be asked two thousand times.
 */
const MOST_HALVINGS = 200;

/**
 * Submits any number of servers, at most 100 a request, one request after the other, in order.
 *
 * The service gives one verdict for a whole request and carries a rejected one out in no part (specification §4.1),
 * so a rejected request is sent again in halves where its reason can be one server's: all of the five known reasons
 * but the key and the empty list, and every text that is not known, such as one about a port (§7 leaves those open).
 * Nothing of a request that was accepted, or may have been, is sent again.
 * @returns what came of each server, at its place
 */
export async function submitAll(
  servers: readonly ServerSubmission[],
  { send, halt = () => undefined, known = new Map(), onSettled }: SubmitAllOptions,
): Promise<readonly Outcome[]> {
  const outcomes = new Map(known);
  const settle = (places: readonly number[], outcome: Outcome) => {
    for (const place of places) outcomes.set(place, outcome);
  };
  /** Requests still to be sent, as places in `servers`; the next one is the first. */
  const pending = chunks([...servers.keys()].filter((place) => !outcomes.has(place)));
  /** Games the service does not know; who asks for one of them need not ask it again. */
  const badGames = new Map<string, Outcome>();
  const gameAt = (place: number) => servers[place]?.game ?? '';
  /** Why nothing more is sent. */
  let halted: NotSent | undefined;
  let silences = 0;
  let halvings = 0;

  function learn(places: readonly number[], rejection: Rejected): void {
    const games = new Set(places.map(gameAt));
    const isAboutGame = rejection.known === 'gameInvalid';
    const mayBeHalved = canBeOneLine(rejection) && places.length > 1 && halvings < MOST_HALVINGS;
    if (isAboutGame ? games.size > 1 : mayBeHalved) {
      if (!isAboutGame) halvings += 1;
      pending.unshift(...halves(places));
      return;
    }
    const { message, known: error } = rejection;
    const outcome = { kind: 'rejected', message, ...(error && { known: error }) } as const;
    settle(places, outcome);
    if (isAboutGame) for (const game of games) badGames.set(game, outcome);
    if (rejection.known === 'invalidKey') halted = notSent('key');
  }

  for (let next = pending.shift(); next; next = pending.shift()) {
    const reason = halted ? undefined : halt();
    if (reason) halted = notSent(reason);
    for (const place of next) {
      const bad = badGames.get(gameAt(place));
      if (bad) settle([place], bad);
    }
    const places = next.filter((place) => !outcomes.has(place));
    if (places.length === 0) continue;
    const outcome =
      halted ??
      (await send(
        places.flatMap((place) => servers[place] ?? []),
        places,
      ));
    if (typeof outcome === 'string') halted = notSent(outcome);
    if (typeof outcome === 'string' || outcome === halted) {
      if (halted) settle(places, halted);
      continue;
    }
    if (outcome.kind === 'rejected') learn(places, outcome);
    else settle(places, outcome);
    if (outcome.kind === 'not-sent' && IN_VAIN.has(outcome.reason)) halted ??= outcome;
    silences = outcome.kind === 'accepted' || outcome.kind === 'rejected' ? 0 : silences + 1;
    if (silences === MOST_SILENCES) halted ??= notSent('service');
    await onSettled?.(outcomes);
  }
  return servers.map((_, place) => outcomes.get(place) ?? notSent('stopping'));
}

const notSent = (reason: Halt): NotSent => ({ kind: 'not-sent', reason });

const canBeOneLine = ({ known }: Rejected) => known !== 'invalidKey' && known !== 'emptyList';

function chunks(places: readonly number[]): number[][] {
  const count = Math.ceil(places.length / MAX_SERVERS_PER_REQUEST);
  return Array.from({ length: count }, (_, i) =>
    places.slice(i * MAX_SERVERS_PER_REQUEST, (i + 1) * MAX_SERVERS_PER_REQUEST),
  );
}

function halves(places: readonly number[]): number[][] {
  const middle = Math.ceil(places.length / 2);
  return [places.slice(0, middle), places.slice(middle)];
}
