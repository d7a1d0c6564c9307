import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../sandbox/discord/rest/faults.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createChannelPosts } from '../../src/discord/channel-posts.ts';
import { createGuildLog, type LogChannel } from '../../src/guild-log/guild-log.ts';
import type { Outcome } from '../../src/listing/contract.ts';
import type { Translate } from '../../src/words/words.ts';
import { createWords } from '../../src/words/words.ts';
import { createTestClock, recorder } from '../support/machine.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

const FAILED: Fault = { kind: 'status', status: 500 };
const MINUTE_MS = 60_000;
const RED = 0xed4245;

interface Posted {
  readonly content?: string;
  readonly embeds: readonly { readonly description: string; readonly color?: number }[];
  readonly nonce: string;
  readonly enforce_nonce: boolean;
  readonly allowed_mentions: object;
}

/** `locale` is Discord's name for the guild's language. */
type Channel = Partial<LogChannel> & { readonly locale?: string };

/** Creates a guild log. Its channel fails once with each fault, and then works. */
async function open(answers: readonly Fault[] = [], { locale = 'en-US', ...channel }: Channel = {}) {
  const discord = await startDiscord({ token: TOKEN });
  for (const fault of answers) discord.faults.inject({ fault });
  const { channelId } = discord.guilds[0] ?? expect.fail();
  const logger = recorder();
  const api = openApi(discord.apiUrl, { logger });
  const state: { channel: LogChannel | undefined; isBroken: boolean } = {
    channel: { channelId, trouble: undefined, notifyRoleId: undefined, ...channel },
    isBroken: false,
  };
  const posts = createChannelPosts({ api, logger });
  const log = createGuildLog({
    guildWords: async () => createWords().wordsFor(locale),
    posts,
    async channelOf() {
      if (state.isBroken) throw new Error('the store is down');
      return state.channel;
    },
    async setTrouble(_guildId, _channelId, trouble) {
      if (state.channel) state.channel = { ...state.channel, trouble };
    },
    logger,
    collectMs: 20,
    messageGapMs: 20,
  });
  onTestFinished(async () => {
    await log.flush();
    await discord.close();
  });
  const posted = () => discord.requests.map(({ body }) => JSON.parse(body) as Posted);
  const texts = () => posted().map(({ embeds }) => embeds[0]?.description);
  const tell = (line: string | ((t: Translate) => string), kind?: Outcome['kind'], guildId = '1') =>
    log.add(guildId, (t) => (typeof line === 'string' ? line : line(t)), kind);
  const change = (name: string, line: string) =>
    log.change(
      '1',
      () => `${name}:`,
      () => line,
    );
  const messages = () => discord.messages({ channelId });
  const shown = () => messages().map(({ current }) => current.embeds[0]?.description ?? current.content);
  return { ...log, tell, change, posts, discord, logger, channelId, state, posted, texts, messages, shown };
}

