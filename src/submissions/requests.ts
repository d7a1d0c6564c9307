import { isDeepStrictEqual } from 'node:util';
import {
  type Halt,
  type ListingApi,
  MAX_SERVERS_PER_REQUEST,
  type NotSent,
  type Outcome,
  type Rejected,
  type ServerSubmission,
} from '../listing/contract.ts';
import type { Scheduler } from '../listing/scheduler.ts';
import type { Secret } from '../secret.ts';
import type { Database } from '../storage/database.ts';
import type { Refusal } from './checks.ts';
import { type Draft, isLeft, restOf } from './draft.ts';
import type { LateOutcomes } from './late-outcomes.ts';
import { type Records, restIdOf, type Submitter } from './record.ts';

/** A draft that a member wants carried out by an interaction. */
export interface Order extends Submitter {
  readonly interactionId: string;
  /** When the interaction came, in milliseconds since 1970. */
  readonly receivedAt?: number;
  /** The draft's id. */
  readonly id: string;
  /** A draft that is not stored yet; all of its rows are ready. */
  readonly draft?: Draft;
  /** Aborted when the bot is to stop. */
  readonly stopping?: AbortSignal;
  /** Told of how many servers it is known how they ended. */
  readonly onProgress?: (done: number, count: number) => void;
}

