import { describe, expect } from 'vitest';
import { botTest, messageOf, oneBot, ownBotTest, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { createTestClock } from '../support/machine.ts';
import { addServer, allowGames, paste, pressSubmit } from '../support/people.ts';

const it = botTest();
/** For tests that change the list of games, which all of a bot's guilds share. */
const ownIt = ownBotTest({ key: null });

/** Returns the reply to /games, with or without a search. */
const gamesOf = async ({ member }: Pick<TestGuild, 'member'>, search?: string) =>
  textOf(await member.slash('games', search === undefined ? {} : { search }));

describe('/games', () => {
  ownIt(
    "shows twelve built-in games until the service's list has been loaded",
    async ({ guild, listing }) => {
      const said = await gamesOf(guild);
      expect(said).toContain('12 games');
      expect(said).toContain("hasn't loaded the listing service's own list yet");
      expect(listing.requests).toEqual([]);
    },
  );

  ownIt("shows the service's list on several pages after a key has been set", async ({ admin, member }) => {
    await setKey(admin, 'sandbox-key');
    const answer = await member.slash('games');
    expect(textOf(answer)).toMatch(/From the listing service, updated.*Page 1 of \d/s);
    // Some clients don't show small text in embeds.
    expect(JSON.stringify(messageOf(answer).current?.embeds)).not.toContain('-# ');
    expect(textOf(await member.press(answer, 'Next'))).toMatch(/Page 2 of \d/);
    expect(textOf(await member.press(answer, 'Previous'))).toMatch(/Page 1 of \d/);
  });

  it('finds games by any part of the name', async ({ guild }) => {
    expect(await gamesOf(guild, 'a')).toContain('results for “a”');
    expect(await gamesOf(guild, '**nothing**')).toContain('No games match “**nothing**”');
  });

  it("also lists matching games that aren't allowed", async ({ guild }) => {
    await allowGames(guild, ['css', 'dayz']);
    expect(await gamesOf(guild)).toMatch(/2 games.*Not allowed in this Discord server: .* more\./s);
    const refused = await gamesOf(guild, 'minecraft');
    expect(refused.match(/Not allowed/g)).toHaveLength(1);
    expect(refused).toMatch(
      /Not allowed in this Discord server: Minecraft, .*2 games.*Counter-Strike: Source.*DayZ/s,
    );
    expect(await gamesOf(guild, 'cs')).toMatch(/1 result for .*Source.*Not allowed.*: Counter-Strike 2/s);
    const none = await guild.member.slash('games', { search: 'zzzzzz' });
    expect(textOf(none)).toContain('No games match');
    expect(textOf(await guild.member.press(none, 'Show all'))).toMatch(/\d+ games/);
  });

  it("retries a failed fetch of the service's list before replying", async () => {
    let isDown = true;
    const bot = await oneBot({
      env: { LISTING_API_KEY: 'sandbox-key' },
      listing: { onRequest: () => (isDown ? { kind: 'status', status: 503 } : undefined) },
    });
    const guild = await bot.newGuild();
    expect(await gamesOf(guild)).toContain('12 games');
    isDown = false;
    expect(await gamesOf(guild)).toContain('From the listing service');
  });

  it('shows the last fetched list with a warning during an outage', async () => {
    const clock = createTestClock();
    const bot = await oneBot({ env: { LISTING_API_KEY: 'sandbox-key', GAMES_TTL_SECONDS: '30' } });
    const guild = await bot.newGuild();
    await expect.poll(() => gamesOf(guild)).toContain('From the listing service');
    await bot.listing.behave({ kind: 'down' });
    clock.advance(31_000);
    expect(await gamesOf(guild)).toMatch(/list may be out of date.*Page 1 of \d/s);
  });
});

it("autocompletion starts with the guild's most frequently submitted games", async ({
  bot,
  member,
  listing,
}) => {
  const OPTIONS = { addserver: 'game', addservers: 'game', games: 'search' } as const;
  /** Returns the aliases suggested for an empty input. */
  async function suggested(command: keyof typeof OPTIONS = 'addserver'): Promise<string[]> {
    const choices = await member.complete(command, OPTIONS[command], { [OPTIONS[command]]: '' });
    return choices === 'lost' ? [] : choices.map(({ value }) => String(value));
  }
  let port = 0;
  const add = (game: string) => addServer(member, `play.example.com:${++port}`, { game });

  const usual = await suggested();
  await add('rust');
  await pressSubmit(member, await paste(member, 'a.example.com:1 factorio\nb.example.com:2 factorio'));
  await listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } }, 3);
  for (let n = 0; n < 3; n += 1) await add('cs2');
  const now = ['factorio', 'rust', ...usual.filter((alias) => !['factorio', 'rust'].includes(alias))];
  for (const command of ['addserver', 'addservers', 'games'] as const)
    await expect.poll(() => suggested(command)).toEqual(now.slice(0, 25));
  await bot.restart();
  await expect.poll(() => suggested()).toEqual(now.slice(0, 25));
  await add('rust');
  await add('rust');
  await expect.poll(async () => (await suggested()).slice(0, 2)).toEqual(['rust', 'factorio']);
});
