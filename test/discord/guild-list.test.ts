import { REST } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listGuilds } from '../../src/discord/guild-list.ts';
import type { DiscordStandIn } from '../../src/sandbox/contract.ts';
import { startDiscord } from '../../src/sandbox/stand-in.ts';

const TOKEN = 'MTExMTExMTExMTExMTExMTEx.guilds.a-token-of-the-guild-list-tests-123456';

let discord: DiscordStandIn;
let rest: REST;
beforeEach(async () => {
  discord = await startDiscord({ token: TOKEN });
  rest = new REST({ api: discord.apiUrl, retries: 0 }).setToken(TOKEN);
});
afterEach(() => discord.close());

function add(count: number): void {
  for (let i = 0; i < count; i++) discord.guildEvents.add({ name: `Guild ${i}` });
}

describe('the list of guilds', () => {
  it.each([2, 199, 200, 201, 400, 450])('is whole with %i guilds', async (count) => {
    add(count - discord.guilds.length);
    expect(await listGuilds(rest)).toEqual(discord.guilds.map(({ id }) => id));
    expect(discord.guilds).toHaveLength(count);
  });

  it('has guilds that have an outage, and none that the bot was removed from', async () => {
    const [first, second] = discord.guilds;
    if (!first || !second) throw new Error('the stand-in has two guilds');
    discord.guildEvents.outage(first);
    discord.guildEvents.remove(second);
    expect(await listGuilds(rest)).toEqual([first.id]);
  });

  it('is an error when its last page fails', async () => {
    add(300);
    let pages = 0;
    const get: typeof rest.get = (route, options) => {
      if (++pages === 2) discord.faults.inject({ fault: { kind: 'status', status: 500 } });
      return rest.get(route, options);
    };
    await expect(listGuilds({ get })).rejects.toThrow();
    expect(pages).toBe(2);
    expect(await listGuilds(rest)).toHaveLength(302);
  });

  it.each([
    { what: 'no list', pages: [{ message: 'odd' }] },
    { what: 'an empty answer', pages: [undefined] },
    { what: 'something else in it', pages: [[{ id: '1' }, null]] },
    { what: 'the same page again', pages: [page(1, 200), page(1, 200)] },
  ])('is an error when Discord sends $what', async ({ pages }) => {
    const left = [...pages];
    await expect(listGuilds({ get: async () => left.shift() })).rejects.toThrow(/Discord/);
  });
});

function page(first: number, count: number): readonly object[] {
  return Array.from({ length: count }, (_, i) => ({ id: String(10_000 + first + i) }));
}
