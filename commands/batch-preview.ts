import { formatAddress } from '../src/addresses/address.ts';
import type { Context, Reply } from '../src/discord/command.ts';
import { type Game, MAX_SERVERS_PER_REQUEST } from '../src/listing/contract.ts';
import { rejectedCsv } from '../src/server-lists/csv-output.ts';
import type { Row } from '../src/server-lists/read-list.ts';
import {
  type Draft,
  type Former,
  isRejected,
  isRepeated,
  lacksGame,
  rowsToSend,
} from '../src/submissions/draft.ts';
import { escapeCode, escapeText } from '../src/words/escape.ts';
import { rowProblemText } from '../src/words/row-problem.ts';
import { shortenMarkup } from '../src/words/shorten.ts';
import { previewComponents } from './batch-components.ts';

/** How many lines of each kind are named in the message; the files name them all. */
const SHOWN = { rejected: 10, repeated: 5, former: 5 };
/** UTF-16 units of a line of the message: with these numbers everything fits into one embed. */
const MOST_LINE = 200;
const MOST_ADDRESS = 80;
const MOST_USER = 70;
/** Discord takes 10 files in a message, and a report is another one. */
const MOST_FILES = 9;

export interface PreviewOptions {
  /** The id under which the draft is kept. */
  readonly id: string;
  readonly draft: Draft;
  /** The games to choose from where rows lack one; more than fit into a select are asked for by name. */
  readonly games: readonly Game[];
  /** Something to say first. */
  readonly note?: string;
  /** The most bytes of a file that can be sent back to us. */
  readonly mostBytes: number;
}

/** What would be submitted, what would not and why, and the buttons to go on. */
export function previewOf(context: Context, options: PreviewOptions): Reply {
  const { draft, note } = options;
  const ready = rowsToSend(draft).length;
  const files = rejectedFiles(context, options);
  const asksForGame = draft.source === 'message' && draft.rows.some(lacksGame);
  const sections = asksForGame
    ? [foundText(context, draft)]
    : [
        readyText(context, ready),
        rejectedText(
          context,
          draft,
          files.map(({ name }) => name),
        ),
        repeatedText(context, draft),
        formerText(context, draft),
      ];
  return {
    embeds: [
      {
        title: context.t('bulk.preview.title'),
        description: [note ?? '', ...sections].filter((section) => section !== '').join('\n\n'),
      },
    ],
    components: previewComponents(context, options),
    files: asksForGame ? [] : files,
  };
}

/**
 * `rejected.csv`, where there is anything to put into it, and further files for what would make it too large to be
 * sent back.
 */
export function rejectedFiles(
  { t }: Context,
  { draft, mostBytes }: Pick<PreviewOptions, 'draft' | 'mostBytes'>,
): readonly { readonly name: string; readonly data: Buffer }[] {
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
    if (count < MOST_FILES && files.some((data) => data.length > mostBytes)) continue;
    return files.map((data, i) => ({ name: i === 0 ? 'rejected.csv' : `rejected-${i + 1}.csv`, data }));
  }
}

/** A sentence without the marks that make a part of it code. */
export const plain = (text: string): string => text.replaceAll('`', '');

function readyText({ t }: Context, count: number): string {
  if (count === 0) return t('bulk.preview.nothing');
  const requests = t('bulk.preview.requests', { count: Math.ceil(count / MAX_SERVERS_PER_REQUEST) });
  return `${t('bulk.preview.ready', { count })} ${requests}`;
}

function foundText(context: Context, { rows, ...draft }: Draft): string {
  const lacking = rows.filter(lacksGame);
  const names = lacking.map(({ text }) => `- \`${escapeCode(text, MOST_ADDRESS)}\``);
  const others = rejectedText(context, { ...draft, rows: rows.filter((row) => !lacksGame(row)) }, []);
  return [
    listed(context, {
      heading: context.t('bulk.preview.found', { count: lacking.length }),
      lines: names,
      most: SHOWN.rejected,
    }),
    ...(others === '' ? [] : [others]),
  ].join('\n\n');
}

function rejectedText(context: Context, { source, rows }: Draft, files: readonly string[]): string {
  const { t, mention } = context;
  const rejected = rows.filter(isRejected);
  if (rejected.length === 0) return '';
  const count = rejected.length;
  const missing = rejected.filter(lacksGame).length;
  const heading =
    source === 'text' ? t('bulk.preview.rejected', { count }) : t('bulk.preview.refused', { count });
  const lines = rejected.map(({ line, text, problem }, place) => {
    if (place >= SHOWN.rejected) return ''; // only counted
    const reason = rowProblemText(problem, text, t);
    if (source === 'text') return `- ${t('bulk.preview.line', { line, reason })}`;
    // Found in a message, an address has no line; most reasons name it.
    const address = escapeCode(text, MOST_ADDRESS);
    return reason.includes(address) ? `- ${reason}` : `- ${t('bulk.preview.address', { address, reason })}`;
  });
  return [
    listed(context, { heading, lines, most: SHOWN.rejected }),
    ...(files.length > 0
      ? [
          t('bulk.preview.file', {
            files: files.map((name) => `\`${name}\``).join(', '),
            addservers: mention('addservers'),
          }),
        ]
      : []),
    ...(missing > 0 ? ['', t('bulk.preview.gameMissing', { count: missing })] : []),
  ].join('\n');
}

function repeatedText({ t }: Context, { rows }: Draft): string {
  const repeated = rows.filter(isRepeated);
  if (repeated.length === 0) return '';
  const named = repeated
    .slice(0, SHOWN.repeated)
    .map(({ line, duplicateOf: first }) => t('bulk.preview.sameAs', { line, first }));
  const rest = repeated.length - named.length;
  const which = [...named, ...(rest > 0 ? [t('bulk.preview.more', { count: rest })] : [])].join(', ');
  return t('bulk.preview.repeated', { count: repeated.length, which });
}

function formerText(context: Context, { rows, former, includesFormer }: Draft): string {
  const { t } = context;
  const count = former.length;
  if (count === 0) return '';
  const heading = includesFormer
    ? t('bulk.preview.formerIncluded', { count })
    : t('bulk.preview.former', { count });
  const lines = former.map((each) => `- ${formerLine(context, each, rows[each.row])}`);
  return listed(context, { heading, lines, most: SHOWN.former });
}

function formerLine({ t }: Context, { at, userName, outcome }: Former, row: Row | undefined): string {
  const { server: host, port } = row?.ok ? row.submission : { server: '?', port: 0 };
  return t(`bulk.preview.formerLine.${outcome}`, {
    address: escapeCode(formatAddress({ host, port }), MOST_ADDRESS),
    seconds: Math.floor(at / 1000),
    user: userName === '' ? t('bulk.preview.someone') : escapeText(userName, MOST_USER),
  });
}

function listed(
  { t }: Context,
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
    ...(rest > 0 ? [t('bulk.preview.more', { count: rest })] : []),
  ].join('\n');
}
