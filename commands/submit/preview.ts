import type { Reply } from '../../src/interactions/command.ts';
import type { ServerSubmission } from '../../src/listing/contract.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import {
  type InvalidRow,
  isInvalid,
  lacksGame,
  type ReadyRow,
  type Row,
} from '../../src/server-lists/row.ts';
import type { CheckedDraft } from '../../src/submissions/check.ts';
import { type Draft, type SkippedLines, skippedLines } from '../../src/submissions/draft.ts';
import { countToEdit } from '../../src/submissions/draft-editor.ts';
import type { ReachedLimit } from '../../src/submissions/limits.ts';
import type { LineNumbers } from '../../src/submissions/line-numbers.ts';
import { escapeText, shortenMarkup } from '../../src/words/escape.ts';
import { earlierSubmissions, heldCountText } from '../../src/words/not-submitted.ts';
import { namedText, sentences } from '../../src/words/sentences.ts';
import {
  firstItems,
  fittingLines,
  foundText,
  gameNamed,
  MAX_NAMED,
  MAX_NAMED_PER_LIST,
  serverItem,
  serverLines,
} from '../../src/words/servers.ts';
import type { Audience, Translate } from '../../src/words/words.ts';
import { choicesText, hasChoices } from './choices.ts';
import {
  filesToSendBack,
  heldBackReason,
  MAX_LINES_WITHOUT_FILES,
  previewFile,
  textWithoutFiles,
} from './files.ts';
import { invalidItem, reasonsOf } from './problem-text.ts';

/** The whole message is limited to 2,000. */
const MAX_NOTICE_LENGTH = 500;
const MAX_LENGTHS = { name: 30, address: 60 };

/**
 * Builds the preview of a submission: first its problems, then how many servers are ready.
 * @param notice text to show above everything else
 * @param nextSteps explains what happens after the draft is submitted
 */
export function previewOf(
  audience: Audience,
  checked: CheckedDraft,
  games: GameIndex,
  { notice, nextSteps }: Readonly<Record<'notice' | 'nextSteps', string>>,
): Reply {
  const { t } = audience;
  const { draft, ready: sendable, allowance } = checked;
  const first = shortenMarkup(notice, MAX_NOTICE_LENGTH);
  const ready = sendable.slice(0, allowance.count);
  const waiting = sendable.slice(allowance.count);
  const invalid = invalidInDisplayOrder(draft);
  const reasonOf = reasonsOf(t, games);
  const limitReason = heldBackReason(t, allowance.limited);
  const reasons = new Map<Row, string>([
    ...invalid.map((row) => [row, reasonOf(row)] as const),
    ...waiting.map((row) => [row, limitReason] as const),
  ]);
  const { names, files } = filesToSendBack(t, { 'to-fix': reasons });
  const { repeated, notAgain: _notAgain, ...skipped } = skippedLines(draft, ready);
  const contentOf = (namesAll: boolean) =>
    [
      first,
      choicesText(t, checked),
      unsubmittedLineText(audience, draft, { games, files: names, namesAll }),
      readyText(t, checked, ready.length, waiting.length),
      foundText(t, draft.rows),
      ready.length > 0 && nextSteps !== '' && `-# ${nextSteps}`,
      allowance.limited &&
        ownHeldText(audience, { draft, rows: waiting, limited: allowance.limited, namesAll }),
      skippedText(t, draft.source, { ...skipped, ...(!isNothingNew(checked) && { repeated }) }),
      alreadySubmittedText(t, checked, games),
    ]
      .filter(Boolean)
      .join('\n\n');
  // Lines that don't fit into the form are in a file.
  const canFixAll = countToEdit(draft) >= invalid.length;
  const whole = canFixAll ? textWithoutFiles(reasons.size, () => contentOf(true)) : undefined;
  const servers = ready.map(({ submission }) => submission);
  const lines = serverLines(t, servers, games, MAX_LENGTHS);
  const shown = fittingLines(t, lines.slice(0, MAX_LINES_WITHOUT_FILES), lines.length);
  return {
    content: whole ?? contentOf(false),
    embeds:
      lines.length === 0
        ? []
        : [{ description: [gameCountsText(t, servers, games), shown].filter(Boolean).join('\n\n') }],
    files: [
      ...(lines.length > MAX_LINES_WITHOUT_FILES ? [previewFile(ready)] : []),
      ...(whole === undefined ? files : []),
    ],
  };
}

function gameCountsText(t: Translate, servers: readonly ServerSubmission[], games: GameIndex): string {
  const byGame = [...Map.groupBy(servers, ({ game }) => game)];
  const [, last = []] = byGame.at(-1) ?? [];
  // The lines are sorted by game.
  if (servers.length - last.length < MAX_LINES_WITHOUT_FILES) return '';
  const counts = byGame
    .slice(0, MAX_NAMED)
    .map(([game, { length }]) => `${escapeText(gameNamed(game, games).name, MAX_LENGTHS.name)} (${length})`);
  return namedText(t, counts, byGame.length);
}

