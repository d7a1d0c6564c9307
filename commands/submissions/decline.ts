import { approvalView, MAX_REASON_LENGTH, submissionsId } from '../../src/approval/approval-view.ts';
import type { DeclineDecision } from '../../src/approval/approvals.ts';
import { DECLINE_REASONS, reasonNamed } from '../../src/approval/decline-reasons.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import type { BlockTarget } from '../../src/guilds/blocks.ts';
import type { PressContext, Reply, SubmitContext } from '../../src/interactions/command.ts';
import { button, type Field, type Modal, modal, rows } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { linesNamed, type NotSelected, withParts } from '../../src/server-lists/named-lines.ts';
import type { DeclineReason } from '../../src/submissions/decline-reason.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import { cut } from '../../src/text/one-line.ts';
import { escapeCode } from '../../src/words/escape.ts';
import { byText, sentences } from '../../src/words/sentences.ts';
import { firstItems, labelledAddress, serverItem, withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';

/* The modal in which a moderator declines a waiting submission or some of its lines. */

/** **Show all** provides a file with every line. */
const MAX_LINES = 20;
/** Limits for the entered line numbers, and for an invalid number in an error message. */
const MAX_NUMBERS_LENGTH = 300;
const MAX_NAMED_NUMBER_LENGTH = 60;

const NOTHING_TYPED: Readonly<Record<'why' | 'words' | 'lines' | 'block', string>> = {
  why: '',
  words: '',
  lines: '',
  block: '',
};

/** @param isRequired whether the moderator has to choose or write a reason */
export function declineModal(
  context: PressContext,
  submission: Submission,
  games: GameIndex,
  isRequired: boolean,
): Modal {
  const { t } = context;
  const { id, draftId, servers } = submission;
  const isList = servers.length > 1;
  const before = typedBefore(context);
  const lines = isList ? [linesField(t, before.lines)] : [];
  return modal({
    id: submissionsId('decline', `${draftId}:${id}`),
    title: t('approval.modal.title'),
    text: isList
      ? textWithLineNumbers(t, submission)
      : (approvalView(t, submission, games).embeds[0]?.description ?? ''),
    fields: [...reasonFields(t, isRequired, before), ...lines, blockField(t, [submission], before.block)],
  });
}

export function reasonFields(t: Translate, isRequired: boolean, before = NOTHING_TYPED): readonly Field[] {
  return [
    {
      kind: 'select',
      id: 'why',
      label: t('approval.modal.reason'),
      hint: t(isRequired ? 'approval.modal.hintRequired' : 'approval.modal.hint'),
      placeholder: t('approval.modal.reason'),
      options: DECLINE_REASONS.map((key) => ({
        label: t(`approval.reasons.${key}`),
        value: key,
        ...(key === before.why && { default: true }),
      })),
      // Discord can't require one of two fields, so the bot checks the reason itself.
      required: false,
    },
    {
      id: 'reason',
      label: t('approval.modal.words'),
      value: cut(before.words, MAX_REASON_LENGTH),
      maxLength: MAX_REASON_LENGTH,
      long: true,
    },
  ];
}

/** Returns the member and the hosts that can be blocked together with declining submissions, with their labels. */
function blockable(submissions: readonly Submission[]): ReadonlyMap<string, BlockTarget> {
  const [first] = submissions;
  const hosts = submissions.flatMap(({ servers }) => servers.map(({ server }) => server.server));
  return new Map<string, BlockTarget>([
    ...(first ? [[`@${first.userName}`, { kind: 'member', id: first.userId }] as const] : []),
    ...hosts.map((host) => [labelledAddress(host, LIMITS.choiceName), { kind: 'host', host }] as const),
  ]);
}

/**
 * Builds the menu that blocks the member or a host.
 * @param chosen the label of an earlier choice
 */
export const blockField = (t: Translate, submissions: readonly Submission[], chosen = ''): Field => ({
  kind: 'select',
  id: 'block',
  label: t('blocks.decline'),
  hint: t('blocks.declineHint'),
  placeholder: t('blocks.decline'),
  options: [...blockable(submissions).keys()].slice(0, LIMITS.choices).map((label) => ({
    label,
    value: label,
    ...(label === chosen && { default: true }),
  })),
  required: false,
});

/** Reads the chosen member or host. Anything that isn't part of the submissions is ignored. */
export function readBlock(
  field: SubmitContext['field'],
  submissions: readonly Submission[],
): readonly BlockTarget[] {
  const target = blockable(submissions).get(field('block'));
  return target ? [target] : [];
}

function textWithLineNumbers(t: Translate, submission: Submission): string {
  const servers = withParts(submission.servers);
  const items = firstItems(t, servers, MAX_LINES, (each) => serverItem(t, each.server, each));
  return [byText(t, submission), ...items].join('\n');
}

const linesField = (t: Translate, value: string): Field => ({
  id: 'lines',
  label: t('approval.modal.lines'),
  hint: t('approval.modal.linesHint'),
  value: cut(value, MAX_NUMBERS_LENGTH),
  maxLength: MAX_NUMBERS_LENGTH,
});

type TypedDecline =
  | ({ readonly kind: 'typed' } & Required<Pick<DeclineDecision, 'reason' | 'block'>> &
      Pick<DeclineDecision, 'only'>)
  | { readonly kind: 'refused'; readonly reply: Reply };

/**
 * Reads the modal's input. For an unknown or ambiguous line number, or without a required reason, returns a private reply
 * with a button that reopens the modal.
 * @throws UserError if the required reason is missing and nothing else was typed that the modal would lose
 */
export function readDecline(
  context: SubmitContext,
  submission: Submission,
  isRequired: boolean,
): TypedDecline {
  const { t, field } = context;
  const typed = field('lines').trim();
  const block = readBlock(field, [submission]);
  if (typed === '' && block.length === 0) {
    return { kind: 'typed', reason: demandReason(context, isRequired), block };
  }
  const reason = readReason(field);
  const reopens = submissionsId('decline', [submission.draftId, submission.id, reason.key ?? ''].join(':'));
  const refuse = (...lines: readonly string[]): TypedDecline => ({
    kind: 'refused',
    reply: {
      content: lines.join('\n'),
      // Discord rejects empty texts in embeds.
      embeds: [
        {
          ...(block.length > 0 && { title: field('block') }),
          ...(reason.words !== '' && { description: reason.words }),
          ...(typed !== '' && { footer: { text: typed } }),
        },
      ],
      components: rows([button(reopens, t('again.edit'), 'primary')]),
      isUserError: true,
    },
  });
  if (isRequired && isMissing(reason)) return refuse(withSign('not-sent', t('approval.reasonMissing')));
  if (typed === '') return { kind: 'typed', reason, block };
  const servers = withParts(submission.servers);
  const named = linesNamed(typed, servers);
  if (named.kind === 'selected') return { kind: 'typed', reason, only: named.indices, block };
  return refuse(
    withSign('not-sent', sentences(notSelectedText(t, named), t('approval.still'))),
    ...firstItems(
      t,
      named.possible.flatMap((index) => servers[index] ?? []),
      MAX_LINES,
      ({ server, line, part = 1 }) => serverItem(t, server, { line, part }),
    ),
  );
}

function notSelectedText(t: Translate, { typed, possible }: NotSelected): string {
  const search = escapeCode(typed, MAX_NAMED_NUMBER_LENGTH);
  return possible.length === 0 ? t('approval.noLine', { search }) : t('approval.severalOnLine', { search });
}

/**
 * Reads the reason, which can be chosen, written or both.
 * @throws UserError if a required reason is missing
 */
export function demandReason(
  { t, field }: Pick<SubmitContext, 't' | 'field'>,
  isRequired: boolean,
): DeclineReason {
  const reason = readReason(field);
  if (isRequired && isMissing(reason)) throw new UserError(t('approval.reasonMissing'));
  return reason;
}

const readReason = (field: SubmitContext['field']): DeclineReason => ({
  key: reasonNamed(field('why')),
  words: field('reason').trim(),
});

const isMissing = ({ key, words }: DeclineReason): boolean => key === undefined && words === '';

/** Reads the earlier input from the message whose button reopens the modal. Returns empty values for any other message. */
function typedBefore({ argument, shown }: PressContext): typeof NOTHING_TYPED {
  const [, , why] = argument.split(':');
  if (why === undefined) return NOTHING_TYPED;
  const { title = '', description = '', footer } = Object(shown.embeds[0]);
  const lines = String(Object(footer).text ?? '');
  return { why, words: String(description), lines, block: String(title) };
}
