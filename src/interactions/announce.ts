import type { DiscordApi } from '../discord/api.ts';
import { type ChannelPosts, messageBody } from '../discord/channel-posts.ts';
import { DAY_MS } from '../numbers.ts';
import { withSign } from '../words/servers.ts';
import type { Announcement, TellGuild } from './command.ts';
import type { Interaction } from './interaction.ts';

export interface Announcing {
  readonly api: Pick<DiscordApi, 'followUp'>;
  readonly posts: Pick<ChannelPosts, 'post' | 'hasRefused'>;
  readonly tellGuild: TellGuild;
}

/**
 * Announces what a reply wants everybody to know; `reserve` has asked whether and where the guild wants that. Tried once:
 * nothing is better than the same twice. A channel that refuses the post is left alone for a day. In the channel of the
 * interaction it then follows up the reply, which Discord shows as an answer to a message that others cannot see; of another
 * channel the admins are told.
 * @param settings the command in which another channel is chosen
 */
export async function announce(
  { api, posts, tellGuild }: Announcing,
  interaction: Interaction,
  { channelId = interaction.channelId, ...message }: Announcement,
  settings: string,
): Promise<void> {
  const isElsewhere = channelId !== interaction.channelId;
  if (!posts.hasRefused(channelId, DAY_MS)) {
    const result = await posts.post(channelId, message);
    // Nobody knows whether a post that failed has arrived.
    if (result === 'posted' || result === 'failed') return;
    if (isElsewhere) {
      await tellGuild(interaction.guildId, (t) =>
        withSign('not-sent', t('guildLog.notAnnounced', { channelId, settings })),
      );
    }
  }
  if (isElsewhere) return;
  // A follow-up is public unless it says otherwise, whatever the reply was.
  await api.followUp(interaction, { body: messageBody(message), files: [] });
}
