import { createCache } from '../bounded-map.ts';
import type { Game } from '../listing/contract.ts';
import { type GameIndex, gamesAmong, MAX_CHOICES } from '../listing/game-search.ts';
import type { History } from './history.ts';

export interface SuggestionsDeps {
  readonly history: Pick<History, 'latestGames'>;
  readonly games: GameIndex;
  readonly settings: { rememberedOrThrow(guildId: string): Promise<{ readonly games?: readonly string[] }> };
}

export type Suggestions = ReturnType<typeof createSuggestions>;

/** For how many milliseconds it is remembered which games a guild submits most: a member types meanwhile. */
const REMEMBERED_MS = 5_000;

/** The games that a guild is offered while a member types. */
export function createSuggestions({ history, games, settings }: SuggestionsDeps) {
  /** The aliases of the games that the guild submits, the most frequent first. */
  const submitted = createCache(async (guildId) => {
    const groups = Map.groupBy(await history.latestGames(guildId), (alias) => alias);
    return [...groups].sort(([, one], [, other]) => other.length - one.length).map(([alias]) => alias);
  }, REMEMBERED_MS);

  const allowedIn = async (guildId: string) =>
    gamesAmong(games, (await settings.rememberedOrThrow(guildId)).games);

  /**
   * The games that the guild allows: the games that it submits most come first, then the games that are known everywhere.
   * Reads only the store, since Discord waits for autocomplete.
   */
  async function allowed(guildId: string, most = Number.POSITIVE_INFINITY): Promise<readonly Game[]> {
    const { usualFirst, isAllowed, find } = await allowedIn(guildId);
    const chosen = new Set<Game>();
    for (const alias of await submitted.get(guildId)) {
      if (chosen.size >= most) break;
      const game = find(alias);
      if (game && isAllowed(game)) chosen.add(game);
    }
    for (const game of usualFirst) {
      if (chosen.size >= most) break;
      chosen.add(game);
    }
    return [...chosen];
  }

  return {
    allowed,
    /** At most 25 games: those that fit best to what was typed, or the first ones if nothing was typed. */
    async games(guildId: string, typed: string): Promise<readonly Game[]> {
      if (typed.trim() === '') return allowed(guildId, MAX_CHOICES);
      return (await allowedIn(guildId)).search(typed);
    },
  };
}
