import type { APIMessage } from 'discord.js';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import type { Scene } from './scene.ts';

/** A message of the bot that everyone sees, with a button "Go" under any custom id. */
export const postButton = (scene: Scene, guild: number, customId: string): Promise<SeenMessage> =>
  postComponents(scene, guild, [
    { type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: customId }] },
  ]);

/** A message of the bot that everyone sees, with these rows. */
export async function postComponents(
  scene: Scene,
  guild: number,
  components: readonly object[],
): Promise<SeenMessage> {
  const channelId = scene.discord.guilds[guild]?.channelId ?? '';
  const response = await fetch(`${scene.discord.apiUrl}/v10/channels/${channelId}/messages`, {
    method: 'POST',
    headers: {
      'user-agent': 'DiscordBot (https://example.org, 1.0)',
      authorization: `Bot ${scene.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ content: 'forged', components }),
  });
  const { id } = (await response.json()) as APIMessage;
  const message = scene.discord.messages({ channelId }).find((seen) => seen.id === id);
  if (message === undefined) throw new Error(`not posted: ${response.status}`);
  return message;
}
