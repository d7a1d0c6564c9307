import { approvalView, MAX_REASON_LENGTH, submissionsId } from '../../src/approval/approval-view.ts';
import type { DeclineDecision } from '../../src/approval/approvals.ts';
import { DECLINE_REASONS, reasonNamed, reasonText } from '../../src/approval/decline-reasons.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import type { BlockTarget } from '../../src/guilds/blocks.ts';
import type { PressContext, SubmitContext } from '../../src/interactions/command.ts';
import { type Field, type Modal, modal } from '../../src/interactions/controls.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import {
  linesNamed,
  type NotSelected,
  partsNamingOnlyOthers,
  withParts,
} from '../../src/server-lists/named-lines.ts';
import type { RowPlace } from '../../src/server-lists/row.ts';
import type { DeclineReason } from '../../src/submissions/decline-reason.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import type { SeenApproval } from '../../src/submissions/waiting-submissions.ts';
import { cut } from '../../src/text/one-line.ts';
import { escapeCode } from '../../src/words/escape.ts';
import { byText, namedText, sentences } from '../../src/words/sentences.ts';
import { firstItems, labelledAddress, MAX_NAMED, serverItem, withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import { type RefusedForm, typedBefore, typedEmbeds } from './typed-form.ts';

/** **Show all** provides a file with every line. */
const MAX_LINES = 20;
const MAX_LINE_NUMBERS_LENGTH = 300;
const MAX_INVALID_NUMBER_LENGTH = 60;

export function declineModal(
  context: PressContext,
  submission: Submission,
  games: GameIndex,
  isReasonRequired: boolean,
): Modal {
  const { t } = context;
  const { id, draftId, servers } = submission;
  const isList = servers.length > 1;
  const lines = isList ? [linesField(context)] : [];
  return modal({
    id: submissionsId('decline', `${draftId}:${id}`),
    title: t('approval.modal.title'),
    text: isList
      ? textWithLineNumbers(t, submission)
      : (approvalView(t, submission, games).embeds[0]?.description ?? ''),
    fields: [...reasonFields(context, isReasonRequired), ...lines, blockField(context, [submission])],
  });
}

export function reasonFields(context: PressContext, isReasonRequired: boolean): readonly Field[] {
  const { t } = context;
  const chosen = typedBefore(context, t('approval.modal.reason'));
  return [
    {
      kind: 'select',
      id: 'why',
      label: t('approval.modal.reason'),
      hint: t(isReasonRequired ? 'approval.modal.hintRequired' : 'approval.modal.hint'),
      placeholder: t('approval.modal.reason'),
      options: DECLINE_REASONS.map((key) => {
        const label = t(`approval.reasons.${key}`);
        return { label, value: key, default: label === chosen };
      }),
      // Discord can't require one of two fields, so the bot checks the reason itself.
      required: false,
    },
    {
      id: 'reason',
      label: t('approval.modal.words'),
      value: cut(typedBefore(context, t('approval.modal.words')), MAX_REASON_LENGTH),
      maxLength: MAX_REASON_LENGTH,
      isMultiline: true,
    },
  ];
}

function blockTargetsByLabel(submissions: readonly Submission[]): ReadonlyMap<string, BlockTarget> {
  const [first] = submissions;
  const hosts = submissions.flatMap(({ servers }) => servers.map(({ server }) => server.server));
  return new Map<string, BlockTarget>([
    ...(first ? [[`@${first.userName}`, { kind: 'member', id: first.userId }] as const] : []),
    ...hosts.map((host) => [labelledAddress(host, LIMITS.choiceName), { kind: 'host', host }] as const),
  ]);
}

export function blockField(context: PressContext, submissions: readonly Submission[]): Field {
  const { t } = context;
  const chosen = typedBefore(context, t('blocks.decline'));
  return {
    kind: 'select',
    id: 'block',
    label: t('blocks.decline'),
    hint: t('blocks.declineHint'),
    placeholder: t('blocks.decline'),
    options: [...blockTargetsByLabel(submissions).keys()]
      .slice(0, LIMITS.choices)
      .map((label) => ({ label, value: label, default: label === chosen })),
    required: false,
  };
}

/** Ignores members and hosts that aren't part of the submissions. */
export function readBlock(
  field: SubmitContext['field'],
  submissions: readonly Submission[],
): readonly BlockTarget[] {
  const target = blockTargetsByLabel(submissions).get(field('block'));
  return target ? [target] : [];
}

function textWithLineNumbers(t: Translate, submission: Submission): string {
  const servers = withParts(submission.servers);
  const items = firstItems(t, servers, MAX_LINES, (each) => serverItem(t, each.server, each));
  return [byText(t, submission), ...items].join('\n');
}

function linesField(context: PressContext): Field {
  const { t } = context;
  const label = t('approval.modal.lines');
  return {
    id: 'lines',
    label,
    hint: t('approval.modal.linesHint'),
    value: cut(typedBefore(context, label), MAX_LINE_NUMBERS_LENGTH),
    maxLength: MAX_LINE_NUMBERS_LENGTH,
  };
}

export function typedDecline(
  { t, field }: Pick<SubmitContext, 't' | 'field'>,
  lines = field('lines').trim(),
): RefusedForm['typed'] {
  const { key, words } = readReason(field);
  return typedEmbeds({
    [t('approval.modal.reason')]: reasonText(t, { key, words: '' }, String),
    [t('approval.modal.words')]: words,
    [t('approval.modal.lines')]: lines,
    [t('blocks.decline')]: field('block'),
  });
}

/**
 * Keeps a moderator's input for declining a submission.
 * @param now the current version. Line numbers only apply to the version that the moderator saw
 */
export function refusedDecline(context: SubmitContext, { id, submissionId }: SeenApproval): RefusedForm {
  const now = `${id}:${submissionId}`;
  const lines = context.argument.startsWith(now) ? undefined : '';
  return {
    buttonId: submissionsId('decline', now),
    buttonLabel: context.t('approval.decline'),
    typed: typedDecline(context, lines),
    noEffect: noEffectText(context),
  };
}

export const noEffectText = (context: Pick<SubmitContext, 't' | 'field'>): string =>
  withSign('not-sent', sentences(context.t('approval.noEffect.decline'), notBlockedText(context)));

export function notBlockedText({ t, field }: Pick<SubmitContext, 't' | 'field'>): string | undefined {
  const block = field('block');
  return block === '' ? undefined : t('blocks.notMade', { names: `\`${escapeCode(block)}\`` });
}

type TypedDecline =
  | ({ readonly kind: 'typed' } & Required<Pick<DeclineDecision, 'reason' | 'block'>> &
      Pick<DeclineDecision, 'only'>)
  | { readonly kind: 'refused'; readonly why: string };

/**
 * @param decided the list's lines that moderators have already decided on
 * @returns why the input is refused: for an unknown or ambiguous line number, or without a required reason
 */
export function readDecline(
  { t, field }: Pick<SubmitContext, 't' | 'field'>,
  submission: Submission,
  isReasonRequired: boolean,
  decided: readonly RowPlace[],
): TypedDecline {
  const reason = readReason(field);
  if (isReasonRequired && isMissing(reason)) return { kind: 'refused', why: missingText(t) };
  const block = readBlock(field, [submission]);
  const typed = field('lines').trim();
  if (typed === '') return { kind: 'typed', reason, block };
  const servers = withParts(submission.servers);
  const named = linesNamed(typed, servers);
  if (named.kind === 'selected') return { kind: 'typed', reason, only: named.indices, block };
  const possible = named.possible.flatMap((index) => servers[index] ?? []);
  const parts = partsNamingOnlyOthers(typed, decided, servers);
  const texts =
    parts.length > 0
      ? [decidedText(t, parts), t('approval.noEffect.decline')]
      : [notSelectedText(t, named), t('approval.still')];
  const why = [
    withSign('not-sent', sentences(...texts)),
    ...firstItems(t, possible, MAX_LINES, ({ server, line, part = 1 }) =>
      serverItem(t, server, { line, part }),
    ),
  ];
  return { kind: 'refused', why: why.join('\n') };
}

const decidedText = (t: Translate, parts: readonly string[]): string =>
  t('approval.alreadyDecided', { numbers: namedText(t, parts.slice(0, MAX_NAMED), parts.length) });

function notSelectedText(t: Translate, { typed, isWellFormed, possible }: NotSelected): string {
  const search = escapeCode(typed, MAX_INVALID_NUMBER_LENGTH);
  if (possible.length > 0) return t('approval.severalOnLine', { search });
  return sentences(t('approval.noLine', { search }), isWellFormed ? undefined : t('approval.linesFormat'));
}

export const missingText = (t: Translate): string => withSign('not-sent', t('approval.reasonMissing'));

export const readReason = (field: SubmitContext['field']): DeclineReason => ({
  key: reasonNamed(field('why')),
  words: field('reason').trim(),
});

export const isMissing = ({ key, words }: DeclineReason): boolean => key === undefined && words === '';
