import type { Games } from '../listing/games.ts';
import { type Reading, readRow, type TypedRow } from './row.ts';

/** What is taken for an alias that we do not know: all of the specification (§2.3) are much shorter. */
const ALIAS = /^[\w.-]{1,50}$/;
export const LONGEST_ALIAS = 50;

/**
 * Reads what was typed of one server. Where its game is not known the service is asked for its games, unless they are
 * fresh. Only the service knows which games it takes: while its list is unknown, what may be an alias is one.
 * @param guildId whose key the service is asked with
 */
export async function readOneWithGames(
  typed: TypedRow,
  games: Pick<Games, 'find' | 'isFresh' | 'refresh'>,
  guildId: string,
): Promise<Reading> {
  if (!games.find(typed.game) && !games.isFresh()) await games.refresh(guildId);
  const isPossible = !games.isFresh() && ALIAS.test(typed.game);
  const alias = games.find(typed.game)?.alias ?? (isPossible ? typed.game : undefined);
  // The game comes first: which port is missing depends on it.
  if (alias === undefined) return { ok: false, problem: { code: 'game-unknown', game: typed.game } };
  return readRow({ ...typed, game: alias }, alias);
}
