import type { Game } from '../../src/listing/contract.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { csvFile, rejectedCsv } from '../../src/server-lists/csv-file.ts';
import { MAX_FILE_BYTES } from '../../src/server-lists/read-list.ts';
import type { ReadyRow, RefusedRow, Row, TypedRow } from '../../src/server-lists/row.ts';
import type { Limited } from '../../src/submissions/limits.ts';
import { readOutsideDiscord } from '../../src/words/escape.ts';
import { gameChoices, NEAREST } from '../../src/words/games.ts';
import { problemText, wholeText } from '../../src/words/problem.ts';
import { limitText } from '../../src/words/refusal.ts';
import type { Translate } from '../../src/words/words.ts';

/** Discord takes 10 files in a message, and the reply has others. */
const MOST_FILES = 6;
/** Bytes of a file that is to be corrected: a tenth less than can be uploaded, since corrections may be longer. */
const MOST_BYTES = 0.9 * MAX_FILE_BYTES;

interface ListFile {
  readonly name: string;
  readonly data: Buffer;
}

/** Why rows are not sent. */
export type Reasons = ReadonlyMap<Row, string>;

/**
 * How many games all guesses for a file may compare, in some 25 ms: with a usual list of 100 games, those for 500 lines.
 */
const MOST_LOOKED_AT = 50_000;

/** Guesses which games an unknown name may mean, best first. After too many guesses it returns none. */
export function guesser(games: GameIndex): (typed: string) => readonly Game[] {
  const guesses = new Map<string, readonly Game[]>();
  const mostGuesses = MOST_LOOKED_AT / Math.max(1, games.all.length);
  return (typed) => {
    const known = guesses.get(typed);
    if (known !== undefined || guesses.size >= mostGuesses) return known ?? [];
    const found = games.search(typed, NEAREST);
    guesses.set(typed, found);
    return found;
  };
}

/** Says at length why a row is refused, with the games that may have been meant. */
export function reasonsOf(t: Translate, games: GameIndex): (row: RefusedRow) => string {
  const guess = guesser(games);
  const nearest = (typed: string) => t.or(gameChoices(guess(typed)).map(({ name }) => name));
  return ({ problem }) => {
    const { short, help } = problemText(problem, t);
    const near = problem.code === 'game-unknown' ? nearest(problem.game) : '';
    const next = near === '' ? help : t('problem.help.near', { near });
    return readOutsideDiscord(wholeText({ short, help: next }, t));
  };
}

/** A limit as the reason for the rows that it holds back; empty without a limit. */
export const reasonOfLimit = (t: Translate, limited: Limited | undefined): string =>
  limited ? readOutsideDiscord(wholeText(limitText(limited, t), t)) : '';

/** A row in the columns of a file: as it was typed if it has to be corrected. */
export function inFields(row: Row): TypedRow {
  if (row.kind === 'refused') return row.typed;
  const { server, port, queryPort, game } = row.submission;
  return { server, port: String(port), queryPort: String(queryPort ?? ''), game };
}

/** The files with the rows that cannot be sent, and the names of these files for a sentence. */
export function filesOfRefused(t: Translate, reasons: Reasons) {
  const files = rejectedFiles(reasons);
  return { files, names: t.and(files.map(({ name }) => `\`${name}\``)) };
}

/** As few files as possible, each small enough to be uploaded again; none without rows. */
function rejectedFiles(reasons: Reasons): readonly ListFile[] {
  const inOrder = [...reasons.keys()].toSorted((one, other) => one.line - other.line);
  const rows = inOrder.map((row) => ({
    line: row.line,
    typed: inFields(row),
    reason: readOutsideDiscord(reasons.get(row) ?? ''),
  }));
  const files = rejectedCsv(rows, { mostBytes: MOST_BYTES, mostFiles: MOST_FILES });
  return files.map((data, index) => ({
    name: index === 0 ? 'rejected.csv' : `rejected-${index + 1}.csv`,
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
