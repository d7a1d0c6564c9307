import { createAlreadySubmitted } from './already-submitted.ts';
import { createChoices } from './choices.ts';
import { createDrafts } from './drafts.ts';
import { createErasure } from './erasure.ts';
import { createHistory } from './history.ts';
import { createLimits } from './limits.ts';
import type { SubmissionStoreBase, SubmissionStoreDeps } from './store-deps.ts';
import { createSubmissions } from './submissions.ts';
import { createWaitingSubmissions } from './waiting-submissions.ts';

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
