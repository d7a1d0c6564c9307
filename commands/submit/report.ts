import type { NoKey } from '../../src/guilds/api-keys.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { button, type Control, isCustomId, linkButton, rows } from '../../src/interactions/controls.ts';
import { type GameIndex, gamesAmong } from '../../src/listing/game-search.ts';
import { csvFile } from '../../src/server-lists/csv-file.ts';
import { isInvalid, lineLabel, type Row } from '../../src/server-lists/row.ts';
import { type Draft, isUnconfirmed, onlyRow, skippedLines } from '../../src/submissions/draft.ts';
import { linesToEdit } from '../../src/submissions/draft-editor.ts';
import { isAboutKey, type ServerOutcome } from '../../src/submissions/outcome.ts';
import { type EndedSubmission, type RowResult, rowResult } from '../../src/submissions/pipeline.ts';
import { nextStepForKey } from '../../src/words/keys.ts';
import { remainingText } from '../../src/words/not-submitted.ts';
import {
  announcementOf,
  outcomeCell,
  outcomeText,
  outcomeTexts,
  pageOfUnknown,
  type ServerWithOutcome,
  saidOf,
  withNext,
  withSaid,
} from '../../src/words/outcomes.ts';
import { sentences } from '../../src/words/sentences.ts';
import {
  describeServer,
  foundText,
  MAX_NAMED_PER_LIST,
  serverEmbed,
  withSign,
} from '../../src/words/servers.ts';
import type { Audience, Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { enterKey } from '../setkey.ts';
import { filesToSendBack, heldBackReason, type Reasons, textWithoutFiles, toColumns } from './files.ts';
import { submitId } from './ids.ts';
import { invalidText, ownHeldText, skippedText } from './preview.ts';
import { reasonsOf } from './problem-text.ts';
import { outcomeButtons } from './repairs.ts';

interface ReportParts extends Pick<Reply, 'embeds' | 'files'> {
  readonly texts: readonly (string | false | undefined)[];
  readonly buttons: readonly (Control | false)[];
}

export async function reportReply(
  context: Context,
  result: EndedSubmission,
  deps: CommandDeps,
): Promise<Reply> {
  const { t } = context;
  const { draft, limitedRows, keyProblem, isLeft, isRecorded } = result;
  const ended = rowResults(result);
  const [only] = onlyRow(draft) ? ended : [];
  const parts = only
    ? serverReport(context, result, only, deps.games)
    : await listReport(context, result, ended, deps);
  const { texts, buttons, ...shown } = parts;
  const found = foundText(t, [...ended.map(({ row }) => row), ...limitedRows]);
  const content = [...texts, found, !isRecorded && t('ended.unrecorded')].filter(Boolean);
  const page = pageOfUnknown(context, ended);
  return {
    content: content.join(only ? '\n' : '\n\n'),
    ...shown,
    components: rows([
      keyProblem && enterKey(context, isLeft ? draft.id : undefined),
      ...(isLeft ? buttons : [anotherButton(t, ended, draft.panelChannelId)]),
      page !== undefined && linkButton(page, t('listing.check')),
    ]),
    announcement: announcementOf(
      result.announcedIn,
      [{ user: context.user, servers: result.servers }],
      deps.games,
    ),
  };
}

/**
 * Builds the button for submitting another server of the same game, if a server was accepted.
 * @param panelChannelId the channel of the panel used for the submission
 */
export function anotherButton(
  t: Translate,
  ended: readonly ServerWithOutcome[],
  panelChannelId = '',
): Control | false {
  const accepted = ended.filter(({ outcome }) => outcome.kind === 'accepted');
  if (accepted.length === 0) return false;
  const [game = '', ...others] = new Set(accepted.map(({ server }) => server.game));
  const id = submitId('another', panelChannelId, others.length === 0 ? game : '');
  return button(isCustomId(id) ? id : submitId('another', panelChannelId), t('addserver.another'));
}

function serverReport(
  context: Context,
  result: EndedSubmission,
  { server, outcome }: RowResult,
  games: GameIndex,
): ReportParts {
  const { t } = context;
  const { draft, remaining, keyProblem, includesFirstAccepted } = result;
  const allowance = outcome.kind === 'accepted' && remaining ? remainingText(remaining, t) : undefined;
  return {
    texts: [
      outcomeText(context, server, outcome),
      includesFirstAccepted && t('ended.next.first'),
      keyProblem && nextStepForKey(context, keyProblem),
      allowance && `-# ${allowance}`,
      skippedLinesText(t, result),
    ],
    embeds: [serverEmbed(t, outcome.kind, [describeServer(t, server, games)])],
    buttons: outcomeButtons(t, draft.id, outcome),
  };
}

/**
 * Builds the report for a list: first the accepted servers, then all others with their lines and the service's messages.
 * Reports on long lists include a file with every line. If the settings can't be read, all games are treated as allowed.
 */
async function listReport(
  context: Context,
  result: EndedSubmission,
  ended: readonly RowResult[],
  { games, settings }: CommandDeps,
): Promise<ReportParts> {
  const { t } = context;
  const { draft, limitedRows, limited, keyProblem, includesFirstAccepted } = result;
  const allowed = await settings.getOrThrow(context.guildId).catch(() => undefined);
  const allowedGames = gamesAmong(games, allowed?.games);
  const reasonOf = reasonsOf(t, allowedGames);
  const limitReason = heldBackReason(t, limited);
  const endedAs = (kind: ServerOutcome['kind']) =>
    ended
      .filter(({ outcome }) => outcome.kind === kind)
      .map(({ row, outcome }) => [row, outcomeCell(t, outcome)] as const);
  const rejected = new Map<Row, string>(endedAs('rejected'));
  const notSent = new Map<Row, string>([
    ...draft.rows.filter(isInvalid).map((row) => [row, reasonOf(row)] as const),
    ...endedAs('not-sent'),
    ...limitedRows.map((row) => [row, limitReason] as const),
  ]);
  const { files, names } = filesToSendBack(t, { rejected, 'not-sent': notSent });
  const isForKey = ({ outcome }: RowResult) => keyProblem?.code === 'key-invalid' && isAboutKey(outcome);
  const accepted = ended.filter(({ outcome }) => outcome.kind === 'accepted');
  const failed = ended.filter(({ outcome }) => outcome.kind !== 'accepted');
  const textsOf = (namesAll: boolean) => [
    ...outcomeTexts(context, accepted),
    includesFirstAccepted && t('ended.next.first'),
    accepted.length > 0 && remainingLine(t, result),
    ...outcomeTexts(
      context,
      failed.filter((each) => !isForKey(each)),
      namesAll,
    ),
    keyText(context, keyProblem, failed.filter(isForKey)),
    signed(invalidText(t, draft, allowedGames, namesAll ? draft.rows.length : MAX_NAMED_PER_LIST)),
    limitedText(context, result, namesAll),
    skippedLinesText(t, result),
  ];
  const buttons = listButtons(context, result);
  const whole = textWithoutFiles(draft.rows.length, () => textsOf(true).filter(Boolean).join('\n\n'));
  if (whole !== undefined) return { texts: [whole], embeds: [], files: [], buttons };
  return {
    texts: [...textsOf(false), filesText(t, draft.rows.length, names)],
    embeds: [],
    files: [
      {
        name: 'report.csv',
        data: Buffer.from(reportCsv(t, draft, ended, new Map([...rejected, ...notSent]))),
      },
      ...files,
    ],
    buttons,
  };
}

/** Builds buttons for the servers in a list that weren't accepted, as long as the list's draft still exists. */
export function listButtons({ t }: Context, result: EndedSubmission): readonly (Control | false)[] {
  const ended = rowResults(result);
  const { draft, keyProblem, limitedRows } = result;
  const { id } = draft;
  const notSent = ended.filter(({ outcome }) => outcome.kind === 'not-sent');
  const unconfirmed = ended.filter(({ outcome }) => outcome.kind === 'unknown').length;
  const rejected = ended.filter(({ outcome }) => outcome.kind === 'rejected');
  const rest = rejected.length + notSent.length + heldSoon(result);
  // The service would reject the same lines again, so the member should edit them first.
  const isEditFirst = rejected.some(({ outcome }) => !isAboutKey(outcome));
  const toFix = linesToEdit(draft, 'invalid').rows.length;
  const hasOnlyInvalid = toFix > 0 && rest + unconfirmed + limitedRows.length === 0;
  // The button isn't primary while an admin has to enter a different key.
  const style = keyProblem || isEditFirst ? 'secondary' : 'primary';
  const send = [
    rest > 0 && button(submitId('send', id), sendLabel(t, rest, rejected.length), style),
    unconfirmed > 0 && button(submitId('anyway', id), t('again.submitAll', { count: rest + unconfirmed })),
  ];
  const editLabel = hasOnlyInvalid ? t('again.fix', { count: toFix }) : t('again.edit');
  const edit = button(submitId('correct', id), editLabel, isEditFirst ? 'primary' : 'secondary');
  return isEditFirst ? [edit, ...send] : [...send, edit];
}

/** @param count the number of servers that the button submits, including the rejected ones */
function sendLabel(t: Translate, count: number, rejected: number): string {
  if (rejected === count) return t('again.submitAgain');
  return rejected > 0 ? t('list.button.submit', { count }) : t('again.submitNotSent', { count });
}

/** Counts servers that are held back by a limit but can still be submitted before the draft expires. */
const heldSoon = ({ limitedRows, limited }: EndedSubmission): number =>
  limited?.isSoon === false ? 0 : limitedRows.length;

/** Returns the submitted servers, and those still unconfirmed after an earlier submission. */
function rowResults({ draft, servers, limitedRows }: EndedSubmission): readonly RowResult[] {
  const submitted = new Set<Row>([...servers.map(({ row }) => row), ...limitedRows]);
  const unconfirmed = draft.rows.filter(isUnconfirmed).filter((row) => !submitted.has(row));
  return [...servers, ...unconfirmed.map((row) => rowResult(row, row.unconfirmed))];
}

const skippedLinesText = (t: Translate, { draft, servers, limitedRows }: EndedSubmission): string =>
  skippedText(t, draft.source, skippedLines(draft, [...servers.map(({ row }) => row), ...limitedRows]));

const signed = (text: string): string => (text === '' ? '' : withSign('not-sent', text));

function limitedText(
  context: Context,
  { draft, limitedRows, limited }: EndedSubmission,
  namesAll: boolean,
): string {
  if (limited === undefined) return '';
  return withSign('not-sent', ownHeldText(context, { draft, rows: limitedRows, limited, namesAll }));
}

/** States how many more servers can be submitted. Empty if a limit was reached, because another text explains that. */
function remainingLine(t: Translate, { remaining, limited }: EndedSubmission): string {
  const text = remaining && limited === undefined ? remainingText(remaining, t) : undefined;
  return text === undefined ? '' : `-# ${text}`;
}

/**
 * Counts the servers that need a different key, relays the service's message, and names who can enter a key. If no servers
 * need one, only gives the next step.
 */
function keyText(
  context: Context,
  keyProblem: NoKey | undefined,
  failed: readonly RowResult[],
): string | undefined {
  const { t } = context;
  const next = keyProblem && nextStepForKey(context, keyProblem);
  if (failed.length === 0) return next;
  const heading = t('ended.key', { count: failed.length });
  const rejection = failed.find(({ outcome }) => outcome.kind === 'rejected')?.outcome;
  // The service's message is missing if it was the response to another submission.
  if (rejection === undefined) return withSign('rejected', sentences(heading, next));
  return withNext(withSaid(t, rejection, heading, saidOf(t, rejection)), rejection, next);
}

const filesText = (t: Translate, lineCount: number, filesToCorrect: string): string =>
  [
    '-# ',
    t('list.theseLines', { count: lineCount }),
    filesToCorrect && ` · ${t('list.notGone', { files: filesToCorrect })}`,
  ].join('');

/**
 * Writes every row in its original order. Outcomes are named as in the message. The headings are in English, because
 * programs read them.
 */
function reportCsv(t: Translate, draft: Draft, ended: readonly RowResult[], reasons: Reasons): string {
  const outcomes = new Map<Row, ServerOutcome>(ended.map(({ row, outcome }) => [row, outcome]));
  function messageOf(row: Row): string {
    const outcome = outcomes.get(row);
    if (outcome) return outcomeCell(t, outcome);
    if (row.kind === 'repeated') return t('problem.short.repeated', { line: row.firstLine });
    return reasons.get(row) ?? t('problem.short.already-submitted');
  }

  const lines = draft.rows.map((row) => {
    const { server, port, queryPort, game } = toColumns(row);
    const outcome = outcomes.get(row)?.kind ?? 'not-sent';
    return [lineLabel(row), server, port, queryPort, game, t(`outcome.${outcome}`), messageOf(row)];
  });
  return csvFile(['line', 'server', 'port', 'query_port', 'game', 'outcome', 'message'], lines);
}

/** Narrow enough for a phone. */
const PROGRESS_BAR_CHARACTERS = 20;

/** Replaces the preview and its buttons. */
export function progressOf({ t }: Pick<Audience, 't'>, done: number, count: number) {
  const full = Math.floor((done / count) * PROGRESS_BAR_CHARACTERS);
  const bar = '▰'.repeat(full) + '▱'.repeat(PROGRESS_BAR_CHARACTERS - full);
  return { content: `${t('again.sending')}\n${bar} ${done} / ${count}`, embeds: [] };
}
