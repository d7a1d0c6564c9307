import assert from 'node:assert/strict';
import { messageOf, type Scene } from './scene.ts';

/** The channel of the scene's guild that is not the one where people are. */
export function staffChannel({ discord, admin }: Pick<Scene, 'discord' | 'admin'>): string {
  // Also one that the bot itself is no longer in, which is in no list.
  const guild = { id: admin.guildId, name: '', channelId: '' };
  const channel = discord.channels(guild).find(({ name }) => name === 'staff');
  assert(channel, 'the guild has no #staff');
  return channel.id;
}

/** Makes #staff the log channel of the scene's guild. */
export async function chooseLogChannel({ admin }: Pick<Scene, 'admin'>): Promise<void> {
  const settings = messageOf(await admin.slash('settings'));
  const { current } = messageOf(await admin.pick(settings, ['#staff']));
  assert.match(current?.content ?? '', /Log channel\*\*: <#\d+>/, 'the log channel was not taken');
}

/** What the log has said so far, message by message, texts and embeds; the first is the greeting. */
export function logMessages(scene: Pick<Scene, 'discord' | 'admin'>): readonly string[] {
  return scene.discord
    .messages({ channelId: staffChannel(scene) })
    .map(({ current }) => [current?.content, current?.embeds[0]?.description].filter(Boolean).join('\n'));
}

/** The entries of the log, without its greeting. */
export function logLines(scene: Pick<Scene, 'discord' | 'admin'>): readonly string[] {
  return logMessages(scene)
    .slice(1)
    .flatMap((text) => text.split('\n'));
}
