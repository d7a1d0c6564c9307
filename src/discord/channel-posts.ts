import { type APIEmbed, DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Logger } from '../logger.ts';
import { fitReply } from './limits.ts';

/**
 * What came of a message: the channel is gone, the bot may not see it, or may not send messages or embed links in it.
 * `failed`: for now; Discord could not be asked.
 */
export type PostResult = 'posted' | 'gone' | 'no-access' | 'no-permission' | 'failed';

/** Messages that are no answer to anything. They need View Channel, Send Messages and Embed Links. */
export interface ChannelPosts {
  /** Posts an embed, pinging nobody. Never throws. */
  post(channelId: string, embed: APIEmbed): Promise<PostResult>;
}

export interface ChannelPostsDeps {
  readonly rest: () => Pick<REST, 'post'>;
  readonly logger: Logger;
}

/** Discord docs: JSON Error Codes. */
const REFUSALS: Readonly<Record<number, PostResult>> = {
  [RESTJSONErrorCodes.UnknownChannel]: 'gone',
  [RESTJSONErrorCodes.UnknownGuild]: 'gone',
  [RESTJSONErrorCodes.MissingAccess]: 'no-access',
  [RESTJSONErrorCodes.MissingPermissions]: 'no-permission',
};

export function createChannelPosts({ rest, logger }: ChannelPostsDeps): ChannelPosts {
  return {
    async post(channelId, embed) {
      const body = { ...fitReply({ embeds: [embed] }), allowed_mentions: { parse: [] } };
      try {
        await rest().post(Routes.channelMessages(channelId), { body });
        return 'posted';
      } catch (error) {
        const refusal = error instanceof DiscordAPIError ? REFUSALS[Number(error.code)] : undefined;
        if (refusal === undefined) logger.warn({ err: error, channelId }, 'a message could not be posted');
        return refusal ?? 'failed';
      }
    },
  };
}
