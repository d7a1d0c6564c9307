import { describe, expect } from 'vitest';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import { messageIn, ownBotTest, type TestGuild, textOf } from '../support/bot.ts';
import {
  addServer,
  chooseLogChannel,
  labelsOf,
  logLines,
  openSetting,
  openSettings,
  paste,
  pressSetting,
  pressSubmit,
} from '../support/people.ts';
import { rendered } from '../words/rendered.ts';

/*
 * `escape.test.ts` covers how text is escaped. These tests check that the bot escapes all text from others in its messages.
 */

const MASKED = '[a] [Staff login](https://evil.example/x)';
/** Markup that the bot's own sentences contain. */
const OURS = /^(?:strong|inlineCode|blockQuote|slashCommand|user|channel|timestamp|subtext|list)$/;

/** Returns the markup in the bot's messages that isn't the bot's own. */
function foreign({ discord }: Pick<TestGuild, 'discord'>): readonly string[] {
  const texts = discord.requests
    .filter(({ path }) => /\/(?:callback|messages|webhooks)/.test(path))
    .flatMap(({ body }) => textsOf(messageIn(body)));
  expect(texts.length).toBeGreaterThan(0);
  return texts.flatMap((text) => rendered(text).active.filter((kind) => !OURS.test(kind)));
}

/** Returns every string in which Discord renders markup. */
function textsOf(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(textsOf);
  return Object.entries(Object(body)).flatMap(([name, value]) => {
    if (['content', 'title', 'description', 'name', 'value'].includes(name) && typeof value === 'string')
      return [value];
    return typeof value === 'object' && name !== 'components' ? textsOf(value) : [];
  });
}

const hostile = [
  MASKED,
  '🎮'.repeat(100),
  '👨‍👩‍👧'.repeat(20),
  '# discord.gg/evil @everyone <@123456789012345678> `x` **b** ||s|| :smile: -# 1.',
  '\u202eReversed\u2066 <id:browse> <t:1:R>',
  '` `` ``` \\',
  '['.repeat(100),
].map((name, index) => ({ name, alias: `evil${index}` }));

const it = ownBotTest();
const games = [...SANDBOX_GAMES, ...hostile, { name: 'Backtick', alias: 'a`b' }];
const gamesIt = ownBotTest({ listing: { games } });

describe('markup from untrusted sources', () => {
  gamesIt("isn't rendered in a game's name", async ({ guild, admin, member }) => {
    await chooseLogChannel(guild);
    await pressSetting(guild, 'Announcements', 'Announce submissions');
    let page = await member.slash('games');
    while (textOf(page).includes('[ Next ]')) page = await member.press(page, 'Next');
    const search = '🎮'.repeat(60);
    expect(textOf(await member.slash('games', { search }))).toContain('🎮'.repeat(30));
    expect(await member.complete('addserver', 'game', { game: '🎮' })).not.toBe('lost');

    for (const { name, alias } of hostile) {
      const said = await addServer(member, `${alias}.example.com:1`, { game: alias });
      expect(textOf(said)).toContain('Servers have been added for review.');
      await addServer(member, 'x.example.com:1', { game: `${name.slice(0, 8)}zzz` });
      await addServer(member, 'x.example.com:1', { game: name.slice(0, 100) });
    }
    await expect.poll(() => logLines(guild).length).toBeGreaterThanOrEqual(hostile.length);

    const choose = await openSetting(guild, 'Games');
    for (let n = 1; n < 3; n += 1) await admin.press(choose, 'Next');
    const aliases = hostile.map(({ alias }) => alias);
    expect(textOf(await admin.pick(choose, aliases))).toContain('Games: only [a]');
    expect(textOf(await openSettings(guild))).toMatch(/Games: only .* 5 more/);

    const list = 'server,port,game\na.example.com,1,\nb.example.com,2,`[x] Staff **login';
    const preview = await paste(member, list, { game: MASKED.slice(0, 20) });
    expect(textOf(preview)).toContain('2 lines need fixing');
    const picked = await member.pick(preview, ['evil0']);
    expect(textOf(picked)).toContain('1 game server is ready');
    const suggested = labelsOf(picked).find((label) => label.startsWith('Use ')) ?? '';
    expect(textOf(await member.press(picked, suggested))).toContain('2 game servers are ready');
    expect(foreign(guild)).toEqual([]);
  });

  it.for([
    [MASKED, 'success'],
    ['discord.gg/evil \u202e# x\n# big\n-# small\n> q\n- a\n1. b `open **bold ||s|| @everyone', 'error'],
  ] as const)("isn't rendered in the service's messages (%j)", async ([message, status], {
    guild,
    admin,
    member,
    discord,
    listing,
  }) => {
    await chooseLogChannel(guild);
    await pressSetting(guild, 'Announcements', 'Announce submissions');
    await listing.behave({ kind: 'json', status: 200, body: { status, message } });
    const words = message.replace(/\s+/g, ' ').replace('\u202e', '');
    expect(textOf(await addServer(member, 'play.example.com:1'))).toContain(words);
    const report = await pressSubmit(
      member,
      await paste(member, 'a.example.com:1 cs2\nb.example.com:2 rust'),
    );
    expect(textOf(report)).toContain(words);
    await admin.press(await admin.slash('keystatus'), 'Check now');
    await admin.slash('submissions');
    await expect.poll(() => logLines(guild).length).toBeGreaterThan(0);
    expect(foreign(guild)).toEqual([]);
    const sent = discord.requests.filter(({ body }) => body.includes('evil'));
    for (const { body } of sent) expect(body).toContain('"allowed_mentions":{"parse":[]}');
  });
});
