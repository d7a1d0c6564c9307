import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Game } from '../../src/listing/contract.ts';
import { createSuggestions } from '../../src/listing/game-catalog.ts';
import { recorder } from '../storage/temporary.ts';

const all: readonly Game[] = Array.from({ length: 300 }, (_, index) => ({
  name: `Game ${index}`,
  alias: `g${index}`,
}));

/** Suggestions over a history that is read as the test says. */
function suggestionsOver(latestGames: (guildId: string) => Promise<readonly string[]>) {
  const logger = recorder();
  const games = { list: () => ({ games: all, fresh: true }), search: () => [] };
  const settings = { allowedGames: () => undefined };
  return {
    logger,
    suggestions: createSuggestions({
      history: { latestGames },
      games,
      settings,
      logger,
      readAfterMs: 0,
    }),
  };
}
/** After every timer that was set before and is due sooner. */
const afterTimers = () => sleep(5);

describe('what is remembered of the games that guilds submit', () => {
  it('is of the 1,000 guilds that used the bot last; of another it is read once more', async () => {
    const read: string[] = [];
    const { suggestions } = suggestionsOver(async (guildId) => {
      read.push(guildId);
      return ['g7'];
    });
    for (let guild = 0; guild < 1_000; guild += 1) suggestions.used(String(guild));
    suggestions.used('0');
    suggestions.used('1000');
    await afterTimers();
    expect(read).toHaveLength(1_001);
    expect(suggestions.games('0', '')[0]?.alias).toBe('g7');
    expect(suggestions.games('1', '')[0]?.alias).toBe('g0');
    suggestions.used('1');
    await afterTimers();
    expect(read.at(-1)).toBe('1');
    expect(suggestions.games('1', '')[0]?.alias).toBe('g7');
  });

  it('is bounded for each guild, and keeps what is submitted most', async () => {
    const many = all.map(({ alias }) => alias);
    const { suggestions } = suggestionsOver(async () => ['g299', 'g299', 'g298', 'g298', 'g298', ...many]);
    suggestions.used('1');
    await afterTimers();
    const offered = suggestions.games('1', '').map(({ alias }) => alias);
    expect(offered.slice(0, 2)).toEqual(['g298', 'g299']);
    expect(new Set(offered).size).toBe(25);
  });

  it('is read again with the next interaction where the store failed', async () => {
    const answers = [() => Promise.reject(new Error('disk')), async () => ['g7']];
    const { suggestions, logger } = suggestionsOver(async () => answers.shift()?.() ?? []);
    suggestions.used('1');
    await afterTimers();
    expect(suggestions.games('1', '')[0]?.alias).toBe('g0');
    expect(JSON.stringify(logger)).toContain('submits most could not be read');
    suggestions.used('1');
    await afterTimers();
    expect(suggestions.games('1', '')[0]?.alias).toBe('g7');
  });

  it('is not read any more once the bot stops, which closes the store', async () => {
    const failed = Promise.withResolvers<readonly string[]>();
    const read: string[] = [];
    const { suggestions, logger } = suggestionsOver(async (guildId) => {
      read.push(guildId);
      return failed.promise;
    });
    suggestions.used('1');
    await expect.poll(() => read).toEqual(['1']);
    suggestions.used('2');
    await suggestions.stop();
    failed.reject(new Error('the store is not open'));
    await afterTimers();
    expect(read).toEqual(['1']);
    expect(logger.lines).toEqual([]);
  });
});
