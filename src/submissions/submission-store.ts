import { createAlreadySubmitted } from './already-submitted.ts';
import { createChoices } from './choices.ts';
import { createDrafts, type Drafts } from './drafts.ts';
import { createErasure } from './erasure.ts';
import { createHistory } from './history.ts';
import { createLimits } from './limits.ts';
import type { SubmissionStoreBase, SubmissionStoreDeps } from './store-deps.ts';
import { createSubmissions, type Submissions } from './submissions.ts';
import type { WaitingSubmissions } from './waiting-submissions.ts';

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

export interface WaitingSubmissionsDeps extends SubmissionStoreBase {
  readonly drafts: Drafts;
  readonly submissions: Submissions;
}

interface Deps extends SubmissionStoreDeps {
  readonly createWaitingSubmissions: (deps: WaitingSubmissionsDeps) => WaitingSubmissions;
}

export function createSubmissionStore({ now = () => Date.now(), createWaitingSubmissions, ...deps }: Deps) {
  const base: SubmissionStoreBase = { ...deps, now };
  const choices = createChoices(base);
  const drafts = createDrafts({ ...base, choices });
  const submissions = createSubmissions({ ...base, drafts, waiting: () => waitingSubmissions });
  const waitingSubmissions = createWaitingSubmissions({ ...base, drafts, submissions });
  const limits = createLimits(base);
  return {
    choices,
    drafts,
    submissions,
    waitingSubmissions,
    limits,
    alreadySubmitted: createAlreadySubmitted(base),
    history: createHistory(base),
    erasure: createErasure({ ...base, drafts, limits, submissions, waitingSubmissions }),
  };
}
