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
 * Announces in the channel what a reply wants everybody to know; `reserve` has asked whether the guild wants that. Tried
 * once: nothing is better than the same twice. It is posted only where the bot is known to be allowed, since each refusal
 * is a 403, and Discord blocks bots for many of them. Elsewhere it follows up the reply; Discord then shows it as an answer to
 * a message that others cannot see.
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
