import { formatAddress } from '../../src/addresses/address.ts';
import type { Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { csvFile } from '../../src/server-lists/csv-file.ts';
import { isRefused, type ReadyRow, type RefusedRow, type Row } from '../../src/server-lists/row.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { DRAFT_LIVES_MS } from '../../src/submissions/drafts.ts';
import type { Ended } from '../../src/submissions/pipeline.ts';
import { isLeft } from '../../src/submissions/record.ts';
import { endedText } from '../../src/words/ended.ts';
import { escapeText } from '../../src/words/escape.ts';
import type { SearchedGames } from '../../src/words/games.ts';
import { nextForKey } from '../../src/words/keys.ts';
import { leftText } from '../../src/words/refusal.ts';
import { sentences } from '../../src/words/sentences.ts';
import { signed } from '../../src/words/servers.ts';
import { failureText, serviceWords } from '../../src/words/service.ts';
import type { Reader, Translate } from '../../src/words/words.ts';
import {
  type ExplainedRow,
  explained,
  explainedRows,
  filesOfRefused,
  type GuessedGames,
  inFields,
  plain,
  reasonsOf,
} from './files.ts';
import { addressItem, FEW_NAMED, lineItem, MOST_NAMED, moreText, refusedItem } from './lines.ts';
import { explainLimited, heldText, type ListPage } from './preview.ts';

/** What was said differently of servers that ended in the same way, of which so many texts more are shown. */
const MOST_FURTHER = 2;
/** UTF-16 units of what was said, so that the report fits into 2,000. */
const LONGEST_MESSAGE = 200;

/** What came of a draft: what went first, then what failed, in the service's words with the lines they are about; in a file line by line. */
export function reportOf(reader: Reader, result: Ended, games: GuessedGames): ListPage {
  const { t } = reader;
  const { draft, keyProblem } = result;
  const ended = endedRows(result);
  const reasonOf = reasonsOf(t, games);
  const refused: readonly ExplainedRow[] = [
    ...explainedRows(draft.rows, reasonOf),
    ...ended
      .filter(({ outcome }) => outcome.kind === 'rejected' || outcome.kind === 'not-sent')
      .map(({ row, outcome }) => explained(row, messageOf(t, outcome))),
    ...explainLimited(t, result.limitedRows, result.limited),
  ];
  const { files, names } = filesOfRefused(t, refused);
  const servers = ended.map(({ row: { line, submission: server }, outcome }) => ({ line, server, outcome }));
  const failed = servers.filter(({ outcome }) => outcome.kind !== 'accepted');
  const accepted = servers.filter(({ outcome }) => outcome.kind === 'accepted');
  const content = [
    ...endTexts(reader, accepted),
    ...(accepted.length > 0 ? leftTexts(t, result) : []),
    ...endTexts(reader, failed),
    ...refusedTexts(t, draft, games),
    ...limitedTexts(t, result),
    ...(keyProblem ? [nextForKey(reader, keyProblem)] : []),
    filesText(t, names),
  ].join('\n\n');
  const csv = { name: 'report.csv', data: Buffer.from(reportCsv(t, result, reasonOf)) };
  return {
    content: result.isRecorded ? content : `${content}\n\n${t('ended.unrecorded')}`,
    embeds: [],
    files: [csv, ...files],
  };
}

/** Whether anything that is ready did not go, and so can be sent again. */
export function canGoAgain({ draft, outcomes, limitedRows, limited }: Ended): boolean {
  if (outcomes.some((outcome) => isLeft(draft, outcome))) return true;
  const waitMs = (limited?.until ?? 0) - Date.now();
  return limitedRows.length > 0 && waitMs < DRAFT_LIVES_MS;
}

interface EndedRow {
  readonly row: ReadyRow;
  readonly outcome: Outcome;
}

const endedRows = ({ rows, outcomes }: Ended): readonly EndedRow[] =>
  rows.flatMap((row, index) => {
    const outcome = outcomes[index];
    return outcome ? [{ row, outcome }] : [];
  });

/** How one server ended, with the number of its line where it has one. */
interface EndedServer {
  readonly line?: number;
  readonly server: ServerSubmission;
  readonly outcome: Outcome;
}

/** What was said of the servers that ended alike. */
interface EndGroup {
  readonly kind: Outcome['kind'];
  /** The service's words, or why there are none. */
  readonly said: string;
  readonly servers: EndedServer[];
}

/** What went first; then what failed, and what is to be looked up before it is sent again. */
const IN_ORDER = ['accepted', 'rejected', 'unknown', 'not-sent'] as const;

function groupsOf(t: Translate, ended: readonly EndedServer[]): readonly EndGroup[] {
  const groups = new Map<string, EndGroup>();
  for (const server of ended) {
    const { kind } = server.outcome;
    const said = wordsOf(t, server.outcome);
    const group = groups.get(`${kind} ${said}`) ?? { kind, said, servers: [] };
    group.servers.push(server);
    groups.set(`${kind} ${said}`, group);
  }
  return IN_ORDER.flatMap((kind) => [...groups.values()].filter((group) => group.kind === kind));
}

function wordsOf(t: Translate, outcome: Outcome): string {
  if ('message' in outcome) return escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE);
  return failureText(outcome, t);
}

