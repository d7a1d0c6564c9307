import type { WorkTurns } from '../pacing/turns.ts';
import type { Store } from '../storage/store.ts';

interface UsageLimit {
  readonly servers: number;
  readonly seconds: number;
}

export interface SubmissionStoreDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild' | 'unsynced'>;
  readonly processId: string;
  readonly member: UsageLimit;
  readonly guild: UsageLimit;
  /** How many days to keep servers that were accepted or may have been received. */
  readonly days: number;
  /** Awaited before each history query, so that other work can run in between. */
  readonly myTurn: WorkTurns;
  /** How often to check whether another process's submission has ended. */
  readonly pollMs?: number;
  readonly declineUndoMs?: number | undefined;
  readonly now?: () => number;
}

export type SubmissionStoreBase = SubmissionStoreDeps & Required<Pick<SubmissionStoreDeps, 'now'>>;
