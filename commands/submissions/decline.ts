import { approvalView, LONGEST_REASON, submissionsId } from '../../src/approval/approval-view.ts';
import type { DeclineDecision } from '../../src/approval/approvals.ts';
import { DECLINE_REASONS, reasonNamed } from '../../src/approval/decline-reasons.ts';
import type { PressContext, SubmitContext } from '../../src/interactions/command.ts';
import { type Field, type Modal, modal } from '../../src/interactions/controls.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { linesNamed } from '../../src/server-lists/named-lines.ts';
import type { Submission } from '../../src/submissions/submissions.ts';
import { UserError } from '../../src/user-error.ts';
import { escapeCode } from '../../src/words/escape.ts';
import { byText, sentences } from '../../src/words/sentences.ts';
import { firstItems, serverItem, withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';

/* The modal in which a moderator declines a waiting submission, or some of its lines. */

/** How many lines of a list the modal shows. The file of **Show all** has all lines. */
const MOST_LINES = 20;
/** Maximum length of the line numbers, and of an invalid number in an error message, in UTF-16 units. */
const LONGEST_NUMBERS = 300;
const LONGEST_NAMED = 60;

export function declineModal({ t, argument }: PressContext, submission: Submission, games: GameIndex): Modal {
  const isList = submission.servers.length > 1;
  const hint = t('approval.modal.hint');
  return modal({
    id: submissionsId('decline', argument),
    title: t('approval.modal.title'),
    text: isList
      ? numberedText(t, submission)
      : (approvalView(t, submission, games).embeds[0]?.description ?? ''),
    fields: [
      {
        kind: 'select',
        id: 'why',
        label: t('approval.modal.reason'),
        hint,
        placeholder: t('approval.modal.reason'),
        options: DECLINE_REASONS.map((key) => ({ label: t(`approval.reasons.${key}`), value: key })),
        required: false,
      },
      { id: 'reason', label: t('approval.modal.words'), hint, most: LONGEST_REASON, long: true },
      ...(isList ? [linesField(t)] : []),
    ],
  });
}

/** Formats a list with its line numbers. */
function numberedText(t: Translate, submission: Submission): string {
  const items = firstItems(t, submission.servers, MOST_LINES, ({ line, server }) =>
    serverItem(t, server, line),
  );
  return [byText(t, submission), ...items].join('\n');
}

const linesField = (t: Translate): Field => ({
  id: 'lines',
  label: t('approval.modal.lines'),
  hint: t('approval.modal.linesHint'),
  most: LONGEST_NUMBERS,
});

/**
 * Reads the input of the modal.
 * @throws UserError if a number isn't one of the list's lines
 */
export function readDecline(
  { t, field }: SubmitContext,
  { servers }: Submission,
): Pick<DeclineDecision, 'reason' | 'lines'> {
  const reason = { key: reasonNamed(field('why')), words: field('reason').trim() };
  const typed = field('lines').trim();
  if (typed === '') return { reason };
  const lines = linesNamed(
    typed,
    servers.map(({ line }) => line),
  );
  if (typeof lines !== 'string') return { reason, lines };
  const search = escapeCode(lines, LONGEST_NAMED);
  throw new UserError(withSign('not-sent', sentences(t('approval.noLine', { search }), t('approval.still'))));
}
