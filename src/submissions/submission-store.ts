import type { WorkTurns } from '../pacing/turns.ts';
import type { Store } from '../storage/store.ts';
import { createAlreadySubmitted } from './already-submitted.ts';
import { createChoices } from './choices.ts';
import { createDrafts } from './drafts.ts';
import { createErasure } from './erasure.ts';
import { createHistory } from './history.ts';
import { createLimits } from './limits.ts';
import { createSubmissions } from './submissions.ts';
import { createWaitingSubmissions } from './waiting-submissions.ts';

interface UsageLimit {
  readonly servers: number;
  readonly seconds: number;
}

export interface SubmissionStoreDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild' | 'unsynced'>;
  readonly processId: string;
  /** The usage limits per member and per guild. */
  readonly member: UsageLimit;
  readonly guild: UsageLimit;
  /** How many days to keep servers that were accepted or may have been received. */
  readonly days: number;
  /** Awaited before each history query, so that other work can run in between. */
  readonly myTurn: WorkTurns;
  readonly now?: () => number;
}

/** The dependencies that every part of the submission store shares. */
export type SubmissionStoreBase = Required<SubmissionStoreDeps>;

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

/** Creates the store for drafts, submissions, usage limits and the submission history. */
export function createSubmissionStore({ now = () => Date.now(), ...deps }: SubmissionStoreDeps) {
  const base: SubmissionStoreBase = { ...deps, now };
  const choices = createChoices(base);
  const drafts = createDrafts({ ...base, choices });
  const submissions = createSubmissions({ ...base, drafts });
  const alreadySubmitted = createAlreadySubmitted(base);
  const limits = createLimits(base);
  return {
    choices,
    drafts,
    submissions,
    limits,
    alreadySubmitted,
    waitingSubmissions: createWaitingSubmissions({ ...base, drafts, submissions }),
    history: createHistory(base),
    erasure: createErasure({ ...base, drafts, limits, submissions }),
  };
}
