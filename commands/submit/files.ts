import { LIMITS } from '../../src/discord/limits.ts';
import { csvFile, rejectedCsv } from '../../src/server-lists/csv-file.ts';
import { MAX_FILE_BYTES } from '../../src/server-lists/read-list.ts';
import {
  inOrderOfPlaces,
  lineLabel,
  placeOf,
  type ReadyRow,
  type Row,
  type TypedRow,
} from '../../src/server-lists/row.ts';
import type { ReachedLimit } from '../../src/submissions/limits.ts';
import { readOutsideDiscord } from '../../src/words/escape.ts';
import { limitText } from '../../src/words/not-submitted.ts';
import { wholeText } from '../../src/words/problem.ts';
import type { Translate } from '../../src/words/words.ts';

/** Discord allows 10 files per message, and the reply has one more file. */
const MAX_FILES = { rejected: 3, 'not-sent': 6, 'to-fix': 6 } as const;
/** Files to correct stay 10% below the upload limit, because corrections can make them longer. */
const MAX_BYTES_TO_CORRECT = 0.9 * MAX_FILE_BYTES;

/** Longer lists are sent as files. */
export const MAX_LINES_WITHOUT_FILES = 10;

export function textWithoutFiles(lines: number, write: () => string): string | undefined {
  if (lines > MAX_LINES_WITHOUT_FILES) return undefined;
  const text = write();
  return text.length <= LIMITS.content ? text : undefined;
}

interface ListFile {
  readonly name: string;
  readonly data: Buffer;
}

export type Reasons = ReadonlyMap<Row, string>;

export const heldBackReason = (t: Translate, limited: ReachedLimit | undefined): string =>
  limited ? readOutsideDiscord(wholeText(limitText(limited, t), t)) : '';

export function toColumns(row: Row): TypedRow {
  if (row.kind === 'invalid') return row.typed;
  const { server, port, queryPort, game } = row.submission;
  return { server, port: String(port), queryPort: String(queryPort ?? ''), game };
}

/** The rows in a file: rejected by the service, not sent, or not ready in a preview before anything is sent. */
type Kind = keyof typeof MAX_FILES;

export function filesToSendBack(t: Translate, reasons: Readonly<Partial<Record<Kind, Reasons>>>) {
  const kinds = ['rejected', 'not-sent', 'to-fix'] as const;
  const files = kinds.flatMap((kind) => filesOf(kind, reasons[kind] ?? new Map()));
  return { files, names: t.and(files.map(({ name }) => `\`${name}\``)) };
}

/** Splits the rows into as few files as possible, each of them small enough to be uploaded again. */
function filesOf(kind: Kind, reasons: Reasons): readonly ListFile[] {
  const inOrder = [...reasons.keys()].toSorted(inOrderOfPlaces);
  const rows = inOrder.map((row) => ({
    ...placeOf(row),
    typed: toColumns(row),
    reason: reasons.get(row) ?? '',
  }));
  const files = rejectedCsv(rows, { mostBytes: MAX_BYTES_TO_CORRECT, mostFiles: MAX_FILES[kind] });
  return files.map((data, index) => ({
    name: index === 0 ? `${kind}.csv` : `${kind}-${index + 1}.csv`,
    data,
  }));
}

/** Creates `preview.csv` with everything that will be sent. The bot can read the file back. */
export function previewFile(rows: readonly ReadyRow[]): ListFile {
  const heading = ['server', 'port', 'query_port', 'game', 'line'];
  const lines = rows.map((row) => {
    const { server, port, queryPort, game } = toColumns(row);
    return [server, port, queryPort, game, lineLabel(row)];
  });
  return { name: 'preview.csv', data: Buffer.from(csvFile(heading, lines)) };
}
