import type { Secret } from '../secret.ts';
import { type ReadList, readList } from './read-list.ts';
import type { GameReading } from './row.ts';

/** The games by their alias or name. */
interface Games {
  find(text: string): { readonly alias: string } | undefined;
}

/** The service's games; see the catalog of `src/listing`. */
interface Catalog extends Games {
  list(): { readonly fresh: boolean };
  refresh(key: Secret): Promise<unknown>;
  refreshSoon(key: Secret): void;
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
  games: Catalog,
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

const namesUnknownGame = (list: ReadList): boolean =>
  list.kind === 'rows' && list.rows.some((row) => 'problem' in row && row.problem.code === 'game-unknown');
