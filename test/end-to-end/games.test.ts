import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inAppScene, inNewGuild, openAppScene, type Scene, setKey, textOf } from '../support/bot.ts';
import { createTestClock } from '../support/machine.ts';
import { addServer, allowGames, paste, pressSubmit } from '../support/people.ts';

describe('/games', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openAppScene();
  });
  afterAll(() => scene.close());

  it('shows the twelve usual games, marked as such, before the service was ever asked', async () => {
    const said = textOf(await scene.member.slash('games'));
    expect(said).toContain('12 games');
    expect(said).toContain("hasn't loaded the listing service's own list yet");
    expect(scene.listing.requests).toEqual([]);
  });

  it('shows the service’s list in pages once a key is there, and how old it is', async () => {
    await setKey(scene.admin, 'sandbox-key');
    const answer = await scene.member.slash('games');
    expect(textOf(answer)).toMatch(/From the listing service, updated.*Page 1 of \d/s);
    expect(textOf(await scene.member.press(answer, 'Next'))).toMatch(/Page 2 of \d/);
    expect(textOf(await scene.member.press(answer, 'Previous'))).toMatch(/Page 1 of \d/);
  });

  it('finds games by a part of their name, over a restart too, and says so when there is none', async () => {
    const found = await scene.member.slash('games', { search: 'a' });
    expect(textOf(found)).toContain('games match “a”');
    const none = textOf(await scene.member.slash('games', { search: '**nothing**' }));
    expect(none).toContain('No game matches “**nothing**”');
    const reads = scene.listing.requests.length;
    await scene.restart();
    expect(textOf(await scene.member.press(found, 'Next'))).toMatch(/match “a”.*Page 2 of \d/s);
    expect(scene.listing.requests).toHaveLength(reads);
  });

  it('shows what the guild allows, and names what else fits to the search', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    await allowGames(own, ['css', 'dayz']);
    const search = async (text: string) => textOf(await own.member.slash('games', { search: text }));
    expect(textOf(await own.member.slash('games'))).toMatch(
      /2 games.*Not allowed in this Discord server: .* more\./s,
    );
    const refused = await search('minecraft');
    expect(refused).toMatch(
      /Not allowed in this Discord server: Minecraft, .*2 games.*Counter-Strike: Source.*DayZ/s,
    );
    expect(refused.match(/Not allowed/g)).toHaveLength(1);
    expect(await search('cs')).toMatch(/1 game matches.*Source.*Not allowed.*: Counter-Strike 2/s);
    expect(await search('zzzzzz')).toContain('No game matches');
  });

  it('has the list from the start with the operator’s key, and keeps an old one when it cannot be read again', () => {
    const clock = createTestClock();
    const env = { LISTING_API_KEY: 'sandbox-key', GAMES_TTL_SECONDS: '30' };
    return inAppScene({ env }, async (own) => {
      const list = async () => textOf(await own.member.slash('games'));
      await expect.poll(list).toContain('From the listing service');
      await own.listing.behave({ kind: 'down' });
      clock.advance(31_000);
      expect(await list()).toMatch(/newer list couldn't be loaded yet.*Page 1 of \d/s);
    });
  });
});

it('the games that are suggested begin with those that this guild submits most, over a restart too, in every command', () =>
  inAppScene({ key: 'sandbox-key' }, async (scene) => {
    const { member } = scene;
    const OPTIONS = { addserver: 'game', addservers: 'game', games: 'search' } as const;
    /** The aliases that are suggested while nothing is typed. */
    async function suggested(command: keyof typeof OPTIONS = 'addserver'): Promise<string[]> {
      const choices = await member.complete(command, OPTIONS[command], { [OPTIONS[command]]: '' });
      return choices === 'lost' ? [] : choices.map(({ value }) => String(value));
    }
    let port = 0;
    const add = (game: string) => addServer(member, `play.example.com:${++port}`, { game });

    const usual = await suggested();
    await add('rust');
    await pressSubmit(member, await paste(member, 'a.example.com:1 factorio\nb.example.com:2 factorio'));
    await scene.listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } }, 3);
    for (let n = 0; n < 3; n += 1) await add('cs2');
    const now = ['factorio', 'rust', ...usual.filter((alias) => !['factorio', 'rust'].includes(alias))];
    for (const command of ['addserver', 'addservers', 'games'] as const)
      await expect.poll(() => suggested(command)).toEqual(now.slice(0, 25));
    await scene.restart();
    await expect.poll(() => suggested()).toEqual(now.slice(0, 25));
    await add('rust');
    await add('rust');
    await expect.poll(async () => (await suggested()).slice(0, 2)).toEqual(['rust', 'factorio']);
  }));
