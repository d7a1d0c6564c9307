import { againText, serversText } from '../../src/approval/approval-view.ts';
import type { Context, PressContext, Reply } from '../../src/interactions/command.ts';
import type { Control } from '../../src/interactions/controls.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { type EndedSubmission, isAllSent } from '../../src/submissions/pipeline.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import type { SeenApproval } from '../../src/submissions/waiting-submissions.ts';
import { keyText } from '../../src/words/keys.ts';
import { stillWaitingText } from '../../src/words/not-submitted.ts';
import { announcementOf, outcomesForLog } from '../../src/words/outcomes.ts';
import { withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { enterKey } from '../setkey.ts';
import { heldText } from '../submit/preview.ts';

export interface Approved {
  readonly kind: 'approved';
  readonly ended: EndedSubmission;
  readonly user: { readonly id: string; readonly name: string };
  readonly waitingAgain: number;
}

export interface StillWaiting extends Pick<Submission, 'servers'> {
  readonly kind: 'still-waiting';
  readonly why: string;
  readonly hasOtherButtons: boolean;
}

/** `changed`: the submission is no longer waiting, or has changed since the moderator saw it. */
type ApproveResult = Approved | StillWaiting | { readonly kind: 'changed' };

/** @param onStart called before several servers are sent */
export async function approveSeen(
  context: PressContext,
  { guildId, id, submissionId }: SeenApproval,
  { access, approvals, pipeline, games }: CommandDeps,
  onStart: () => void,
): Promise<ApproveResult> {
  const { t } = context;
  const seen = { guildId, id, submissionId };
  const found = await approvals.seen(seen);
  if (found === undefined) return { kind: 'changed' };
  const { servers } = found;
  const user = { id: found.userId, name: found.userName };
  if (access.blocked(guildId, user.id)) {
    const why = `${t('approval.blocked')}\n${t('approval.still')}`;
    return { kind: 'still-waiting', servers, why, hasOtherButtons: false };
  }
  const result = await pipeline.submit({
    ...context,
    ...seen,
    // The member's channel is no longer known.
    channelId: undefined,
    user,
    approvedBy: context.user,
    onProgress(done, count) {
      // Sending a single server is too quick to show progress.
      if (done === 0 && count > 1) onStart();
    },
  });
  if (result.kind === 'ended') {
    // Servers only wait again once their outcomes have been saved.
    const canWaitAgain = result.isRecorded && !isAllSent(result);
    const now = canWaitAgain ? await approvals.find(seen) : undefined;
    const waitingAgain = now?.state === 'waiting' ? now.servers.length : 0;
    return { kind: 'approved', ended: result, user, waitingAgain };
  }
  if (result.kind !== 'held' || result.why.code === 'changed') return { kind: 'changed' };
  const why = stillWaitingText(result.why, context, games);
  return { kind: 'still-waiting', servers, why, hasOtherButtons: result.why.code === 'already-submitted' };
}

/** All submissions are announced in the channel that the admins chose. */
export function announcementOfAll(all: readonly Approved[], games: GameIndex): Reply['announcement'] {
  const announced = all.filter(({ ended }) => ended.announcedIn !== undefined);
  const [first] = announced;
  if (first === undefined) return undefined;
  const members = [...Map.groupBy(announced, ({ user }) => user.id).values()].map((own) => ({
    user: own[0]?.user ?? first.user,
    servers: own.flatMap(({ ended }) => ended.servers),
  }));
  return announcementOf(first.ended.announcedIn, members, games);
}

export const replaceKeyButton = (context: Context, all: readonly Approved[]): Control | false =>
  all.some(({ ended }) => ended.keyProblem) && enterKey(context);

/**
 * Explains which approved servers weren't sent and why, and how many are waiting again. Reports any unsaved outcomes and a
 * problem with the key.
 */
export function approvalNotes(
  context: Context,
  all: readonly Approved[],
  games: GameIndex,
): readonly string[] {
  const { t } = context;
  const sum = (numberOf: (each: Approved) => number) => all.reduce((so, each) => so + numberOf(each), 0);
  const leftOut = sum(
    ({ ended: { draft, servers, limitedRows } }) => draft.rows.length - servers.length - limitedRows.length,
  );
  const again = sum(({ waitingAgain }) => waitingAgain);
  const keyProblem = all.find(({ ended }) => ended.keyProblem)?.ended.keyProblem;
  const texts = [
    leftOut > 0 && t('approval.leftOut', { count: leftOut }),
    ...all.map(
      ({ ended: { draft, limitedRows: rows, limited } }) =>
        limited && withSign('not-sent', heldText(t, { draft, rows, limited })),
    ),
    ...all.flatMap(({ ended: { servers, isRecorded } }) =>
      isRecorded
        ? []
        : [serversText(t, servers, games), ...outcomesForLog(t, servers), t('ended.unrecorded')],
    ),
    keyProblem && withSign('not-sent', keyText(keyProblem, context)),
    againText(t, again),
  ];
  return texts.filter((text) => typeof text === 'string');
}
