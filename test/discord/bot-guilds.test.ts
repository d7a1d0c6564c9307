import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { isForeign, listGuilds } from '../../src/discord/bot-guilds.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

/** A Discord with two guilds, and the bot's requests to it. */
async function open() {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  return {
    discord,
    api: openApi(discord.apiUrl),
    ids: () => discord.guilds.map(({ id }) => id),
    pages: () => discord.requests.filter(({ path }) => path.includes('/guilds?')).length,
    add(count: number) {
      for (let n = 0; n < count; n += 1) discord.guildEvents.add({ name: `Guild ${n}` });
    },
    /** From now on Discord answers so, or so often. */
    answer: (status: number, body: unknown, times = Number.POSITIVE_INFINITY) =>
      discord.faults.inject({ fault: { kind: 'status', status, body }, times }),
  };
}

describe('the list of guilds', () => {
  it.each([2, 199, 200, 201, 450])('is whole with %i guilds', async (count) => {
    const { api, ids, add } = await open();
    add(count - 2);
    expect(await listGuilds(api)).toEqual(ids());
    expect(ids()).toHaveLength(count);
  });

  it.each([1, 199])('is whole when no page has more than %i guilds', async (most) => {
    const { discord, api, ids, add } = await open();
    add(most + 2);
    discord.guildEvents.shortenPages(most);
    expect(await listGuilds(api)).toEqual(ids());
  });

  it('has guilds that have an outage, and none of which the bot is no member', async () => {
    const { discord, api } = await open();
    const [first, second] = discord.guilds;
    if (!first || !second) throw new Error('the stand-in has two guilds');
    discord.guildEvents.outage(first);
    discord.guildEvents.remove(second);
    discord.guildEvents.add({ name: 'Commands only', bot: false });
    expect(await listGuilds(api)).toEqual([first.id]);
  });

  it('is an error when one of its pages fails', async () => {
    const { discord, api, answer } = await open();
    answer(200, [{ id: '1' }], 1);
    answer(500, {});
    await expect(listGuilds(api)).rejects.toMatchObject({ status: 500 });
    expect(discord.requests).toHaveLength(2);
  });

  it('is given up at once when nobody wants it any more', async () => {
    const { discord, api, pages } = await open();
    const stopping = new AbortController();
    discord.faults.inject({ fault: { kind: 'hang' } });
    const list = listGuilds(api, stopping.signal);
    await expect.poll(pages).toBe(1);
    stopping.abort();
    await expect(list).rejects.toThrow('abort');
    expect(pages()).toBe(1);
  });

  it.each([
    ['no list', { message: 'odd' }],
    ['something else in it', [{ id: '1' }, null]],
    ['an odd id', [{ id: 'x' }]],
    ['the same page again', [{ id: '1' }]],
    ['another order', [{ id: '2' }, { id: '1' }]],
  ])('is an error when Discord sends %s', async (_what, page) => {
    const { api, answer } = await open();
    answer(200, page);
    await expect(listGuilds(api)).rejects.toThrow(/^Discord/);
  });
});

describe('a guild that Discord is asked about', () => {
  it('is foreign when the bot was removed, never was there, or has the commands alone there', async () => {
    const { discord, api } = await open();
    const [removed, present] = discord.guilds;
    if (!removed || !present) throw new Error('the stand-in has two guilds');
    discord.guildEvents.remove(removed);
    const { id } = discord.guildEvents.add({ name: 'Commands only', bot: false });
    for (const foreign of [removed.id, '123456789012345678', id]) {
      expect(await isForeign(api, foreign)).toBe(true);
    }
    expect(await isForeign(api, present.id)).toBe(false);
    expect(discord.breaches).toEqual([]);
  });

  it.each<[string, number, unknown]>([
    ['it has an outage', 503, { code: 0 }],
    ['the bot is refused', 403, { code: 40333, message: 'internal network error' }],
    ['the token is refused', 401, { code: 0, message: '401: Unauthorized' }],
    ['a proxy refuses it', 403, 'Forbidden'],
  ])('is neither foreign nor its own when %s', async (_what, status, body) => {
    const { api, answer } = await open();
    answer(status, body);
    await expect(isForeign(api, '1')).rejects.toThrow();
  });
});
