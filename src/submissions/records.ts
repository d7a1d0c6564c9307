import type { Store } from '../storage/store.ts';
import type { WorkTurns } from '../work-turns.ts';
import { createAlreadySubmitted } from './already-submitted.ts';
import { createApprovals } from './approvals.ts';
import { createDrafts } from './drafts.ts';
import { createErasure, type ErasureDeps } from './erasure.ts';
import { createHistory } from './history.ts';
import { createLimits, type LimitsDeps } from './limits.ts';
import { createRuns } from './runs.ts';

export interface RecordsDeps extends Pick<LimitsDeps, 'member' | 'guild'>, Pick<ErasureDeps, 'days'> {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  /** The id of this process. */
  readonly owner: string;
  readonly myTurn: WorkTurns;
  readonly now?: () => number;
}

export type Records = ReturnType<typeof createSubmissionRecords>;

/** What is kept of submissions: documents, their runs, what counts for the limits, and how it goes. */
export function createSubmissionRecords(deps: RecordsDeps) {
  const { store, owner, member, guild, days, myTurn, now = () => Date.now() } = deps;
  const drafts = createDrafts({ store, now });
  const runs = createRuns({ store, drafts, owner, now });
  const alreadySubmitted = createAlreadySubmitted({ store, now });
  const limits = createLimits({ store, member, guild, now });
  return {
    drafts,
    runs,
    limits,
    alreadySubmitted,
    approvals: createApprovals({ store, drafts, runs, alreadySubmitted, now }),
    history: createHistory({ store, myTurn }),
    erasure: createErasure({ store, drafts, limits, runs, days, now }),
  };
}
