import type { Game } from '../listing/contract.ts';
import { type GameCatalog, gamesAmong } from '../listing/game-catalog.ts';
import type { History } from './history.ts';
import type { Observer } from './pipeline.ts';

/** Guilds whose counts are remembered. With the games below that is 10 MiB at the very most. */
const MOST_GUILDS = 1_000;
/** Discord shows so many (Discord docs: Application Commands, autocomplete). */
const MOST_OFFERED = 25;
/** Games of a guild that are counted: some may not be allowed, or be on the list no more. */
const MOST_GAMES = 100;

export interface SuggestionsDeps {
  readonly history: Pick<History, 'latestGames'>;
  readonly games: Pick<GameCatalog, 'list' | 'search'>;
  readonly settings: {
    /** The aliases of the games that may be submitted; `undefined`: all of them. From memory. */
    allowedGames(guildId: string): ReadonlySet<string> | undefined;
  };
  readonly logger: { warn(details: object, message: string): void };
  readonly now?: () => number;
}

/** The games that a guild is offered while a member types. */
export interface Suggestions extends Observer {
  /**
   * At most 25: the allowed games that fit to what was typed, those that fit best first. With nothing typed, those first that the
   * guild submits most. As Discord waits for them, all of this is in memory.
   */
  games(guildId: string, typed: string): readonly Game[];
  /** The guild uses the bot: what it has submitted is read in the background, unless it is remembered. */
  used(guildId: string): void;
  /** Forgets what the guild has submitted. */
  delete(guildId: string): Promise<void>;
}

/** How often each game was submitted, by its alias. */
type Counts = Map<string, number>;

export function createSuggestions(deps: SuggestionsDeps): Suggestions {
  const { history, games, settings, logger, now = Date.now } = deps;
  /** The guild that was used longest ago is first. */
  const guilds = new Map<string, Counts>();

  function remember(guildId: string, counts: Counts): void {
    guilds.delete(guildId);
    guilds.set(guildId, counts);
    const [oldest] = guilds.keys();
    if (guilds.size > MOST_GUILDS && oldest !== undefined) guilds.delete(oldest);
  }

  /** What ends from now on is counted as it ends. */
  async function read(guildId: string, counts: Counts): Promise<void> {
    try {
      for (const game of await history.latestGames(guildId, now())) count(counts, game);
    } catch (err) {
      // With the next interaction it is tried again.
      if (guilds.get(guildId) === counts) guilds.delete(guildId);
      logger.warn({ err, guildId }, 'the games that a server submits most could not be read');
    }
  }

  return {
    games(guildId, typed) {
      const { search, all: offered } = gamesAmong(games, settings.allowedGames(guildId));
      if (typed.trim() !== '') return search(typed);
      const counts = guilds.get(guildId);
      if (!counts) return offered.slice(0, MOST_OFFERED);
      const submitted = offered.filter(({ alias }) => counts.has(alias)).toSorted(mostFirst(counts));
      const others = offered.filter(({ alias }) => !counts.has(alias));
      return [...submitted, ...others].slice(0, MOST_OFFERED);
    },
    used(guildId) {
      const known = guilds.get(guildId);
      const counts = known ?? new Map<string, number>();
      remember(guildId, counts);
      if (!known) void read(guildId, counts);
    },
    async ended({ guildId }, { servers, outcomes }) {
      // Of a guild that is not remembered everything is read when it uses the bot again.
      const counts = guilds.get(guildId);
      if (!counts) return;
      for (const [index, { game }] of servers.entries()) {
        const kind = outcomes[index]?.kind;
        if (kind === 'accepted' || kind === 'unknown') count(counts, game);
      }
    },
    async delete(guildId) {
      guilds.delete(guildId);
    },
  };
}

/** Games that were submitted equally often stay in the order of the list. */
const mostFirst =
  (counts: Counts) =>
  (one: Game, other: Game): number =>
    (counts.get(other.alias) ?? 0) - (counts.get(one.alias) ?? 0);

/** Counts a game once more. Where there are too many games, the rarest of the others makes room. */
function count(counts: Counts, game: string): void {
  counts.set(game, (counts.get(game) ?? 0) + 1);
  if (counts.size <= MOST_GAMES) return;
  const [rarest] = [...counts].filter(([alias]) => alias !== game).sort(([, one], [, other]) => one - other);
  if (rarest) counts.delete(rarest[0]);
}

/** Keeps the games list fresh with the keys that are in use, and asks for it anew when the service knows another. */
export const gamesObserver = (games: Pick<GameCatalog, 'invalidate' | 'refreshSoon'>): Observer => ({
  async ended(_, { outcomes, key }) {
    const isKnown = (error: string) => outcomes.some((end) => end.kind === 'rejected' && end.known === error);
    if (isKnown('gameInvalid')) games.invalidate();
    if (!isKnown('invalidKey')) games.refreshSoon(key);
  },
});