function invalidInDisplayOrder({ rows }: Pick<Draft, 'rows'>): readonly InvalidRow[] {
  const invalid = rows.filter(isInvalid);
  return [...invalid.filter((row) => !lacksGame(row)), ...invalid.filter(lacksGame)];
}

/**
 * Lists the invalid lines of a preview and their problems.
 * @param files the names of the files that contain all these lines
 */
function unsubmittedLineText(
  { t, mention }: Audience,
  draft: Draft,
  {
    games,
    files,
    namesAll,
  }: { readonly games: GameIndex; readonly files: string; readonly namesAll: boolean },
): string {
  const count = invalidInDisplayOrder(draft).length;
  const most = namesAll ? count : MAX_NAMED;
  const lines = [invalidText(t, draft, games, most)];
  if (count > most) lines.push(t('list.allIn', { files }));
  const fitting = countToEdit(draft);
  if (fitting < count) {
    lines.push(t('list.editPart', { count: fitting, files, addservers: mention('addservers') }));
  }
  return lines.join('\n');
}

export function invalidText(
  t: Translate,
  draft: Pick<Draft, 'rows' | 'source'>,
  games: GameIndex,
  maxLines: number,
): string {
  const invalid = invalidInDisplayOrder(draft);
  if (invalid.length === 0) return '';
  const isNumbered = draft.source === 'text';
  const items = firstItems(t, invalid, maxLines, (row) => invalidItem(t, row, games, isNumbered));
  return [t('list.invalid', { count: invalid.length }), ...items].join('\n');
}

/**
 * Names the lines that a submission skips. Only counts addresses in a message, because the member can't see their numbers.
 */
export const skippedText = (
  t: Translate,
  source: Draft['source'],
  { notAgain, repeated, leftOut, notChosen, hidden = 0 }: SkippedLines,
): string =>
  [
    lineNumbersText(t, 'notAgain', notAgain),
    lineNumbersText(t, 'repeated', repeated),
    lineNumbersText(t, 'leftOut', leftOut),
    source === 'text'
      ? lineNumbersText(t, 'notChosen', notChosen)
      : notChosen && t('choices.notChosen', { count: notChosen.count }),
    hidden > 0 && t('choices.hidden', { count: hidden }),
  ]
    .filter(Boolean)
    .join('\n');

const lineNumbersText = (
  t: Translate,
  key: Exclude<keyof SkippedLines, 'hidden'>,
  numbers: LineNumbers | undefined,
): string => {
  if (numbers === undefined) return '';
  const { lines, more, count } = numbers;
  return t(`list.${key}`, { count, numbers: namedText(t, lines, lines.length + more) });
};

function readyText(t: Translate, checked: CheckedDraft, count: number, heldBackCount: number): string {
  if (count > 0) return t('list.ready', { count });
  const isSaid =
    hasChoices(checked) || heldBackCount > 0 || checked.draft.rows.some(lacksGame) || isNothingNew(checked);
  return isSaid ? '' : t('list.nothingReady');
}

const isNothingNew = ({ draft, alreadySubmitted, ready }: CheckedDraft): boolean =>
  alreadySubmitted.size > 0 &&
  !draft.rows.some(isInvalid) &&
  ready.length === 0 &&
  countUnconfirmed(alreadySubmitted) === 0;

export const countUnconfirmed = (alreadySubmitted: CheckedDraft['alreadySubmitted']): number =>
  [...alreadySubmitted.values()].filter(({ outcome }) => outcome.kind === 'unknown').length;

interface HeldRows {
  readonly draft: Draft;
  readonly rows: readonly ReadyRow[];
  readonly limited: ReachedLimit;
  readonly namesAll?: boolean;
  readonly next?: string | undefined;
}

/** Like {@link heldText}, but for the member, who may need the time to find the servers again. */
export function ownHeldText({ t, mention }: Audience, held: HeldRows): string {
  const next = held.limited.isSoon ? undefined : t('list.heldNext', { submissions: mention('submissions') });
  return heldText(t, { ...held, next });
}

export function heldText(t: Translate, { draft, rows, limited, namesAll = false, next }: HeldRows): string {
  const held = heldCountText(t, { count: rows.length, limited });
  const items = firstItems(t, rows, namesAll ? rows.length : MAX_NAMED_PER_LIST, (row) =>
    serverItem(t, row.submission, draft.source === 'text' ? row : undefined),
  );
  return [sentences(held, next), ...items].join('\n');
}

function alreadySubmittedText(t: Translate, checked: CheckedDraft, games: GameIndex): string {
  const { alreadySubmitted } = checked;
  const lines = earlierSubmissions(t, [...alreadySubmitted.values()], games).flat();
  if (!isNothingNew(checked)) return lines.join('\n');
  return [t('list.nothingNew', { count: alreadySubmitted.size }), ...lines.slice(1)].join('\n');
}
