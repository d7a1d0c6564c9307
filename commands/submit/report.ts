import type { GuildSettings } from '../../src/guilds/settings.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { button, type Control, linkButton, rows } from '../../src/interactions/controls.ts';
import type { Outcome } from '../../src/listing/contract.ts';
import { type GameIndex, gamesAmong } from '../../src/listing/game-search.ts';
import { csvFile } from '../../src/server-lists/csv-file.ts';
import { isRefused, type Row } from '../../src/server-lists/row.ts';
import { type Draft, isUnconfirmed, onlyRow } from '../../src/submissions/draft.ts';
import type { Ended, EndedRow } from '../../src/submissions/pipeline.ts';
import { nextForKey } from '../../src/words/keys.ts';
import {
  announcementOf,
  outcomeCell,
  outcomeText,
  outcomeTexts,
  pageOfUnknown,
} from '../../src/words/outcomes.ts';
import { remainingText } from '../../src/words/refusal.ts';
import { sentences } from '../../src/words/sentences.ts';
import { describe, FEW_NAMED, firstItems, serverEmbed, signed } from '../../src/words/servers.ts';
import type { Reader, Translate } from '../../src/words/words.ts';
import { enterKey } from '../setkey.ts';
import { filesOfRefused, inFields, type Reasons, reasonOfLimit } from './files.ts';
import { submitId } from './ids.ts';
import { heldText } from './preview.ts';
import { reasonsOf, refusedItem } from './problem-text.ts';
import { buttonsAfterOutcome } from './repairs.ts';

/** What a report is made with. */
export interface ReportDeps {
  readonly games: GameIndex;
  readonly settings: Pick<GuildSettings, 'getOrThrow'>;
}

/** What differs between the report on one server and that on a list. */
interface Told extends Pick<Reply, 'embeds' | 'files'> {
  readonly texts: readonly (string | false | undefined)[];
  /** Behind what is wrong with the key. */
  readonly last: string | undefined;
  /** What can be done with what was not accepted. */
  readonly buttons: readonly (Control | false)[];
}

/** What came of a document, with what can be done next. */
export async function reportReply(context: Context, result: Ended, deps: ReportDeps): Promise<Reply> {
  const { t } = context;
  const { id, draft, keyProblem, isLeft, isRecorded } = result;
  const ended = endedRows(result);
  const [only] = onlyRow(draft) ? ended : [];
  const told = only
    ? tellOne(context, result, only, deps.games)
    : await tellList(context, result, ended, deps);
  const { texts, last, buttons, ...shown } = told;
  const key = keyProblem && nextForKey(context, keyProblem);
  const content = [...texts, key, last, !isRecorded && t('ended.unrecorded')].filter(Boolean);
  const page = pageOfUnknown(context, ended);
  return {
    content: content.join(only ? '\n' : '\n\n'),
    ...shown,
    components: rows([
      keyProblem && enterKey(context, isLeft ? id : undefined),
      ...(isLeft ? buttons : []),
      page !== undefined && linkButton(page, t('listing.check')),
    ]),
    announcement: announcementOf(context, result, deps.games),
  };
}

function tellOne(
  context: Context,
  { id, remaining }: Ended,
  { server, outcome }: EndedRow,
  games: GameIndex,
): Told {
  const { t } = context;
  const room = outcome.kind === 'accepted' && remaining ? remainingText(remaining, t) : undefined;
  return {
    texts: [outcomeText(context, server, outcome)],
    last: room && `-# ${room}`,
    embeds: [serverEmbed(t, outcome.kind, [describe(t, server, games)])],
    buttons: buttonsAfterOutcome(t, id, outcome),
  };
}

/**
 * Accepted servers come first, then the others with the service's words and their lines. A file has every line. If the settings
 * cannot be read, every game counts as allowed.
 */
async function tellList(
  context: Context,
  result: Ended,
  ended: readonly EndedRow[],
  { games, settings }: ReportDeps,
): Promise<Told> {
  const { t } = context;
  const { draft, limitedRows, limited } = result;
  const allowed = await settings.getOrThrow(context.guildId).catch(() => undefined);
  const allowedGames = gamesAmong(games, allowed?.games);
  const reasonOf = reasonsOf(t, allowedGames);
  const limitReason = reasonOfLimit(t, limited);
  const reasons = new Map<Row, string>([
    ...draft.rows.filter(isRefused).map((row) => [row, reasonOf(row)] as const),
    ...ended.filter(wasNotAdded).map(({ row, outcome }) => [row, outcomeCell(t, outcome)] as const),
    ...limitedRows.map((row) => [row, limitReason] as const),
  ]);
  const { files, names } = filesOfRefused(t, reasons);
  const accepted = ended.filter(({ outcome }) => outcome.kind === 'accepted');
  const failed = ended.filter(({ outcome }) => outcome.kind !== 'accepted');
  return {
    texts: [
      ...outcomeTexts(context, accepted),
      accepted.length > 0 && roomText(t, result),
      ...outcomeTexts(context, failed),
      refusedText(t, draft, allowedGames),
      limitedText(t, result),
    ],
    last: filesText(t, names),
    embeds: [],
    files: [{ name: 'report.csv', data: Buffer.from(reportCsv(t, draft, ended, reasons)) }, ...files],
    buttons: buttonsOfRest(context, result, ended),
  };
}

