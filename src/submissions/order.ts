import type { ListingApi, Outcome, ServerSubmission } from '../listing/contract.ts';
import type { Scheduler } from '../listing/scheduler.ts';
import type { Secret } from '../secret.ts';
import type { Database } from '../storage/database.ts';
import type { Refusal } from './checks.ts';
import type { Draft } from './draft.ts';
import type { History } from './history.ts';
import type { Held, Limits } from './limits.ts';
import type { Records, Submitter } from './record.ts';

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

export type Result =
  | Ended
  /** Nothing was sent. The draft stays; a new one, of one server, is stored. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly draft: Draft }
  | { readonly kind: 'no-draft'; readonly why: NoDraft };

/** `taken`: another interaction has submitted it. `empty`: none of its servers is to be submitted. */
export type NoDraft = 'gone' | 'taken' | 'of-another-member' | 'empty';

export interface Ended {
  readonly kind: 'ended';
  readonly draft: Draft;
  /** What was submitted, and what came of each. */
  readonly servers: readonly ServerSubmission[];
  readonly outcomes: readonly Outcome[];
  /** Some of it had left when the bot was stopped. */
  readonly isResumed: boolean;
  /** Whether the guild wants submissions announced in the channel. */
  readonly announce: boolean;
  /** What held up the others of the draft, which come after {@link servers}; not known after a crash. */
  readonly held?: Held;
  /** The draft of what was refused or not sent, and of the lines that were not ready, if there is anything. */
  readonly restId?: string;
}

/** The part of a guild's settings that submissions go by. */
interface SubmissionSettings {
  readonly announce: boolean;
  /** The aliases of the games that may be submitted; absent: all of them. */
  readonly games?: readonly string[];
  /** Servers that a member may submit in a day; absent: no limit. */
  readonly dailyQuota?: number;
}

export interface PipelineDeps {
  readonly database: Pick<Database, 'inGuild'>;
  readonly records: Records;
  readonly history: Pick<History, 'find'>;
  readonly limits: Limits;
  readonly keys: {
    /** The guild's key, if it may be used. */
    usable(guildId: string): Promise<Secret | Extract<Refusal, { code: `key-${string}` }>>;
    /** Keeps what an answer says of the key; whether it is refused for the first time. */
    keepAnswer(guildId: string, key: Secret, answer: Outcome): Promise<boolean>;
  };
  /** Tells the guild's admins of that. */
  readonly onKeyRefused: (guildId: string) => Promise<void>;
  readonly settings: {
    get(guildId: string): Promise<SubmissionSettings>;
  };
  readonly listing: Pick<ListingApi, 'add'> & { isDown(guildId: string): boolean };
  readonly scheduler: Scheduler;
  readonly observers: readonly Observer[];
  readonly logger: { error(details: object, message: string): void };
  /** The most milliseconds that one request to the service takes. */
  readonly longestRequestMs: number;
  readonly now?: () => number;
}

/** What is carried out. Places count the servers that are submitted, positions all of the record. */
export interface Pipeline {
  /**
   * Carries out a draft, of one server or a thousand, once. Called again for the same interaction after a crash it
   * goes on where it stopped: nothing that may have left is sent again.
   * @throws StoreError when it cannot be recorded; then nothing was sent
   */
  submit(order: Order): Promise<Result>;
}

/** A request, what it was sent with, and what came of it. */
export interface Answered {
  readonly indices: readonly number[];
  readonly key: Secret;
  readonly answer: Outcome;
}

export interface Run extends Pick<Ended, 'draft' | 'servers' | 'isResumed' | 'announce'> {
  readonly id: string;
  readonly held: Held | undefined;
  readonly isOver: boolean;
  readonly startedAt: number;
  readonly positions: readonly number[];
  readonly known: ReadonlyMap<number, Outcome>;
  /** The first request, which is on record as about to leave, and the key for it. */
  readonly firstKey?: Secret;
  readonly firstIndices: readonly number[];
}

/** What came of each server that was carried out, and the key of the latest request. */
export interface Carried {
  readonly outcomes: readonly Outcome[];
  readonly key: Secret | undefined;
}

/** Who wants to know of every submission. What an observer throws is logged and changes nothing. */
export interface Observer {
  refused?(by: Submitter, servers: readonly ServerSubmission[], refusal: Refusal): Promise<void>;
  /** @param key what the last request was sent with, if any was */
  ended?(
    by: Submitter,
    end: Pick<Ended, 'servers' | 'outcomes'> & { readonly key: Secret | undefined },
  ): Promise<void>;
}
