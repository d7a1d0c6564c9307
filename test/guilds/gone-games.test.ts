import { expect, it } from 'vitest';
import { createGoneGames } from '../../src/guilds/gone-games.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import { openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

it('a guild is told once of each chosen game that the service no longer has, and not by a list that is old', async () => {
  const store = await openStore();
  const settings = createGuildSettings({ store, logger: recorder() });
  await settings.change('1', (now) => ({ ...now, games: ['cs2', 'rust'] }));
  await settings.change('2', (now) => now);
  const told: string[] = [];
  let isFresh = false;
  const games = { all: [{ name: 'Rust', alias: 'rust' }], isFresh: () => isFresh };
  const look = createGoneGames({
    values: store.values,
    settings,
    games,
    tell: async (guildId, aliases) => void told.push(`${guildId}: ${aliases}`),
  });
  await look();
  expect(told).toEqual([]);
  isFresh = true;
  await look();
  await look();
  expect(told).toEqual(['1: cs2']);
  games.all = [];
  await look();
  expect(told).toEqual(['1: cs2', '1: rust']);
});

it('a guild whose settings are deleted meanwhile has none afterwards', async () => {
  const store = await openStore();
  const settings = createGuildSettings({ store, logger: recorder() });
  await settings.change('1', (now) => ({ ...now, games: ['cs2'] }));
  await createGoneGames({
    values: store.values,
    settings: {
      ...settings,
      async change(guildId, change) {
        await settings.delete(guildId);
        return settings.change(guildId, change);
      },
    },
    games: { all: [], isFresh: () => true },
    tell: async () => undefined,
  })();
  expect(await store.values.get('settings:1')).toBeUndefined();
});
