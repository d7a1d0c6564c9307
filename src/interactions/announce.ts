import type { DiscordApi } from '../discord/api.ts';
import { type ChannelPosts, messageBody } from '../discord/channel-posts.ts';
import type { AnnouncementChannels } from '../guilds/settings.ts';
import { DAY_MS } from '../pacing/durations.ts';
import { withSign } from '../words/servers.ts';
import type { Announcement, NotifyGuild } from './command.ts';
import type { Interaction } from './interaction.ts';

export interface AnnounceDeps {
  readonly api: Pick<DiscordApi, 'followUp'>;
  readonly posts: Pick<ChannelPosts, 'post' | 'wasRejected'>;
  readonly notifyGuild: NotifyGuild;
  readonly announcements: AnnouncementChannels;
}

/**
 * Posts a reply's public announcement. Never retries, because no announcement is better than two. If Discord rejects the
 * post, the bot doesn't try that channel again for a day. In the interaction's own channel, it sends a follow-up instead,
 * although Discord displays follow-ups as replies to a message that others can't see. For any other channel, it notifies
 * the admins. Records whether the channel that the admins chose has a problem, for /settings.
 * @param settings a mention of the command for choosing another channel
 */
export async function announce(
  { api, posts, notifyGuild, announcements }: AnnounceDeps,
  interaction: Interaction,
  { channelId = interaction.channelId, ...message }: Announcement,
  settings: string,
): Promise<void> {
  const { guildId } = interaction;
  const isElsewhere = channelId !== interaction.channelId;
  const found = await announcements.channelOf(guildId);
  const chosen = found?.channelId === channelId ? found : undefined;
  // If an admin chooses the channel again, `trouble` is cleared and announcements resume immediately.
  const isCleared = chosen !== undefined && chosen.trouble === undefined;
  if (isCleared || !posts.wasRejected(channelId, DAY_MS)) {
    const result = await posts.post(channelId, message);
    // A post that failed may still have reached Discord.
    if (result === 'failed') return;
    const trouble = result === 'posted' ? undefined : result;
    if (chosen && chosen.trouble !== trouble) await announcements.setTrouble(guildId, channelId, trouble);
    if (trouble === undefined) return;
    if (isElsewhere) {
      const why = trouble === 'gone' ? 'guildLog.announceGone' : 'guildLog.notAnnounced';
      await notifyGuild(guildId, (t) => withSign('not-sent', t(why, { channelId, settings })));
    }
  }
  if (isElsewhere) return;
  // Follow-ups are public by default, even after a private reply.
  await api.followUp(interaction, { body: messageBody(message), files: [] });
}