describe("a guild's log", () => {
  it('combines lines that are logged at the same time into one message', async () => {
    const { tell, texts, discord, state } = await open();
    await tell('one');
    await tell('two');
    await expect.poll(texts).toEqual(['one\ntwo']);
    // The bot doesn't request the guild or the channel, because Discord has returned error 10004 for guilds that exist.
    const path = `/api/v10/channels/${state.channel?.channelId}/messages`;
    expect(discord.requests).toMatchObject([{ method: 'POST', path }]);
    await tell('three');
    await expect.poll(texts).toEqual(['one\ntwo', 'three']);
  });

  it("shows how many lines didn't fit", async () => {
    const { tell, flush, texts } = await open();
    for (let n = 0; n < 100; n += 1) await tell(`${'x'.repeat(300)}${n}`);
    await flush();
    const [text = ''] = texts();
    expect(texts()).toHaveLength(1);
    const shown = text.split('\n').filter((line) => line.includes('xxx')).length;
    expect(shown).toBeGreaterThan(5);
    expect(text).toContain(`${100 - shown}`);
    expect(text.length).toBeLessThanOrEqual(4_096);
  });

  it("uses the guild's language and the colour of the worst outcome", async () => {
    const { tell, flush, posted } = await open([], { locale: 'de' });
    for (const kind of ['unknown', 'rejected', 'accepted', undefined] as const)
      await tell((t) => t('pager.next'), kind);
    await flush();
    await tell('a line');
    await flush();
    const [coloured, plain] = posted();
    expect(coloured?.embeds).toMatchObject([{ description: expect.stringContaining('Weiter'), color: RED }]);
    expect(plain?.embeds).toEqual([{ description: 'a line' }]);
  });

  it('shows an alert in red and mentions the role to notify', async () => {
    const { tell, alert, posted } = await open([], { notifyRoleId: '7' });
    await tell('a line');
    await alert('1', () => ({ text: 'act!', details: 'why' }));
    await expect.poll(posted).toHaveLength(1);
    await tell('another');
    await expect.poll(posted).toHaveLength(2);
    const [alerted, plain] = posted();
    expect(alerted?.content).toBe('<@&7>\nact!');
    expect(alerted?.embeds).toMatchObject([{ color: RED, description: 'why\n\na line' }]);
    expect(alerted?.allowed_mentions).toEqual({ parse: [], roles: ['7'] });
    expect(plain?.content).toBeUndefined();
    expect(plain?.allowed_mentions).toEqual({ parse: [] });
  });

  it('shows an alert without details as plain text', async () => {
    const { alert, posted } = await open();
    await alert('1', () => ({ text: 'act!', details: '' }));
    await expect.poll(posted).toHaveLength(1);
    expect(posted()).toMatchObject([{ content: 'act!', embeds: [] }]);
  });

  it("combines a member's changes within a minute into one message", async () => {
    const clock = createTestClock();
    const { change, shown, messages, discord } = await open();
    await change('mia', 'one');
    await change('mia', 'two');
    await expect.poll(shown).toEqual(['mia:\none\ntwo']);
    await change('mia', 'three');
    await expect.poll(shown).toEqual(['mia:\none\ntwo\nthree']);
    clock.advance(MINUTE_MS);
    await change('mia', 'four');
    await expect.poll(shown).toEqual(['mia:\none\ntwo\nthree', 'mia:\nfour']);
    const [, last] = messages();
    if (last) discord.deleteMessage(last);
    await change('mia', 'five');
    await expect.poll(shown).toEqual(['mia:\none\ntwo\nthree', 'mia:\nfive']);
    await change('mia', 'x'.repeat(4_000));
    await expect.poll(shown).toHaveLength(3);
  });

  it.each<[what: string, post: (opened: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    ['a change by another member', ({ change }) => change('ann', 'other')],
    ['an ordinary line', ({ tell }) => tell('other')],
    ['an alert', ({ alert }) => alert('1', () => ({ text: 'other', details: '' }))],
    ['another message', ({ posts, channelId }) => posts.put(channelId, { content: 'other' })],
  ])('posts a change as a new message after %s', async (_what, post) => {
    const opened = await open();
    const { change, shown } = opened;
    await change('mia', 'one');
    await expect.poll(shown).toHaveLength(1);
    await post(opened);
    await expect.poll(shown).toHaveLength(2);
    await change('mia', 'two');
    await expect.poll(shown).toEqual(['mia:\none', expect.stringContaining('other'), 'mia:\ntwo']);
  });

  it('resends a failed message up to twice, with the same nonce', async () => {
    const { tell, state, posted, texts } = await open([FAILED, FAILED, FAILED]);
    await tell('first');
    await expect.poll(() => texts().length).toBeGreaterThan(0);
    await tell('second');
    await expect.poll(texts).toEqual(['first', 'first', 'first', 'second']);
    const nonces = posted().map(({ nonce }) => nonce);
    expect(new Set(nonces.slice(0, 3)).size).toBe(1);
    expect(nonces[3]).not.toBe(nonces[0]);
    expect(posted().every((message) => message.enforce_nonce)).toBe(true);
    expect(state.channel?.trouble).toBeUndefined();
  });

  it.each([
    [10003, 'gone'],
    [10004, 'gone'],
    [50001, 'no-access'],
    [50013, 'no-permission'],
  ])('pauses for ten minutes after error %i', async (code, trouble) => {
    const clock = createTestClock();
    const { tell, flush, state, texts } = await open([
      { kind: 'status', status: 403, body: { code, message: 'No' } },
    ]);
    await tell('lost');
    await flush();
    expect(state.channel?.trouble).toBe(trouble);
    clock.advance(9 * MINUTE_MS);
    await tell('not even tried');
    await flush();
    clock.advance(MINUTE_MS);
    await tell('tried again');
    await flush();
    expect(texts()).toEqual(['lost', 'tried again']);
    expect(state.channel?.trouble).toBeUndefined();
  });

  it('posts the remaining lines in a final message when turned off', async () => {
    const { tell, farewell, flush, state, channelId, texts } = await open();
    await tell('a new key');
    state.channel = undefined;
    await tell('nowhere to go');
    await farewell('1', channelId, () => 'off');
    await flush();
    expect(texts()).toEqual(['a new key\noff']);
  });

  it("doesn't post messages if there is no channel or the settings are unreadable", async () => {
    const { tell, flush, state, discord, logger } = await open();
    state.channel = undefined;
    await tell('nowhere to go');
    state.isBroken = true;
    await tell('lost');
    await flush();
    expect(discord.requests).toEqual([]);
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn']);
  });
});
