import { createBoundedMap } from '../bounded-map.ts';
import type { DiscordApi } from '../discord/api.ts';
import type { ChannelPosts } from '../discord/channel-posts.ts';
import { fitTexts } from '../discord/limits.ts';
import { DAY_MS } from '../numbers.ts';
import type { Reply } from './command.ts';
import { NO_MENTIONS } from './deliver.ts';
import type { Interaction } from './interaction.ts';

/** How many channels that refused a post are remembered. Some 2 MB. */
const MOST_REFUSED = 10_000;

export interface AnnouncingDeps {
  readonly api: Pick<DiscordApi, 'followUp'>;
  readonly posts: Pick<ChannelPosts, 'post'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type Announce = ReturnType<typeof createAnnouncing>;

export function createAnnouncing({ api, posts, now }: AnnouncingDeps) {
  /** When each channel last refused a post. Discord blocks bots for many 403s, so it is then left alone for a day. */
  const refused = createBoundedMap<number>(MOST_REFUSED);

  /** @returns whether it was posted, or may have been: nobody knows that of a post that failed */
  async function post(channelId: string, { content, embed }: Announcement): Promise<boolean> {
    if (now() - (refused.get(channelId) ?? 0) < DAY_MS) return false;
    const result = await posts.post(channelId, { content, embed });
    if (result === 'posted' || result === 'failed') return true;
    refused.set(channelId, now());
    return false;
  }

  /**
   * Announces in the channel what a reply wants everybody to know; `reserve` has asked whether the guild wants that. Tried
   * once: nothing is better than the same twice. Where the bot may not post, it follows up the reply; Discord then shows the
   * announcement as an answer to a message that others cannot see.
   */
  return async (interaction: Interaction, announcement: Announcement): Promise<void> => {
    if (interaction.mayPost && (await post(interaction.channelId, announcement))) return;
    const { content } = announcement;
    const { embeds = [] } = fitTexts({ embeds: [announcement.embed] });
    // A follow-up is public unless it says otherwise, whatever the reply was.
    await api.followUp(interaction, {
      body: { content, embeds, allowed_mentions: NO_MENTIONS },
      files: [],
    });
  };
}

type Announcement = NonNullable<Reply['announcement']>;
