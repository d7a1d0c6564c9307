import { expect, it } from 'vitest';
import { createGoneGames } from '../../src/guilds/gone-games.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import { openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const NEVER = new AbortController().signal;

it('admins are notified once when the service removes an allowed game', async () => {
  const store = await openStore();
  const settings = createGuildSettings({ store, logger: recorder() });
  await settings.change('1', (now) => ({ ...now, games: ['cs2', 'rust'] }));
  await settings.change('2', (now) => now);
  const notified: string[] = [];
  let isFresh = false;
  const games = { all: [{ name: 'Rust', alias: 'rust' }], isFresh: () => isFresh };
  const look = createGoneGames({
    values: store.values,
    settings,
    games,
    notifyAdmins: async (guildId, aliases) => void notified.push(`${guildId}: ${aliases}`),
  });
  await look(NEVER);
  expect(notified).toEqual([]);
  isFresh = true;
  await look(NEVER);
  await look(NEVER);
  expect(notified).toEqual(['1: cs2']);
  games.all = [];
  await look(NEVER);
  expect(notified).toEqual(['1: cs2', '1: rust']);
  const rust = { name: 'Rust', alias: 'rust' };
  for (const all of [[rust], [], [rust], [rust]]) {
    games.all = all;
    await look(NEVER);
  }
  expect(notified).toEqual(['1: cs2', '1: rust', '1: rust']);
});

it("the check for removed games doesn't restore deleted settings", async () => {
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
    notifyAdmins: async () => undefined,
  })(NEVER);
  expect(await store.values.get('settings:1')).toBeUndefined();
});

it("the check for removed games doesn't block other work", async () => {
  const stopping = new AbortController();
  let turns = 0;
  const looked: string[] = [];
  const othersTurn = () => {
    turns += 1;
    if (turns === 3) stopping.abort();
    else setImmediate(othersTurn);
  };
  setImmediate(othersTurn);
  const look = createGoneGames({
    values: { ids: async () => ['1', '2', '3', '4', '5'] },
    settings: {
      async getOrUnreadable(guildId) {
        looked.push(guildId);
        return 'unreadable';
      },
      change: () => Promise.reject(new Error('nothing is to be changed')),
    },
    games: { all: [], isFresh: () => true },
    notifyAdmins: async () => undefined,
  });
  await expect(look(stopping.signal)).rejects.toThrow('aborted');
  expect(looked).toEqual(['1', '2']);
});
