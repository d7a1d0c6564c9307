import { DiscordAPIError, REST } from 'discord.js';
import {
  GuildWithCountsResponseSchema,
  MyGuildResponseSchema,
  PrivateApplicationResponseSchema,
} from 'discord-api-spec/zod';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { array } from 'zod/mini';
import { type $ZodType, safeParse } from 'zod/v4/core';
import type { DiscordStandIn } from '../../sandbox/discord/contract.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { isForeign, listGuilds } from '../../src/discord/application.ts';

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

  it.each([1, 39, 199])('is whole when no page has more than %i guilds', async (most) => {
    add(most === 1 ? 3 : 238);
    discord.guildEvents.shortenPages(most);
    expect(await listGuilds(rest)).toEqual(discord.guilds.map(({ id }) => id));
  });

  it('has guilds that have an outage, and none that the bot was removed from', async () => {
    const [first, second] = discord.guilds;
    if (!first || !second) throw new Error('the stand-in has two guilds');
    discord.guildEvents.outage(first);
    discord.guildEvents.remove(second);
    expect(await listGuilds(rest)).toEqual([first.id]);
  });

  it('lacks guilds that have the commands alone', async () => {
    discord.guildEvents.add({ name: 'Commands only', bot: false });
    expect(await listGuilds(rest)).toEqual(discord.guilds.map(({ id }) => id));
    expect(discord.guilds).toHaveLength(2);
  });

  it.each([
    { kind: 'status', status: 500 } as const,
    { kind: 'reset' } as const,
    { kind: 'answer lost' } as const,
    { kind: 'rate limit', scope: 'user', retryAfterMs: 1 } as const,
  ])('is whole when each of its pages fails at first ($kind)', async (fault) => {
    add(300);
    let pages = 0;
    const get: typeof rest.get = (route, options) => {
      pages += 1;
      if (pages % 2 === 1) discord.faults.inject({ fault });
      return rest.get(route, options);
    };
    expect(await listGuilds({ get }, { pauses: [1] })).toHaveLength(302);
  });

  it('is an error when a page fails time after time', async () => {
    add(300);
    let pages = 0;
    const get: typeof rest.get = (route, options) => {
      if (++pages > 1) discord.faults.inject({ fault: { kind: 'status', status: 500 } });
      return rest.get(route, options);
    };
    await expect(listGuilds({ get }, { pauses: [1, 1] })).rejects.toThrow();
    expect(pages).toBe(4);
    expect(await listGuilds(rest)).toHaveLength(302);
  });

  it('is given up at once when nobody wants it any more', async () => {
    const stopping = new AbortController();
    discord.faults.inject({ fault: { kind: 'hang' } });
    const list = listGuilds(rest, { signal: stopping.signal });
    await expect.poll(() => discord.requests.length).toBe(1);
    stopping.abort();
    await expect(list).rejects.toThrow('abort');
  });

  it.each([
    { what: 'no list', pages: [{ message: 'odd' }] },
    { what: 'an empty answer', pages: [undefined] },
    { what: 'something else in it', pages: [[{ id: '1' }, null]] },
    { what: 'the same page again', pages: [page(1, 200), page(1, 200)] },
  ])('is an error when Discord sends $what', async ({ pages }) => {
    const left = [...pages];
    const get = async () => left.shift();
    await expect(listGuilds({ get }, { pauses: [] })).rejects.toThrow(/Discord/);
  });
});

describe('a guild that Discord is asked about', () => {
  const ask = (guildId: string) => isForeign(rest, guildId);
  const first = () => {
    const [guild] = discord.guilds;
    if (!guild) throw new Error('the stand-in has two guilds');
    return guild;
  };

  it('is foreign when the bot was removed, never was there, or has the commands alone there', async () => {
    const removed = first();
    discord.guildEvents.remove(removed);
    const { id } = discord.guildEvents.add({ name: 'Commands only', bot: false });
    expect(await ask(removed.id)).toBe(true);
    expect(await ask('123456789012345678')).toBe(true);
    expect(await ask(id)).toBe(true);
    expect(discord.requests.map(({ status }) => status)).toEqual([404, 404, 403]);
    expect(discord.breaches).toEqual([]);
  });

  it('is not foreign when the bot is in it', async () => {
    expect(await ask(first().id)).toBe(false);
  });

  it('is neither while it has an outage', async () => {
    discord.guildEvents.outage(first());
    await expect(ask(first().id)).rejects.toThrow();
  });

  it.each([500, 502, 503, 504, 401, 400, 429])('is neither when the answer is %i', async (status) => {
    discord.faults.inject({ fault: { kind: 'status', status }, times: 5 });
    const removed = first();
    discord.guildEvents.remove(removed);
    await expect(isForeign(impatient(), removed.id)).rejects.toThrow();
  });

  it('is neither when Discord refuses the bot, a proxy answers, or something else comes', async () => {
    const answers = [
      new DiscordAPIError({ code: 40333, message: 'internal network error' }, 40333, 403, 'GET', '', {}),
      // A page of HTML has no code.
      new DiscordAPIError({ code: 0, message: 'x' }, undefined as unknown as number, 403, 'GET', '', {}),
      new Error('connect ECONNREFUSED'),
    ];
    for (const answer of answers)
      await expect(isForeign({ get: () => Promise.reject(answer) }, '1')).rejects.toThrow();
    for (const body of [undefined, [], { id: '2' }, 'x'])
      await expect(isForeign({ get: async () => body }, '1')).rejects.toThrow(/Discord/);
  });
});

describe("the stand-in's answers", () => {
  it("are of the shape that Discord's published schema gives them", async () => {
    const shapeOf = async (path: `/${string}`, schema: $ZodType) =>
      expect(safeParse(schema, await rest.get(path)).error?.issues).toBeUndefined();
    const [{ id } = { id: '' }] = discord.guilds;
    await shapeOf(`/guilds/${id}`, GuildWithCountsResponseSchema);
    await shapeOf('/users/@me/guilds', array(MyGuildResponseSchema));
    await shapeOf('/applications/@me', PrivateApplicationResponseSchema);
  });
});

/** A client that does not wait until a rate limit is over. */
const impatient = () =>
  new REST({ api: discord.apiUrl, retries: 0, rejectOnRateLimit: () => true }).setToken(TOKEN);

function page(first: number, count: number): readonly object[] {
  return Array.from({ length: count }, (_, i) => ({ id: String(10_000 + first + i) }));
}
