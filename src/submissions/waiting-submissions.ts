import type { ServerSubmission } from '../listing/contract.ts';
import type { ReadyRow } from '../server-lists/row.ts';
import type { Draft } from './draft.ts';
import type { NoDraft, Submitter } from './drafts.ts';
import type { NewSubmission, StateChange, Submission, SubmittedServer } from './submission.ts';

export type WaitingProblem =
  /** `count` is the number of submissions that are already waiting. */
  | { readonly code: 'member-waiting' | 'guild-waiting'; readonly count: number }
  /** The member has submitted too often recently, and can't submit again until `at` (milliseconds since 1970). */
  | { readonly code: 'waiting-often'; readonly at: number };

export interface DraftRef {
  readonly guildId: string;
  readonly id: string;
}

/** A draft as a moderator saw it. The member's later changes aren't part of the decision. */
export interface SeenApproval extends DraftRef {
  /** The submission's id; `undefined` if the button was forged. */
  readonly submissionId?: string | undefined;
}

export interface DecidedBy {
  readonly by: Submitter['user'];
  readonly interactionId: string;
}

interface NewWaitingSubmission extends NewSubmission {
  /** When the submission expires, in milliseconds since 1970. If omitted, a moderator has the full time to decide. */
  readonly expiresAt?: number;
  /**
   * The correction of the submission, with the server before. If omitted, a submission created by the member is uncorrected;
   * any other submission keeps the previous correction, unless it is `null`.
   */
  readonly correction?: (DecidedBy & { readonly from: ServerSubmission }) | null | undefined;
  /** The encrypted data for notifying the member of the decision. If omitted, the previous submission's data is copied. */
  readonly notice?: string | null;
  readonly undoneBy?: string;
}

/**
 * The interface for submissions that wait for a moderator; `src/approval` implements it. Methods that change data must be
 * called inside the guild's transaction.
 */
export interface WaitingSubmissions {
  /**
   * Returns the waiting submission if it has the same game servers as the one that the moderator saw. After *Undo*, a new
   * submission with the same game servers is waiting, and a message may still have the old buttons.
   */
  seen(which: SeenApproval): Promise<Submission | undefined>;
  isAnyWaiting(guildId: string): Promise<boolean>;
  waitingAddresses(by: Submitter, exceptDraftId?: string): Promise<ReadonlySet<string>>;
  draft(by: Submitter, id: string): Promise<Draft | NoDraft>;
  /**
   * Returns the reason why a draft's servers can't wait for approval. If they can, counts the attempt towards the member's
   * rate limit.
   */
  whyNotWaiting(
    by: Submitter & Pick<DraftRef, 'id'>,
    servers: readonly ServerSubmission[],
  ): Promise<WaitingProblem | undefined>;
  /**
   * Creates a submission that waits for a moderator, and reuses the previous submission's message for moderators. A message
   * that already shows a declined or withdrawn submission isn't reused.
   * @returns the new submission's id
   */
  begin(submission: NewWaitingSubmission): Promise<string>;
  /**
   * Replaces a waiting submission with a new submission of the same draft, with fewer or corrected servers. The expiry time
   * stays the same.
   * @returns the new submission's id, or the existing id without a change
   */
  beginAnother(
    submission: Submission,
    rows: readonly ReadyRow[],
    correction?: NewWaitingSubmission['correction'],
  ): Promise<string>;
  /**
   * Changes a waiting submission to running, without the rows that can't be submitted. From then on, its servers count
   * towards the limits.
   * @returns the running submission's id
   * @throws Error if the submission isn't waiting
   */
  approve(submission: Submission, rows: readonly ReadyRow[], decision: DecidedBy): Promise<string>;
  /**
   * Saves or deletes the draft of an approved submission that has ended. The servers that weren't sent wait again.
   * @param id the submission's id
   * @param draft the draft without the accepted servers
   */
  waitAgain(by: Submitter, id: string, draft: Draft, ended: readonly SubmittedServer[]): Promise<void>;
  /**
   * Takes back a decline. The servers wait again in a new submission with the old expiry time and the same message for
   * moderators. Lines of the same list that are still waiting are part of this submission.
   * @returns false if the member has been notified, has submitted the servers again or has withdrawn the others; if a server
   * is waiting elsewhere; or if the draft's other servers are being sent or were corrected
   */
  takeBack(declined: Submission, interactionId: string): Promise<boolean>;
  /** Ends a waiting submission and records its servers' outcome. Servers of withdrawn submissions don't get an outcome. */
  end(id: string, guildId: string, to: StateChange): Promise<void>;
  /**
   * Marks the messages about waiting submissions as outdated if an ended submission has sent one of their servers, because
   * the messages then show that it was already submitted.
   * @param id the ended submission's id
   * @returns whether any message was marked
   */
  markRepeats(guildId: string, id: string): Promise<boolean>;
  /**
   * Withdraws a member's waiting submission but keeps its draft.
   * @param seenId the submission that the member saw. If omitted, any waiting submission of the draft is withdrawn
   * @returns the reason if the submission isn't waiting; `submitted` if another submission of the draft is waiting
   */
  withdraw(by: Submitter, id: string, interactionId: string, seenId?: string): Promise<NoDraft | undefined>;
  /**
   * Ends some expired waiting submissions of the guild and deletes their drafts. A submission that would wait for more than
   * twice the maximum has expired too, because it was created while the clock was ahead.
   * @returns whether there may be more
   */
  expire(guildId: string): Promise<boolean>;
}
