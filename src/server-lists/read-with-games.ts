import type { Secret } from '../secret.ts';
import { type ReadList, readList } from './read-list.ts';
import { type GameReading, type Reading, readRow, type TypedRow } from './row.ts';

/** The games by their alias or name. */
interface Games {
  find(text: string): { readonly alias: string } | undefined;
}

/** The service's games; see the catalog of `src/listing`. */
interface Catalog extends Games {
  list(): { readonly fresh: boolean };
  refresh(key: Secret): Promise<unknown>;
}

export interface ListInput {
  readonly content: string | Uint8Array;
  /** What was typed as the game of rows that name none; may be empty. */
  readonly game: string;
}

/** Games as a catalog knows them, each text looked up once. */
export function gameReading(games: Games, defaultGame?: string): GameReading {
  const known = new Map<string, string | undefined>();
  return {
    ...(defaultGame !== undefined && { defaultGame }),
    findGame(text) {
      if (!known.has(text)) known.set(text, games.find(text)?.alias);
      return known.get(text);
    },
  };
}

/**
 * Reads a list. Where it names a game that is not known the service is asked for its games, unless they are fresh, and
 * it is read anew.
 * @param key what the service is asked with
 */
export async function readWithGames(
  { content, game }: ListInput,
  games: Catalog & { refreshSoon(key: Secret): void },
  key: Secret,
): Promise<ReadList> {
  const read = () => readList(content, gameReading(games, games.find(game)?.alias));
  const list = await read();
  const isUnknown = game !== '' && !games.find(game);
  if (games.list().fresh || !(isUnknown || namesUnknownGame(list))) {
    games.refreshSoon(key);
    return list;
  }
  await games.refresh(key);
  return read();
}

/** What is taken for an alias that we do not know: all of the specification (§2.3) are much shorter. */
const ALIAS = /^[\w.-]{1,50}$/;

/**
 * Reads what was typed of one server. Where its game is not known the service is asked for its games, unless they are
 * fresh. Only the service knows which games it takes: while its list is unknown, what may be an alias is one.
 * @param keyOf what the service is asked with; without one it is not
 */
export async function readOneWithGames(
  typed: TypedRow,
  games: Catalog,
  keyOf: () => Promise<Secret | undefined>,
): Promise<Reading> {
  if (!games.find(typed.game) && !games.list().fresh) {
    const key = await keyOf();
    if (key) await games.refresh(key);
  }
  const isPossible = !games.list().fresh && ALIAS.test(typed.game);
  const alias = games.find(typed.game)?.alias ?? (isPossible ? typed.game : undefined);
  // The game comes first: which port is missing depends on it.
  if (alias === undefined) return { ok: false, problem: { code: 'game-unknown', game: typed.game } };
  return readRow({ ...typed, game: '' }, gameReading(games, alias));
}

const namesUnknownGame = (list: ReadList): boolean =>
  list.kind === 'rows' && list.rows.some((row) => 'problem' in row && row.problem.code === 'game-unknown');
