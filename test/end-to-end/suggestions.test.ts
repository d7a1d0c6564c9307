import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import { inNewGuild, messageOf, modalOf, openAppScene, type Scene, textOf } from '../support/scene.ts';

/** One bot for all tests, and a guild of its own for each. */
let bot: Scene;
beforeAll(async () => {
  bot = await openAppScene();
});
afterAll(() => bot.close());

const OPTIONS = { addserver: 'game', addservers: 'game', games: 'search' } as const;

/** The aliases that are suggested. */
async function suggested(who: Person, command: keyof typeof OPTIONS = 'addserver', typed = '') {
  const option = OPTIONS[command];
  const choices = await who.complete(command, option, { [option]: typed });
  return choices === 'lost' ? [] : choices.map(({ value }) => String(value));
}

let port = 1000;
async function submit(who: Person, game: string, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    port += 1;
    await who.slash('addserver', { game, server: `play.example.com:${port}` });
  }
}

async function allow(admin: Person, games: readonly string[]): Promise<void> {
  bot.discord.clock.advance(1_000);
  const page = messageOf(await admin.press(messageOf(await admin.slash('settings')), 'Games …'));
  await admin.pick(page, games);
}

describe('with nothing typed', () => {
  it('those games are suggested first that this Discord server submits most, by every command', async () => {
    const { member } = await inNewGuild(bot, { key: 'sandbox-key' });
    const usual = await suggested(member);
    const [, , third = '', , fifth = ''] = usual;
    await submit(member, third);
    await submit(member, fifth, 2);
    const others = usual.filter((alias) => alias !== third && alias !== fifth);
    for (const command of ['addserver', 'addservers', 'games'] as const) {
      const now = await suggested(member, command);
      expect(now).toEqual([fifth, third, ...others]);
      expect(now).toHaveLength(25);
    }
    const elsewhere = await inNewGuild(bot, { key: 'sandbox-key' });
    expect(await suggested(elsewhere.member)).toEqual(usual);
  });

  it('a list counts with all of its servers, and what was refused does not count', async () => {
    const { member } = await inNewGuild(bot, { key: 'sandbox-key' });
    await submit(member, 'cs2', 2);
    const modal = modalOf(await member.slash('addservers'));
    const servers = [1, 2, 3].map((each) => `play.example.com:${40_000 + each} factorio`).join('\n');
    await member.press(messageOf(await member.submit(modal, { servers })), 'Submit 3 game servers');
    await bot.listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } });
    await submit(member, 'rust', 4);
    await bot.listing.behave({ kind: 'ok' });
    expect((await suggested(member)).slice(0, 2)).toEqual(['factorio', 'cs2']);
  });

  it('it is so after a restart', async () => {
    const { member } = await inNewGuild(bot, { key: 'sandbox-key' });
    const usual = await suggested(member);
    await submit(member, 'factorio', 2);
    await submit(member, 'rust', 3);
    await bot.listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } });
    await submit(member, 'cs2', 4);
    await bot.listing.behave({ kind: 'ok' });
    await bot.restart();
    // The first answer does not wait for the store.
    expect([usual.slice(0, 2), ['rust', 'factorio']]).toContainEqual((await suggested(member)).slice(0, 2));
    await expect.poll(async () => (await suggested(member)).slice(0, 2)).toEqual(['rust', 'factorio']);
    // Nothing is counted twice, and what comes is added.
    await submit(member, 'factorio', 2);
    expect((await suggested(member)).slice(0, 2)).toEqual(['factorio', 'rust']);
    expect(new Set(await suggested(member)).size).toBe(25);
  });

  it('only games are suggested that are allowed, by /addservers too, and also while somebody types', async () => {
    const { admin, member } = await inNewGuild(bot, { key: 'sandbox-key' });
    await submit(member, 'rust', 2);
    await submit(member, 'factorio');
    await allow(admin, ['Counter-Strike 2', 'Factorio']);
    for (const command of ['addserver', 'addservers', 'games'] as const) {
      expect(await suggested(member, command)).toEqual(['factorio', 'cs2']);
      expect(await suggested(member, command, 'rust')).toEqual([]);
      expect(await suggested(member, command, 'counter')).toEqual(['cs2']);
    }
  });

  it('nothing of it is left when all data of this Discord server was deleted', async () => {
    const { admin, member } = await inNewGuild(bot, { key: 'sandbox-key' });
    const usual = await suggested(member);
    await submit(member, 'rust', 2);
    expect((await suggested(member))[0]).toBe('rust');
    const question = await admin.press(
      messageOf(await admin.slash('privacy')),
      "Delete all of this Discord server's data",
    );
    expect(textOf(await admin.press(messageOf(question), 'Delete everything'))).toContain('Deleted');
    expect(await suggested(member)).toEqual(usual);
  });
});
