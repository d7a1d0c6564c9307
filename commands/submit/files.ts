import { LIMITS } from '../../src/discord/limits.ts';
import { csvFile, rejectedCsv } from '../../src/server-lists/csv-file.ts';
import { MAX_FILE_BYTES } from '../../src/server-lists/read-list.ts';
import type { ReadyRow, Row, TypedRow } from '../../src/server-lists/row.ts';
import type { ReachedLimit } from '../../src/submissions/limits.ts';
import { readOutsideDiscord } from '../../src/words/escape.ts';
import { limitText } from '../../src/words/not-submitted.ts';
import { wholeText } from '../../src/words/problem.ts';
import type { Translate } from '../../src/words/words.ts';

/** The most files of each kind. Discord takes 10 files in a message, and the reply has another one. */
const MOST_FILES = { rejected: 3, 'not-sent': 6 } as const;
/** Bytes of a file that is to be corrected: a tenth less than can be uploaded, since corrections may be longer. */
const MOST_BYTES = 0.9 * MAX_FILE_BYTES;

/** How many lines a message names, if they fit; only a longer list has files. */
export const MOST_WITHOUT_FILES = 10;

/** Writes a message that names all lines and needs no files; `undefined` where there are too many lines. */
export function textWithoutFiles(lines: number, write: () => string): string | undefined {
  if (lines > MOST_WITHOUT_FILES) return undefined;
  const text = write();
  return text.length <= LIMITS.content ? text : undefined;
}

interface ListFile {
  readonly name: string;
  readonly data: Buffer;
}

export type Reasons = ReadonlyMap<Row, string>;

/** A limit as the reason for the rows that it holds back; empty without a limit. */
export const reasonOfLimit = (t: Translate, limited: ReachedLimit | undefined): string =>
  limited ? readOutsideDiscord(wholeText(limitText(limited, t), t)) : '';

/** A row in the columns of a file: as it was typed if it has to be corrected. */
export function inFields(row: Row): TypedRow {
  if (row.kind === 'invalid') return row.typed;
  const { server, port, queryPort, game } = row.submission;
  return { server, port: String(port), queryPort: String(queryPort ?? ''), game };
}

/** What came of the rows of a file: the service has rejected them, or they were not sent. */
type Kind = keyof typeof MOST_FILES;

/** The files with rows to be sent back, and the names of these files for a sentence. */
export function filesToSendBack(t: Translate, reasons: Readonly<Partial<Record<Kind, Reasons>>>) {
  const kinds = ['rejected', 'not-sent'] as const;
  const files = kinds.flatMap((kind) => filesOf(kind, reasons[kind] ?? new Map()));
  return { files, names: t.and(files.map(({ name }) => `\`${name}\``)) };
}

/** As few files as possible, each small enough to be uploaded again; none without rows. */
function filesOf(kind: Kind, reasons: Reasons): readonly ListFile[] {
  const inOrder = [...reasons.keys()].toSorted((one, other) => one.line - other.line);
  const rows = inOrder.map((row) => ({
    line: row.line,
    typed: inFields(row),
    reason: reasons.get(row) ?? '',
  }));
  const files = rejectedCsv(rows, { mostBytes: MOST_BYTES, mostFiles: MOST_FILES[kind] });
  return files.map((data, index) => ({
    name: index === 0 ? `${kind}.csv` : `${kind}-${index + 1}.csv`,
    data,
  }));
}

/** `preview.csv`: all that is sent, in columns that can be read again. */
export function previewFile(rows: readonly ReadyRow[]): ListFile {
  const heading = ['server', 'port', 'query_port', 'game', 'line'];
  const lines = rows.map((row) => {
    const { server, port, queryPort, game } = inFields(row);
    return [server, port, queryPort, game, String(row.line)];
  });
  return { name: 'preview.csv', data: Buffer.from(csvFile(heading, lines)) };
}
