import type { DiscordApi } from '../discord/api.ts';
import { type ChannelPosts, messageBody } from '../discord/channel-posts.ts';
import { DAY_MS } from '../pacing/durations.ts';
import { withSign } from '../words/servers.ts';
import type { Announcement, NotifyGuild } from './command.ts';
import type { Interaction } from './interaction.ts';

export interface AnnounceDeps {
  readonly api: Pick<DiscordApi, 'followUp'>;
  readonly posts: Pick<ChannelPosts, 'post' | 'wasRejected'>;
  readonly notifyGuild: NotifyGuild;
}

/**
 * Posts a reply's public announcement. Never retries, because no announcement is better than two. If Discord rejects the
 * post, the bot doesn't try that channel again for a day. In the interaction's own channel, it sends a follow-up instead,
 * although Discord displays follow-ups as replies to a message that others can't see. For any other channel, it notifies
 * the admins.
 * @param settings a mention of the command for choosing another channel
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
    // A post that failed may still have reached Discord.
    if (result === 'posted' || result === 'failed') return;
    if (isElsewhere) {
      await notifyGuild(interaction.guildId, (t) =>
        withSign('not-sent', t('guildLog.notAnnounced', { channelId, settings })),
      );
    }
  }
  if (isElsewhere) return;
  // Follow-ups are public by default, even after a private reply.
  await api.followUp(interaction, { body: messageBody(message), files: [] });
}
