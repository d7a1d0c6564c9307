import type { DiscordApi } from '../discord/api.ts';
import { type ChannelPosts, messageBody } from '../discord/channel-posts.ts';
import { DAY_MS } from '../numbers.ts';
import { withSign } from '../words/servers.ts';
import type { Announcement, NotifyGuild } from './command.ts';
import type { Interaction } from './interaction.ts';

export interface AnnounceDeps {
  readonly api: Pick<DiscordApi, 'followUp'>;
  readonly posts: Pick<ChannelPosts, 'post' | 'wasRejected'>;
  readonly notifyGuild: NotifyGuild;
}

/**
 * Posts a reply's public announcement, if the guild wants it. Tries only once, because no announcement is better than two.
 * If a channel rejects the post, the bot doesn't try that channel again for a day. In the interaction's own channel, it
 * then sends a follow-up instead, which Discord shows as an answer to a message that others can't see. For any other
 * channel, it notifies the admins.
 * @param settings a mention of the command that chooses another channel
 */
export async function announce(
  { api, posts, notifyGuild }: AnnounceDeps,
  interaction: Interaction,
  { channelId = interaction.channelId, ...message }: Announcement,
  settings: string,
): Promise<void> {
  const isElsewhere = channelId !== interaction.channelId;
  if (!posts.wasRejected(channelId, DAY_MS)) {
    const result = await posts.post(channelId, message);
    // A failed post may have arrived.
    if (result === 'posted' || result === 'failed') return;
    if (isElsewhere) {
      await notifyGuild(interaction.guildId, (t) =>
        withSign('not-sent', t('guildLog.notAnnounced', { channelId, settings })),
      );
    }
  }
  if (isElsewhere) return;
  // A follow-up is public by default, even if the reply was private.
  await api.followUp(interaction, { body: messageBody(message), files: [] });
}
