import type { DiscordStandIn } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';

/** A message of the bot that everyone sees, with these rows, posted in its name; none where Discord limits what is posted. */
export async function postComponents(
  { discord, token }: { readonly discord: DiscordStandIn; readonly token: string },
  channelId: string,
  components: readonly object[],
): Promise<SeenMessage | undefined> {
  const response = await fetch(`${discord.apiUrl}/v10/channels/${channelId}/messages`, {
    method: 'POST',
    headers: {
      'user-agent': 'DiscordBot (https://example.org, 1.0)',
      authorization: `Bot ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ content: 'forged', components }),
  });
  const { id } = (await response.json()) as { readonly id?: string };
  return discord.messages({ channelId }).find((seen) => seen.id === id);
}