function buttonsOfRest(
  { t, isAdmin }: Context,
  result: Ended,
  ended: readonly EndedRow[],
): readonly (Control | false)[] {
  const { id } = result;
  // Whoever can enter another key does so first.
  const style = result.keyProblem && isAdmin ? 'secondary' : 'primary';
  return [
    canGoAgain(result, ended) && button(submitId('send', id), t('again.submitAgain'), style),
    ended.some(({ outcome }) => outcome.kind === 'unknown') &&
      button(submitId('anyway', id), t('again.notListed')),
    button(submitId('correct', id), t('again.edit')),
  ];
}

const wasNotAdded = ({ outcome: { kind } }: Pick<EndedRow, 'outcome'>): boolean =>
  kind === 'rejected' || kind === 'not-sent';

/** Whether a ready server was surely not added, and can be submitted while its draft is kept. */
const canGoAgain = ({ limitedRows, limited }: Ended, ended: readonly EndedRow[]): boolean =>
  ended.some(wasNotAdded) || (limitedRows.length > 0 && limited?.isSoon !== false);

/** The servers that were submitted, and those that are unconfirmed since an earlier submission. */
function endedRows({ draft, servers, limitedRows }: Ended): readonly EndedRow[] {
  const submitted = new Set<Row>([...servers.map(({ row }) => row), ...limitedRows]);
  const unconfirmed = draft.rows.filter(isUnconfirmed).filter((row) => !submitted.has(row));
  return [
    ...servers,
    ...unconfirmed.map((row) => ({
      row,
      line: row.line,
      server: row.submission,
      outcome: row.unconfirmed,
    })),
  ];
}

/** The lines that were not ready. */
function refusedText(t: Translate, { rows: lines }: Draft, games: GameIndex): string {
  const refused = lines.filter(isRefused);
  if (refused.length === 0) return '';
  const items = firstItems(t, refused, FEW_NAMED, (row) => refusedItem(t, row, games, true));
  return [signed('not-sent', t('list.refused', { count: refused.length })), ...items].join('\n');
}

/** What a limit holds back. */
function limitedText(t: Translate, { draft, limitedRows, limited }: Ended): string {
  if (limitedRows.length === 0 || limited === undefined) return '';
  return signed('not-sent', heldText(t, { draft, rows: limitedRows, limited }));
}

/** How many more servers may be submitted. Not said if a limit held something back, which says it already. */
function roomText(t: Translate, { remaining, limited }: Ended): string {
  const text = remaining && limited === undefined ? remainingText(remaining, t) : undefined;
  return text === undefined ? '' : `-# ${text}`;
}

const filesText = (t: Translate, files: string): string =>
  `-# ${sentences(t('list.everyLine'), files === '' ? undefined : t('list.notGone', { files }))}`;

/**
 * Every row of the input in its order, with its outcome. Headings and outcomes are in English, since programs read them.
 */
function reportCsv(t: Translate, draft: Draft, ended: readonly EndedRow[], reasons: Reasons): string {
  const outcomes = new Map<Row, Outcome>(ended.map(({ row, outcome }) => [row, outcome]));
  function messageOf(row: Row): string {
    const outcome = outcomes.get(row);
    if (outcome) return outcomeCell(t, outcome);
    if (row.kind === 'repeated') return t('problem.short.repeated', { line: row.firstLine });
    return reasons.get(row) ?? t('problem.short.already-submitted');
  }

  const lines = draft.rows.map((row) => {
    const { server, port, queryPort, game } = inFields(row);
    const outcome = outcomes.get(row)?.kind ?? 'not-sent';
    return [String(row.line), server, port, queryPort, game, outcome, messageOf(row)];
  });
  return csvFile(['line', 'server', 'port', 'query_port', 'game', 'outcome', 'message'], lines);
}

/** Characters of the progress bar: narrow enough for a phone. */
const WIDTH = 20;

/** How many servers of a list have ended, in place of the preview and its buttons. */
export function progressOf({ t }: Pick<Reader, 't'>, done: number, count: number) {
  const full = Math.floor((done / count) * WIDTH);
  const bar = '▰'.repeat(full) + '▱'.repeat(WIDTH - full);
  return { content: `${t('again.sending')}\n${bar} ${done} / ${count}`, embeds: [] };
}
