import { Worker } from 'node:worker_threads';
import type { GameIndex } from '../listing/game-search.ts';
import type { Games } from '../listing/games.ts';
import { createTurns } from '../pacing/turns.ts';
import { type Shape, worstOf } from './list-shape.ts';
import {
  MAX_ROWS,
  type NotText,
  type ReadList,
  readSource,
  type SourceList,
  withRepeats,
} from './read-list.ts';
import { type Candidate, onLine, type Row } from './row.ts';
import type { FileToRead } from './worker.ts';

/** A longer text is read in a worker. Reading 4,000 units of short addresses blocks the bot for 0.2 seconds (measured). */
const MAX_INLINE_LENGTH = 2_000;
/** Each worker uses about 46 MiB. */
const MAX_WORKERS = 2;
/**
 * Covers decoding and parsing a file. Of the hostile files in `linear-time.test.ts`, the slowest takes 1.4 seconds at the
 * maximum size.
 */
const READING_TIMEOUT_MS = 5_000;

export interface ListToRead {
  /** The guild whose key is used to fetch the games. */
  readonly guildId: string;
  /** The typed text, followed by the bytes of the uploaded file. Line numbers continue across both. */
  readonly sources: readonly (string | Uint8Array)[];
  /** The game's alias, or '' without a default game. */
  readonly defaultGame: string;
}

/** Why a list wasn't read. `busy`: too many of the guild's lists are waiting. */
export type NotRead = { readonly kind: 'busy' } | { readonly kind: 'too-slow' } | NotText;

/** A list, and the last source's text if it fits into a modal. */
export type ParsedList = (ReadList | NotRead) & { readonly lastText?: string | undefined };

export type ListParser = ReturnType<typeof createListParser>;

export interface ListParserDeps {
  readonly games: GameIndex & Pick<Games, 'isFresh' | 'refresh' | 'refreshSoon'>;
  readonly readingMs?: number | undefined;
}

export function createListParser({ games, readingMs = READING_TIMEOUT_MS }: ListParserDeps) {
  const turns = createTurns({ maxConcurrent: MAX_WORKERS });

  async function readOnce(list: ListToRead): Promise<ParsedList> {
    const rows: Row[] = [];
    const unchosen: Candidate[] = [];
    const leftOut: string[] = [];
    let shape: Shape = 'list';
    let hidden = 0;
    let lines = 0;
    let namesUnknownGame = false;
    const unused = new Set<string>();
    let lastText: string | undefined;
    for (const source of list.sources) {
      const read = await readOne(list, source);
      if (read.kind !== 'rows' && read.kind !== 'too-many') return read;
      lastText = read.text;
      if (read.kind !== 'rows') return { ...read, lastText };
      for (const row of read.rows) rows.push(onLine(row, row.line + lines, row.part));
      for (const candidate of read.unchosen) unchosen.push({ ...candidate, line: candidate.line + lines });
      for (const line of read.leftOut) leftOut.push(String(Number(line) + lines));
      shape = worstOf([shape, read.shape]);
      hidden += read.hidden;
      namesUnknownGame ||= read.namesUnknownGame;
      for (const name of read.unused) unused.add(name);
      // JSON has entries instead of lines, and there may be more of them.
      const places = [
        ...read.rows,
        ...read.unchosen,
        ...read.leftOut.map((line) => ({ line: Number(line) })),
      ];
      lines += places.reduce((last, { line }) => Math.max(last, line), read.lineCount);
    }
    if (rows.length > MAX_ROWS) return { kind: 'too-many', count: rows.length, most: MAX_ROWS, lastText };
    const read = { shape, unchosen, hidden, leftOut, namesUnknownGame, unused: [...unused], lastText };
    return { kind: 'rows', rows: withRepeats(rows), ...read };
  }

  /** Reads a long source in a worker, so that it doesn't block the bot. */
  async function readOne(
    { guildId, defaultGame }: ListToRead,
    source: string | Uint8Array,
  ): Promise<SourceList | NotRead> {
    if (source.length <= MAX_INLINE_LENGTH) {
      return readSource(source, { ...games, defaultGame: games.find(defaultGame)?.alias });
    }
    const list = await turns.run({ guildId }, () =>
      readInWorker({ source, defaultGame, games: games.all }, readingMs),
    );
    return list.kind === 'not-run' ? { kind: 'busy' } : list;
  }

  return {
    /**
     * Reads a list. If the list names an unknown game and the cached games aren't fresh, fetches the games and starts over.
     * @throws Error if the worker fails
     */
    async read(list: ListToRead): Promise<ParsedList> {
      const read = await readOnce(list);
      if (read.kind === 'rows' && read.namesUnknownGame && !games.isFresh()) {
        await games.refresh(list.guildId);
        return readOnce(list);
      }
      games.refreshSoon(list.guildId);
      return read;
    },
  };
}

function readInWorker(file: FileToRead, readingMs: number): Promise<SourceList | NotRead> {
  const { promise, resolve, reject } = Promise.withResolvers<SourceList | NotRead>();
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: file });
  const timer = setTimeout(() => resolve({ kind: 'too-slow' }), readingMs);
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the list parser exited before it finished')));
  return promise.finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}
