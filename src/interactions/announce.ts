import type { DiscordApi } from '../discord/api.ts';
import type { ChannelPosts } from '../discord/channel-posts.ts';
import { fitTexts } from '../discord/limits.ts';
import { DAY_MS } from '../numbers.ts';
import type { Announcement } from './command.ts';
import { NO_MENTIONS } from './deliver.ts';
import type { Interaction } from './interaction.ts';

export interface Announcing {
  readonly api: Pick<DiscordApi, 'followUp'>;
  readonly posts: Pick<ChannelPosts, 'post' | 'hasRefused'>;
}

/**
 * Announces what a reply wants everybody to know; `reserve` has asked whether and where the guild wants that. Tried once:
 * nothing is better than the same twice. A channel that refuses the post is left alone for a day. If it is the channel of the
 * interaction, it follows up the reply; Discord then shows the announcement as an answer to a message that others cannot see.
 */
export async function announce(
  { api, posts }: Announcing,
  interaction: Interaction,
  { channelId = interaction.channelId, ...message }: Announcement,
): Promise<void> {
  if (!posts.hasRefused(channelId, DAY_MS)) {
    const result = await posts.post(channelId, message);
    // Nobody knows whether a post that failed has arrived.
    if (result === 'posted' || result === 'failed') return;
  }
  if (channelId !== interaction.channelId) return;
  const { content, embed, components } = message;
  const texts = fitTexts({ ...(content !== undefined && { content }), embeds: embed ? [embed] : [] });
  // A follow-up is public unless it says otherwise, whatever the reply was.
  await api.followUp(interaction, {
    body: { ...texts, ...(components && { components }), allowed_mentions: NO_MENTIONS },
    files: [],
  });
}
