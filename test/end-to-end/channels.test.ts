import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import { read, submit } from '../support/lists.ts';
import { messageOf, openAppScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
});
afterAll(() => scene.close());

const channelId = (name: string) => {
  const [guild] = scene.discord.guilds;
  const found = guild && scene.discord.channels(guild).find((channel) => channel.name === name);
  if (guild === undefined || found === undefined) throw new Error(`there is no channel ${name}`);
  return { guild, channelId: found.id };
};
const memberIn = (name: string): Person =>
  scene.discord.person({ ...channelId(name), name: 'member', permissions: PermissionFlagsBits.SendMessages });

describe.each([
  ['an announcement channel', 'news'],
  ['a thread', 'questions'],
])('in %s', (_what, name) => {
  it('a server is submitted', async () => {
    const server = `${name}.example.com:27015`;
    const said = textOf(await memberIn(name).slash('addserver', { game: 'cs2', server }));
    expect(said).toContain('Servers have been added for review.');
  });

  it('buttons work', async () => {
    const member = memberIn(name);
    const games = await member.slash('games');
    expect(textOf(await member.press(messageOf(games), 'Next'))).toMatch(/Page 2 of \d/);
  });

  it('servers are submitted from a message', async () => {
    const member = memberIn(name);
    const id = scene.discord.say(member, `play at in-${name}.example.com:27015`);
    const chosen = await member.pick(messageOf(await member.useOnMessage('Submit servers', id)), ['cs2']);
    expect(read(await submit(member, chosen))).toContain('✅ 1 sent for review');
  });
});
