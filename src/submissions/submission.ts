import type { ServerSubmission } from '../listing/contract.ts';
import { placeOf, type ReadyRow, type RowPlace } from '../server-lists/row.ts';
import type { SubmissionsTable } from '../storage/tables.ts';
import type { DeclineReason } from './decline-reason.ts';
import type { Draft } from './draft.ts';
import type { Submitter } from './drafts.ts';
import type { ServerOutcome } from './outcome.ts';

/** How long moderators can take back a decline. Until then, the member isn't notified of it. */
export const DECLINE_UNDO_MS = 60_000;

export interface MessagePlace {
  readonly channelId: string;
  readonly messageId: string;
}

export interface SubmittedServer extends RowPlace {
  readonly server: ServerSubmission;
  /** `undefined` while the server is waiting or being sent, and in a withdrawn submission. */
  readonly outcome: ServerOutcome | undefined;
}

export interface ServerResult extends SubmittedServer {
  readonly outcome: ServerOutcome;
}

/** A stored submission of a draft. Its list of servers never changes. */
export interface Submission {
  readonly id: string;
  readonly draftId: string;
  readonly guildId: string;
  /**
   * The member's interaction that created the submission; `undefined` if it was created by a decision or the end of an
   * earlier submission.
   */
  readonly interactionId: string | undefined;
  readonly state: SubmissionsTable['state'];
  /** The member's user id; empty if the member had their name deleted. */
  readonly userId: string;
  readonly userName: string;
  /** The moderator's user id; empty until a moderator decides, or if the moderator's name was deleted. */
  readonly decidedBy: string;
  /** The moderator's name; empty if unknown. */
  readonly decidedByName: string;
  /** The correcting moderator's user id; empty if their name was deleted, `undefined` without a correction. */
  readonly correctedBy: string | undefined;
  /** The correcting moderator's name; empty if unknown. */
  readonly correctedByName: string;
  /** The server as the member submitted it, if a moderator has corrected it and this version recorded it. */
  readonly correctedFrom: ServerSubmission | undefined;
  readonly declineReason: DeclineReason | undefined;
  /** The interaction that approved, declined, corrected or withdrew the submission. */
  readonly decisionId: string | undefined;
  readonly isUndoable: boolean;
  /** Still true once a moderator has decided. */
  readonly needsModerator: boolean;
  /** When the submission expires, in milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  /** When the submission ended, in milliseconds since 1970; `undefined` while it is waiting or running. */
  readonly endedAt: number | undefined;
  /** How the member entered the draft; `undefined` if the draft has been deleted. */
  readonly source: Draft['source'] | undefined;
  /** Empty once a withdrawn submission's servers have been deleted. */
  readonly servers: readonly SubmittedServer[];
  readonly message: MessagePlace | undefined;
  /**
   * The revision that the message should show. `shownRevision` is the revision that it currently shows, or a negative number
   * if an edit is in progress or might have been interrupted.
   */
  readonly revision: number;
  readonly shownRevision: number;
}

export interface NewSubmission extends Submitter {
  readonly draftId: string;
  readonly rows: readonly ReadyRow[];
  /**
   * The member's interaction that creates the submission; `null` if it is created by a decision or the end of an earlier
   * submission.
   */
  readonly interactionId: string | null;
}

export type StateChange = Pick<SubmissionsTable, 'state'> & Partial<SubmissionsTable>;

export const serverResults = ({ servers }: Pick<Submission, 'servers'>): readonly ServerResult[] =>
  servers.flatMap(({ outcome, ...server }) => (outcome ? [{ ...server, outcome }] : []));

/** Returns an ended submission's servers that the service may or may not have received. */
export const unconfirmedIn = ({ state, servers }: Pick<Submission, 'state' | 'servers'>) =>
  state === 'done' ? servers.filter(({ outcome }) => outcome?.kind === 'unknown') : [];

export const rowForServer = (server: SubmittedServer): ReadyRow => ({
  kind: 'ready',
  ...placeOf(server),
  submission: server.server,
});