/** How many ended so, what was said of them, and of what did not go the first lines. */
function groupText(t: Translate, { kind, said, servers }: EndGroup, mostNamed: number): string {
  const ended = endedText(t, { kind, count: servers.length, said });
  if (kind === 'accepted') return ended;
  const next = kind === 'rejected' ? undefined : t(`ended.next.${kind}`, { count: servers.length });
  const what = sentences(ended, next);
  const items = servers.slice(0, mostNamed).map(({ line, server: { server: host, port } }) => {
    const address = formatAddress({ host, port });
    return line === undefined ? addressItem(address) : lineItem(t, line, address);
  });
  return [what, ...items, ...moreText(t, servers.length - items.length)].join('\n');
}

/** One group of each kind at least, and of the others as many as fit into the message. */
export function endTexts({ t }: Pick<Reader, 't'>, ended: readonly EndedServer[]): readonly string[] {
  const groups = groupsOf(t, ended);
  const isFirst = (group: EndGroup) => groups.find(({ kind }) => kind === group.kind) === group;
  const further = groups.filter((group) => !isFirst(group)).slice(0, MOST_FURTHER);
  const shown = groups.filter((group) => isFirst(group) || further.includes(group));
  const texts = shown.map((group) => groupText(t, group, shown.length > 1 ? FEW_NAMED : MOST_NAMED));
  return shown.length < groups.length ? [...texts, t('list.otherReasons')] : texts;
}

/** Lines that had not been ready. */
function refusedTexts(t: Translate, { rows }: Draft, games: SearchedGames): readonly string[] {
  const refused = rows.filter(isRefused);
  if (refused.length === 0) return [];
  const items = refused.slice(0, FEW_NAMED).map((row) => refusedItem(t, row, games, true));
  const count = refused.length;
  return [
    [signed('not-sent', t('list.refused', { count })), ...items, ...moreText(t, count - items.length)].join(
      '\n',
    ),
  ];
}

/** What a limit holds back. */
function limitedTexts(t: Translate, { draft, limitedRows, limited }: Ended): readonly string[] {
  if (limitedRows.length === 0 || limited === undefined) return [];
  return [signed('not-sent', heldText(t, { draft, rows: limitedRows, limited }))];
}

/** How many more may be submitted; what was held back says that already. */
function leftTexts(t: Translate, { left, limited }: Ended): readonly string[] {
  const text = left && limited === undefined ? leftText(left, t) : undefined;
  return text === undefined ? [] : [`-# ${text}`];
}

const filesText = (t: Translate, files: string): string =>
  `-# ${sentences(t('list.everyLine'), files === '' ? undefined : t('list.notGone', { files }))}`;

/** What is to be said of an outcome in a cell: the service's own words, or why there are none. */
const messageOf = (t: Translate, outcome: Outcome): string =>
  'message' in outcome ? serviceWords(outcome.message, t) : plain(failureText(outcome, t));

/** Every row of the input in its order, with what came of it: headings and outcomes as programs read them, in English. */
function reportCsv(t: Translate, result: Ended, reasonOf: (row: RefusedRow) => string): string {
  const { draft, limitedRows, limited } = result;
  const outcomeOf = new Map<Row, Outcome>(endedRows(result).map(({ row, outcome }) => [row, outcome]));
  const waiting = new Set<Row>(limitedRows);
  const waitingReason = explainLimited(t, limitedRows.slice(0, 1), limited)[0]?.reason ?? '';
  function endOf(row: Row): { readonly outcome: string; readonly message: string } {
    if (row.kind === 'refused') return { outcome: 'not-sent', message: reasonOf(row) };
    if (row.kind === 'repeated') {
      return { outcome: 'not-sent', message: t('problem.short.repeated', { line: row.firstLine }) };
    }
    const outcome = outcomeOf.get(row);
    if (outcome) return { outcome: outcome.kind, message: messageOf(t, outcome) };
    return {
      outcome: 'not-sent',
      message: waiting.has(row) ? waitingReason : t('problem.short.submitted-before'),
    };
  }

  const lines = draft.rows.map((row) => {
    const { server, port, queryPort, game } = row.kind === 'refused' ? row.typed : inFields(row.submission);
    const { outcome, message } = endOf(row);
    return [String(row.line), server, port, queryPort, game, outcome, message];
  });
  return csvFile([['line', 'server', 'port', 'query_port', 'game', 'outcome', 'message'], ...lines]);
}

/** Characters of the bar; narrow enough for a telephone. */
const WIDTH = 20;

/** How far a list has come, in place of the preview and its buttons. */
export function progressOf({ t }: Pick<Reader, 't'>, done: number, count: number) {
  const full = Math.floor((done / count) * WIDTH);
  const bar = '▰'.repeat(full) + '▱'.repeat(WIDTH - full);
  return { content: `${t('again.sending')}\n${bar} ${done} / ${count}`, embeds: [] };
}