export interface RequestsDeps {
  readonly database: Pick<Database, 'inGuild'>;
  readonly records: Records;
  readonly keys: {
    /** The guild's key, if it may be used. */
    usable(guildId: string): Promise<Secret | Extract<Refusal, { code: `key-${string}` }>>;
    /** Keeps what an answer says of the key; whether it is refused for the first time. */
    keepAnswer(guildId: string, key: Secret, answer: Outcome): Promise<boolean>;
  };
  /** Tells the guild's admins of that. */
  readonly onKeyRefused: (guildId: string) => Promise<void>;
  readonly listing: Pick<ListingApi, 'add'>;
  readonly scheduler: Scheduler;
  readonly late: Pick<LateOutcomes, 'add'>;
  readonly logger: { error(details: object, message: string): void };
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What is carried out. Indices count the servers that are submitted, positions all of the record. */
export interface Run {
  readonly id: string;
  readonly draft: Draft;
  readonly servers: readonly ServerSubmission[];
  readonly positions: readonly number[];
  /** What is known from before a crash; of these nothing is sent again. */
  readonly known: ReadonlyMap<number, Outcome>;
  readonly isOver: boolean;
  /** When the last request may leave, in milliseconds since 1970. */
  readonly lastStart: number;
}

/** A request, and what came of it. */
export interface Answered {
  readonly indices: readonly number[];
  readonly key: Secret;
  readonly answer: Outcome;
}

/**
 * Sends what is to be sent, request by request, and records what came of each.
 * @param first the first request, which left when the submission was recorded
 * @returns what came of each server, and the key of the latest request
 */
export async function carryOut(deps: RequestsDeps, order: Order, run: Run, first?: Answered) {
  const { database, records, keys, logger, now = Date.now } = deps;
  const { guildId, interactionId, stopping } = order;
  const { servers, positions } = run;
  const recorded = new Set(run.known.keys());
  let outcomes: ReadonlyMap<number, Outcome> = run.known;
  let isOver = run.isOver;
  /** Answered, and what came of it is not recorded yet, or could not be. */
  let sent = first;
  let unrecorded: Answered | undefined;
  let latest = first;

  const halt = (): Halt | undefined =>
    sent ? undefined : stopping?.aborted ? 'stopping' : now() > run.lastStart ? 'deadline' : undefined;
  const at = (indices: readonly number[]) => indices.flatMap((index) => positions[index] ?? []);

  async function send(some: readonly ServerSubmission[], indices: readonly number[]) {
    try {
      const done =
        sent ??
        (await scheduled(deps, order, async () => {
          // The key is read anew for each request, so that nothing leaves with one that is gone.
          const key = await database.inGuild(guildId, async () => {
            const usable = await keys.usable(guildId);
            // Nor does anything leave without its record: the guild's data may be gone, or just going.
            return 'code' in usable || !(await records.leave(run.id, at(indices))) ? undefined : usable;
          });
          return key && { indices, key, answer: await deps.listing.add(some, key) };
        }));
      if (done === undefined || 'reason' in done) return done ?? 'key';
      sent = done;
      latest = done;
      return done.answer;
    } catch (error) {
      logger.error({ err: error, interactionId }, 'a request could not be begun');
      return 'bot';
    }
  }

  async function record(answered: Answered | undefined): Promise<void> {
    const isLast = outcomes.size === servers.length;
    const isRefused = await database.inGuild(guildId, async () => {
      for (const [outcome, indices] of grouped(outcomes, recorded)) {
        await records.end(run.id, at(indices), outcome);
      }
      const again = answered?.indices.filter((index) => !outcomes.has(index)) ?? [];
      await records.leaveAgain(run.id, at(again));
      // Nothing of it runs any more; what was not sent becomes a draft of its own.
      const isNamed = isLast && (await records.finish(run.id));
      const rest = restOf(run.draft, (index) => isLeft(run.draft, outcomes.get(index)));
      if (isNamed && rest.rows.length > 0) await records.saveDraft(order, restIdOf(interactionId), rest);
      return answered && keys.keepAnswer(guildId, answered.key, answered.answer);
    });
    for (const index of outcomes.keys()) recorded.add(index);
    isOver ||= isLast;
    if (isRefused) await deps.onKeyRefused(guildId);
  }

  async function onOutcomes(known: ReadonlyMap<number, Outcome>): Promise<void> {
    outcomes = new Map(known);
    const answered = sent ?? unrecorded;
    [sent, unrecorded] = [undefined, undefined];
    await record(answered).catch((error: unknown) => {
      unrecorded = answered;
      logger.error({ err: error, interactionId }, 'what came of a request could not be recorded');
    });
    if (outcomes.size < servers.length) order.onProgress?.(outcomes.size, servers.length);
  }

  try {
    const all = await submitAll(servers, { known: run.known, halt, send, onOutcomes });
    outcomes = new Map(all.entries());
    return { outcomes: all, key: latest?.key };
  } finally {
    // What has not ended by now has not been sent: it counts no more, and can be submitted again.
    const left = servers.map((_, index) => [index, outcomes.get(index) ?? notSent('bot')] as const);
    if (!isOver) await onOutcomes(new Map(left));
    if (!isOver) deps.late.add(run.id, () => record(unrecorded));
  }
}

/** Runs a task that makes one request when its guild is next. */
export const scheduled = <Done>(
  { scheduler }: Pick<RequestsDeps, 'scheduler'>,
  { guildId, user, receivedAt }: Order,
  task: () => Promise<Done>,
): Promise<Done | NotSent> =>
  scheduler.run(
    { guildId, memberId: user.id, kind: 'submission', ...(receivedAt !== undefined && { receivedAt }) },
    task,
  );

interface SubmitAllOptions {
  /** Sends one request of 1 to 100 servers, or tells why nothing more is sent. */
  readonly send: (
    servers: readonly ServerSubmission[],
    indices: readonly number[],
  ) => Promise<Outcome | Halt>;
  /** Asked before each request. */
  readonly halt?: () => Halt | undefined;
  /** What is known of servers from before, by their indices; they are not sent. */
  readonly known?: ReadonlyMap<number, Outcome>;
  /** Told after each request what is known by then. */
  readonly onOutcomes?: (outcomes: ReadonlyMap<number, Outcome>) => Promise<void> | void;
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
 * @returns what came of each server, at its index
 */
export async function submitAll(
  servers: readonly ServerSubmission[],
  { send, halt = () => undefined, known = new Map(), onOutcomes }: SubmitAllOptions,
): Promise<readonly Outcome[]> {
  const outcomes = new Map(known);
  const end = (indices: readonly number[], outcome: Outcome) => {
    for (const index of indices) outcomes.set(index, outcome);
  };
  /** Requests still to be sent, as indices in `servers`; the next one is the first. */
  const pending = chunks([...servers.keys()].filter((index) => !outcomes.has(index)));
  /** Games the service does not know; who asks for one of them need not ask it again. */
  const badGames = new Map<string, Outcome>();
  const gameAt = (index: number) => servers[index]?.game ?? '';
  /** Why nothing more is sent. */
  let halted: NotSent | undefined;
  let silences = 0;
  let halvings = 0;

  function learn(indices: readonly number[], rejection: Rejected): void {
    const games = new Set(indices.map(gameAt));
    const isAboutGame = rejection.known === 'gameInvalid';
    const mayBeHalved = canBeOneLine(rejection) && indices.length > 1 && halvings < MOST_HALVINGS;
    if (isAboutGame ? games.size > 1 : mayBeHalved) {
      if (!isAboutGame) halvings += 1;
      pending.unshift(...halves(indices));
      return;
    }
    const { message, known: error } = rejection;
    const outcome = { kind: 'rejected', message, ...(error && { known: error }) } as const;
    end(indices, outcome);
    if (isAboutGame) for (const game of games) badGames.set(game, outcome);
    if (rejection.known === 'invalidKey') halted = notSent('key');
  }

  for (let next = pending.shift(); next; next = pending.shift()) {
    const reason = halted ? undefined : halt();
    if (reason) halted = notSent(reason);
    for (const index of next) {
      const bad = badGames.get(gameAt(index));
      if (bad) end([index], bad);
    }
    const indices = next.filter((index) => !outcomes.has(index));
    if (indices.length === 0) continue;
    const outcome =
      halted ??
      (await send(
        indices.flatMap((index) => servers[index] ?? []),
        indices,
      ));
    if (typeof outcome === 'string') halted = notSent(outcome);
    if (typeof outcome === 'string' || outcome === halted) {
      if (halted) end(indices, halted);
      continue;
    }
    if (outcome.kind === 'rejected') learn(indices, outcome);
    else end(indices, outcome);
    if (outcome.kind === 'not-sent' && IN_VAIN.has(outcome.reason)) halted ??= outcome;
    silences = outcome.kind === 'accepted' || outcome.kind === 'rejected' ? 0 : silences + 1;
    if (silences === MOST_SILENCES) halted ??= notSent('service');
    await onOutcomes?.(outcomes);
  }
  return servers.map((_, index) => outcomes.get(index) ?? notSent('stopping'));
}

const notSent = (reason: Halt): NotSent => ({ kind: 'not-sent', reason });

const canBeOneLine = ({ known }: Rejected) => known !== 'invalidKey' && known !== 'emptyList';

function chunks(indices: readonly number[]): number[][] {
  const count = Math.ceil(indices.length / MAX_SERVERS_PER_REQUEST);
  return Array.from({ length: count }, (_, i) =>
    indices.slice(i * MAX_SERVERS_PER_REQUEST, (i + 1) * MAX_SERVERS_PER_REQUEST),
  );
}

function halves(indices: readonly number[]): number[][] {
  const middle = Math.ceil(indices.length / 2);
  return [indices.slice(0, middle), indices.slice(middle)];
}

/** Outcomes that are not known yet, each with the indices that had it: a thousand servers have a handful. */
function grouped(
  outcomes: ReadonlyMap<number, Outcome>,
  known: ReadonlySet<number>,
): ReadonlyMap<Outcome, readonly number[]> {
  const groups = new Map<Outcome, number[]>();
  for (const [index, outcome] of outcomes) {
    if (known.has(index)) continue;
    const group = [...groups.keys()].findLast((each) => isDeepStrictEqual(each, outcome)) ?? outcome;
    groups.set(group, [...(groups.get(group) ?? []), index]);
  }
  return groups;
}
