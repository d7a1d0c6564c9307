import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ChannelMessage,
  createGuildLog,
  type LogTrouble,
  type PostResult,
} from '../../src/discord/guild-log.ts';
import { LOOK } from '../../src/words/outcome.ts';
import { createWords } from '../../src/words/words.ts';
import { recorder } from '../storage/temporary.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(answers: readonly PostResult[] = [], { isHeld = false } = {}) {
  const held = Promise.withResolvers<void>();
  if (!isHeld) held.resolve();
  const posted: string[] = [];
  const messages: ChannelMessage[] = [];
  const state: { trouble: LogTrouble | undefined; place: boolean; broken: boolean } = {
    trouble: undefined,
    place: true,
    broken: false,
  };
  const left = [...answers];
  const log = createGuildLog({
    ...createWords(),
    posts: {
      async post(_channelId: string, message: ChannelMessage) {
        messages.push(message);
        await held.promise;
        const result = left.shift() ?? 'posted';
        posted.push(`${result}: ${message.embed.description}`);
        return result;
      },
    },
    async channelOf() {
      if (state.broken) throw new Error('the store is down');
      return state.place ? { channelId: '10', locale: 'de', trouble: state.trouble, roleId: '7' } : undefined;
    },
    async setTrouble(_guildId, _channelId, trouble) {
      state.trouble = trouble;
    },
    logger: recorder(),
  });
  return { log, posted, messages, state, held };
}

describe('the log of a guild', () => {
  it('collects what comes within a second, and posts at most one message in five', async () => {
    const { log, posted } = setUp();
    await log.tell('1', () => 'one');
    await log.tell('1', () => 'two');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(posted).toEqual(['posted: one\ntwo']);
    await log.tell('1', () => 'three');
    await vi.advanceTimersByTimeAsync(4_900);
    expect(posted).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(posted[1]).toBe('posted: three');
    await vi.advanceTimersByTimeAsync(60_000);
    await log.tell('1', () => 'four');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(posted[2]).toBe('posted: four');
  });

  it('says a line once that came often, counts what there is no room for, and speaks the guild’s language', async () => {
    const { log, posted } = setUp();
    for (let n = 0; n < 3; n += 1) await log.tell('1', (t) => t('pager.next'));
    for (let n = 0; n < 100; n += 1) await log.tell('1', () => `${'x'.repeat(300)}${n}`);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(posted).toHaveLength(1);
    expect(posted[0]).toContain('Weiter (3-mal)');
    expect(posted[0]).toMatch(/… und \d+ weitere Einträge\.$/);
    const shown = posted[0]?.split('\n').filter((line) => line.includes('xxx')).length ?? 0;
    expect(posted[0]).toContain(`und ${100 - shown} weitere`);
    expect(posted[0]?.length).toBeLessThan(4_096);
  });

  it('says an alert in red above all lines, and mentions the role there alone', async () => {
    const { log, messages } = setUp(['failed']);
    await log.tell('1', () => 'a line');
    await log.alert('1', () => ({ text: 'act!', details: 'why' }));
    await vi.advanceTimersByTimeAsync(1_000);
    const alert = {
      nonce: expect.any(String),
      content: '<@&7>\nact!',
      embed: { color: 0xed4245, description: 'why\n\na line' },
      roleId: '7',
    };
    expect(messages).toEqual([alert]);
    await log.tell('1', () => 'another');
    await vi.advanceTimersByTimeAsync(5_000);
    // It may be there already: what is said twice is the same message to Discord, and says the same.
    expect(messages[1]).toEqual(messages[0]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(messages[2]).toEqual({ nonce: expect.any(String), embed: { description: 'another' } });
    expect(messages[2]?.nonce).not.toBe(messages[1]?.nonce);
    await vi.advanceTimersByTimeAsync(60_000);
    await log.alert('1', () => ({ text: 'act!', details: 'why' }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(messages[3]).toEqual({ ...alert, embed: { color: 0xed4245, description: 'why' } });
  });

  it('has the colour of the gravest outcome that its lines are about, and none without', async () => {
    const { log, messages } = setUp();
    const colourOf = async (...kinds: (keyof typeof LOOK | undefined)[]) => {
      for (const kind of kinds) await log.tell('1', () => `about ${kind}`, kind);
      await vi.advanceTimersByTimeAsync(60_000);
      return messages.at(-1)?.embed.color;
    };
    expect(await colourOf(undefined)).toBeUndefined();
    expect(await colourOf('accepted', undefined)).toBe(LOOK.accepted.color);
    expect(await colourOf('accepted', 'not-sent')).toBe(LOOK['not-sent'].color);
    expect(await colourOf('unknown', 'rejected', 'accepted')).toBe(LOOK.rejected.color);
  });

  it('notes a channel that refuses, leaves it alone for ten minutes, and notes that it works again', async () => {
    const { log, posted, state } = setUp(['no-permission']);
    await log.tell('1', () => 'lost');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.trouble).toBe('no-permission');
    await log.tell('1', () => 'not even tried');
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(posted).toHaveLength(1);
    await log.tell('1', () => 'tried again');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(posted[1]).toBe('posted: tried again');
    expect(state.trouble).toBeUndefined();
  });

  it('tries again what Discord could not take for a moment, three times in all', async () => {
    const { log, posted, state } = setUp(['failed', 'failed', 'failed']);
    await log.tell('1', () => 'first');
    await vi.advanceTimersByTimeAsync(1_000);
    await log.tell('1', () => 'second');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(posted).toEqual(['failed: first', 'failed: first', 'failed: first', 'posted: second']);
    expect(state.trouble).toBeUndefined();
  });

  it('never throws, and does without what cannot be told', async () => {
    const { log, posted, state } = setUp();
    state.broken = true;
    await log.tell('1', () => 'lost');
    state.broken = false;
    state.place = false;
    await log.tell('1', () => 'nowhere to go');
    await log.flush();
    expect(posted).toEqual([]);
  });

  it('posts what waits when the bot stops', async () => {
    const { log, posted } = setUp();
    await log.tell('1', () => 'one');
    await log.tell('2', () => 'two');
    await log.flush();
    expect(posted).toEqual(['posted: one', 'posted: two']);
  });

  it('waits for what is on its way when the bot stops, and then posts what has come since', async () => {
    const { log, posted, held } = setUp([], { isHeld: true });
    await log.tell('1', () => 'one');
    await vi.advanceTimersByTimeAsync(1_000);
    await log.tell('1', () => 'two');
    const flushed = log.flush();
    held.resolve();
    await flushed;
    expect(posted).toEqual(['posted: one', 'posted: two']);
  });
});
