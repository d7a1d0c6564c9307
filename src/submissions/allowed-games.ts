import type { DeskStep } from './desk.ts';

/**
 * Refuses games that the guild's admins have not chosen.
 * @param allowed the aliases of the games that may be submitted in a guild; `undefined`: all of them
 */
export function allowedGamesStep(
  allowed: (guildId: string) => Promise<readonly string[] | undefined>,
): DeskStep {
  return {
    name: 'allowed games',
    async admit({ guildId, servers }) {
      const aliases = await allowed(guildId);
      if (aliases === undefined) return undefined;
      const refused = servers.find(({ game }) => !aliases.includes(game));
      return refused && { code: 'game-not-allowed', game: refused.game };
    },
  };
}
