import type { Game } from '../listing/contract.ts';
import { type GameIndex, gamesAmong, MAX_CHOICES } from '../listing/game-search.ts';
import { createCache } from '../pacing/bounded-map.ts';
import type { History } from './history.ts';

export interface SuggestionsDeps {
  readonly history: Pick<History, 'latestGames'>;
  readonly games: GameIndex;
  readonly settings: { rememberedOrThrow(guildId: string): Promise<{ readonly games?: readonly string[] }> };
}

/** Long enough for a member to finish typing. */
const CACHED_MS = 5_000;

export function createSuggestions({ history, games, settings }: SuggestionsDeps) {
  const aliasesByFrequency = createCache(async (guildId) => {
    const groups = Map.groupBy(await history.latestGames(guildId), (alias) => alias);
    return [...groups].sort(([, one], [, other]) => other.length - one.length).map(([alias]) => alias);
  }, CACHED_MS);

  const allowedIn = async (guildId: string) =>
    gamesAmong(games, (await settings.rememberedOrThrow(guildId)).games);

  /**
   * Returns the games that the guild allows: first its most submitted games, then widely known games. Doesn't make network
   * requests, because Discord is waiting for the autocomplete response.
   */
  async function allowed(guildId: string, most = Number.POSITIVE_INFINITY): Promise<readonly Game[]> {
    const { usualFirst, isAllowed, find } = await allowedIn(guildId);
    const known = (await aliasesByFrequency.get(guildId)).flatMap((alias) => find(alias) ?? []);
    // Cut before duplicates are removed, because there can be 10,000 games.
    const chosen = new Set([...known.filter(isAllowed), ...usualFirst.slice(0, most)]);
    return [...chosen].slice(0, most);
  }

  return {
    allowed,
    /** Returns up to 25 games that best match the typed text, or the first 25 if the text is empty. */
    async games(guildId: string, typed: string): Promise<readonly Game[]> {
      if (typed.trim() === '') return allowed(guildId, MAX_CHOICES);
      return (await allowedIn(guildId)).search(typed);
    },
  };
}
