import type { DiscordApi } from '../discord/api.ts';
import type { ChannelPosts } from '../discord/channel-posts.ts';
import { fitTexts } from '../discord/limits.ts';
import type { Reply } from './command.ts';
import { NO_MENTIONS } from './deliver.ts';
import type { Interaction } from './interaction.ts';

export interface Announcing {
  readonly api: Pick<DiscordApi, 'followUp'>;
  readonly posts: Pick<ChannelPosts, 'post'>;
  /** Whether the bot itself is in a guild, by Discord's list. */
  readonly hasBot: (guildId: string) => boolean;
  /** Told of a guild of that list in which the bot could not post. */
  readonly onRefusedPost: (guildId: string) => void;
}

/**
 * Says to everybody in the channel what a reply wants them to know. Once: said twice would be worse than not. It is posted
 * where that is known to be allowed: to try it would cost a 403 each time, and Discord blocks bots for many. Elsewhere it
 * follows up the reply, and looks like an answer to a message that is gone, since one member alone sees the reply.
 */
export async function announce(
  { api, posts, hasBot, onRefusedPost }: Announcing,
  interaction: Interaction,
  announcement: NonNullable<Reply['announcement']>,
): Promise<void> {
  const { content, embed } = announcement;
  const { guildId, channelId, mayPost } = interaction;
  if (mayPost && hasBot(guildId)) {
    const result = await posts.post(channelId, { content, embed });
    // Nobody knows whether a post that failed has arrived.
    if (result === 'posted' || result === 'failed') return;
    onRefusedPost(guildId);
  }
  const { embeds = [] } = fitTexts({ embeds: [embed] });
  // A follow-up is public unless it says otherwise, whatever the reply was.
  await api.followUp(interaction, { body: { content, embeds, allowed_mentions: NO_MENTIONS }, files: [] });
}
