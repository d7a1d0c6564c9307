import { formatAddress } from '../addresses/address.ts';
import { MAX_SERVERS_PER_REQUEST } from '../listing/contract.ts';
import { rejectedCsv } from '../server-lists/csv-output.ts';
import { MAX_FILE_BYTES, type Row } from '../server-lists/read-list.ts';
import {
  type Draft,
  isRejected,
  isRepeated,
  lacksGame,
  type PreviousRow,
  rowsToSend,
} from '../submissions/draft.ts';
import { escapeCode, escapeText } from './escape.ts';
import { rowProblemText } from './problem.ts';
import { shortenMarkup } from './shorten.ts';
import type { Reader } from './words.ts';

/** How many lines of each kind are named in the message; the files name them all. */
const SHOWN = { rejected: 10, repeated: 5, previous: 5 };
/** UTF-16 units of a line of the message: with these numbers everything fits into one embed. */
const MOST_LINE = 200;
const MOST_ADDRESS = 80;
const MOST_USER = 70;
/** Discord takes 10 files in a message, and a report is another one. */
const MOST_FILES = 9;

/** A list as a message shows it: what there is to say of it, and the files with all of its lines. */
export interface ListPage {
  readonly embeds: readonly { readonly title: string; readonly description: string }[];
  readonly files: readonly { readonly name: string; readonly data: Buffer }[];
}

/**
 * What would be submitted, what would not and why.
 * @param notice something to say first
 */
export function previewOf(reader: Reader, draft: Draft, notice = ''): ListPage {
  const files = rejectedFiles(reader, draft);
  const asksForGame = draft.source === 'message' && draft.rows.some(lacksGame);
  const names = files.map(({ name }) => name);
  const sections = asksForGame
    ? [foundText(reader, draft)]
    : [
        readyText(reader, rowsToSend(draft).length),
        rejectedText(reader, draft, names),
        repeatedText(reader, draft),
        previousText(reader, draft),
      ];
  const description = [notice, ...sections].filter((section) => section !== '').join('\n\n');
  return {
    embeds: [{ title: reader.t('list.preview.title'), description }],
    files: asksForGame ? [] : files,
  };
}

/**
 * `rejected.csv`, where there is anything to put into it, and further files for what would make it too large to be
 * sent back.
 */
export function rejectedFiles({ t }: Pick<Reader, 't'>, draft: Draft): ListPage['files'] {
  const rows = draft.rows.filter(isRejected);
  if (rows.length === 0) return [];
  // Most of the time goes into the reasons, and the files may be made several times.
  const reasons = new Map(
    rows.map(({ problem, text }) => [problem, plain(rowProblemText(problem, text, t))]),
  );
  const file = (some: readonly Row[]) =>
    Buffer.from(rejectedCsv(some, (problem) => reasons.get(problem) ?? ''));
  for (let count = 1; ; count++) {
    const each = Math.ceil(rows.length / count);
    const files = Array.from({ length: count }, (_, i) => file(rows.slice(i * each, (i + 1) * each)));
    if (count < MOST_FILES && files.some((data) => data.length > MAX_FILE_BYTES)) continue;
    return files.map((data, i) => ({ name: i === 0 ? 'rejected.csv' : `rejected-${i + 1}.csv`, data }));
  }
}

/** A sentence without the marks that make a part of it code or a link. */
export const plain = (text: string): string =>
  text.replaceAll('`', '').replace(/\[([^[\]]*)\]\(<[^<>]*>\)/g, '$1');

function readyText({ t }: Reader, count: number): string {
  if (count === 0) return t('list.preview.nothing');
  const requests = t('list.preview.requests', { count: Math.ceil(count / MAX_SERVERS_PER_REQUEST) });
  return `${t('list.preview.ready', { count })} ${requests}`;
}

function foundText(reader: Reader, { rows, ...draft }: Draft): string {
  const lacking = rows.filter(lacksGame);
  const names = lacking.map(({ text }) => `- \`${escapeCode(text, MOST_ADDRESS)}\``);
  const others = rejectedText(reader, { ...draft, rows: rows.filter((row) => !lacksGame(row)) }, []);
  return [
    listed(reader, {
      heading: reader.t('list.preview.found', { count: lacking.length }),
      lines: names,
      most: SHOWN.rejected,
    }),
    ...(others === '' ? [] : [others]),
  ].join('\n\n');
}

function rejectedText(reader: Reader, { source, rows }: Draft, files: readonly string[]): string {
  const { t, mention } = reader;
  const rejected = rows.filter(isRejected);
  if (rejected.length === 0) return '';
  const count = rejected.length;
  const missing = rejected.filter(lacksGame).length;
  const heading =
    source === 'text' ? t('list.preview.rejected', { count }) : t('list.preview.refused', { count });
  const lines = rejected.map(({ line, text, problem }, index) => {
    if (index >= SHOWN.rejected) return ''; // only counted
    const reason = rowProblemText(problem, text, t);
    if (source === 'text') return `- ${t('list.preview.line', { line, reason })}`;
    // Found in a message, an address has no line; most reasons name it.
    const address = escapeCode(text, MOST_ADDRESS);
    return reason.includes(address) ? `- ${reason}` : `- ${t('list.preview.address', { address, reason })}`;
  });
  return [
    listed(reader, { heading, lines, most: SHOWN.rejected }),
    ...(files.length > 0
      ? [
          t('list.preview.file', {
            files: files.map((name) => `\`${name}\``).join(', '),
            addservers: mention('addservers'),
          }),
        ]
      : []),
    ...(missing > 0 ? ['', t('list.preview.gameMissing', { count: missing })] : []),
  ].join('\n');
}

function repeatedText({ t }: Reader, { rows }: Draft): string {
  const repeated = rows.filter(isRepeated);
  if (repeated.length === 0) return '';
  const named = repeated
    .slice(0, SHOWN.repeated)
    .map(({ line, duplicateOf: first }) => t('list.preview.sameAs', { line, first }));
  const rest = repeated.length - named.length;
  const which = [...named, ...(rest > 0 ? [t('list.preview.more', { count: rest })] : [])].join(', ');
  return t('list.preview.repeated', { count: repeated.length, which });
}

function previousText(reader: Reader, { rows, previous, includesPrevious }: Draft): string {
  const { t } = reader;
  const count = previous.length;
  if (count === 0) return '';
  const heading = includesPrevious
    ? t('list.preview.previousIncluded', { count })
    : t('list.preview.previous', { count });
  const lines = previous.map((each) => `- ${previousLine(reader, each, rows[each.row])}`);
  return listed(reader, { heading, lines, most: SHOWN.previous });
}

function previousLine({ t }: Reader, { at, userName, outcome }: PreviousRow, row: Row | undefined): string {
  const { server: host, port } = row?.ok ? row.submission : { server: '?', port: 0 };
  return t(`list.preview.previousLine.${outcome}`, {
    address: escapeCode(formatAddress({ host, port }), MOST_ADDRESS),
    seconds: Math.floor(at / 1000),
    user: userName === '' ? t('list.preview.someone') : escapeText(userName, MOST_USER),
  });
}

function listed(
  { t }: Reader,
  {
    heading,
    lines,
    most,
  }: { readonly heading: string; readonly lines: readonly string[]; readonly most: number },
): string {
  const rest = lines.length - most;
  return [
    heading,
    ...lines.slice(0, most).map((line) => shortenMarkup(line, MOST_LINE)),
    ...(rest > 0 ? [t('list.preview.more', { count: rest })] : []),
  ].join('\n');
}
