import { Worker } from 'node:worker_threads';
import type { GameIndex } from '../listing/game-search.ts';
import type { Games } from '../listing/games.ts';
import { createTurns } from '../turns.ts';
import { LINE_BREAK, MAX_ROWS, type ReadList, readList, type Shape, withRepeats } from './read-list.ts';
import { type Candidate, onLine, type Row } from './row.ts';
import type { FileToRead } from './worker.ts';

/**
 * Maximum length of text in a modal, in UTF-16 units. Longer text is parsed in a worker, so that it doesn't block the bot.
 */
const LONGEST_IN_PLACE = 4_000;
/** Maximum number of concurrent workers. Each uses about 46 MiB. */
const WORKERS = 2;
/** Time limit for parsing a file, in milliseconds. Parsing a file of the maximum size takes a tenth of this. */
const READING_MS = 5_000;

export interface ListToRead {
  /** The guild that the list belongs to. The guild's key is used to fetch the games. */
  readonly guildId: string;
  /** The typed text, followed by the uploaded text. Line numbers continue across both. */
  readonly texts: readonly string[];
  /** The alias of the default game for rows without a game; can be empty. */
  readonly game: string;
  /**
   * The numbers of lines of the first text that the bot wrote itself, and that the member returned unchanged. They are
   * entries of a list, whatever they look like.
   */
  readonly known?: ReadonlySet<number> | undefined;
}

const SHAPES: readonly Shape[] = ['list', 'unsure', 'people'];

const worse = (one: Shape, other: Shape): Shape =>
  SHAPES.indexOf(one) > SHAPES.indexOf(other) ? one : other;

/** Why a list wasn't read. `busy`: too many of the guild's lists are waiting. `too-slow`: reading took too long. */
export type NotRead = { readonly kind: 'busy' } | { readonly kind: 'too-slow' };

export type ListParser = ReturnType<typeof createListParser>;

export interface ListParserDeps {
  readonly games: GameIndex & Pick<Games, 'isFresh' | 'refresh' | 'refreshSoon'>;
  readonly readingMs?: number | undefined;
}

/** Creates a parser that reads long lists in a worker. */
export function createListParser({ games, readingMs = READING_MS }: ListParserDeps) {
  const turns = createTurns({ mostConcurrent: WORKERS });

  async function readOnce(list: ListToRead): Promise<ReadList | NotRead> {
    const rows: Row[] = [];
    const unchosen: Candidate[] = [];
    const leftOut: string[] = [];
    let shape: Shape = 'list';
    let hidden = 0;
    let lines = 0;
    let namesNewGame = false;
    const unused = new Set<string>();
    for (const text of list.texts) {
      const read = await readText(list, text);
      if (read.kind !== 'rows') return read;
      for (const row of read.rows) rows.push(onLine(row, row.line + lines, row.part));
      for (const candidate of read.unchosen) unchosen.push({ ...candidate, line: candidate.line + lines });
      for (const line of read.leftOut) leftOut.push(String(Number(line) + lines));
      shape = worse(shape, read.shape);
      hidden += read.hidden;
      namesNewGame ||= read.namesNewGame;
      for (const name of read.unused) unused.add(name);
      // JSON has entries instead of lines, and there may be more of them.
      const places = [...read.rows, ...read.unchosen].map(({ line }) => line);
      lines += Math.max(text.split(LINE_BREAK).length, ...places, ...read.leftOut.map(Number));
    }
    if (rows.length > MAX_ROWS) return { kind: 'too-many', count: rows.length, most: MAX_ROWS };
    const read = { shape, unchosen, hidden, leftOut, namesNewGame, unused: [...unused] };
    return { kind: 'rows', rows: withRepeats(rows), ...read };
  }

  async function readText({ guildId, game, known }: ListToRead, text: string): Promise<ReadList | NotRead> {
    if (text.length <= LONGEST_IN_PLACE) {
      return readList(text, { ...games, defaultGame: games.find(game)?.alias }, known);
    }
    const list = await turns.run({ guildId }, () =>
      readInWorker({ text, game, games: games.all, known }, readingMs),
    );
    return typeof list === 'string' ? { kind: 'busy' } : list;
  }

  return {
    /**
     * Reads a list. If the list names an unknown game and the cached games aren't fresh, fetches the games and starts over.
     * @throws Error if the worker fails
     */
    async read(list: ListToRead): Promise<ReadList | NotRead> {
      const read = await readOnce(list);
      if (read.kind === 'rows' && read.namesNewGame && !games.isFresh()) {
        await games.refresh(list.guildId);
        return readOnce(list);
      }
      games.refreshSoon(list.guildId);
      return read;
    },
  };
}

function readInWorker(file: FileToRead, readingMs: number): Promise<ReadList | NotRead> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadList | NotRead>();
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
