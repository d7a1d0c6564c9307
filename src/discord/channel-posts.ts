import { randomUUID } from 'node:crypto';
import { type APIEmbed, DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Logger } from '../logger.ts';
import type { DiscordApi } from './api.ts';
import { fitTexts } from './limits.ts';

/**
 * What came of a message: posted, or the channel is gone, the bot may not see it, or may not send messages or embed links
 * there. `failed`: Discord did not answer, which may pass.
 */
export type PostResult = 'posted' | 'gone' | 'no-access' | 'no-permission' | 'failed';

/** A message in a channel that answers no interaction. */
export interface ChannelMessage {
  /** The same in each try of the same message; without it there is only one try. */
  readonly nonce?: string;
  readonly content?: string;
  readonly embed: APIEmbed;
  /** The one role that a mention of it in the content notifies. */
  readonly roleId?: string;
}

/** Posts messages that answer no interaction. They need View Channel, Send Messages and Embed Links. */
export interface ChannelPosts {
  /** Pings nobody but the one role. Never throws. */
  post(channelId: string, message: ChannelMessage): Promise<PostResult>;
}

export interface ChannelPostsDeps {
  readonly api: Pick<DiscordApi, 'post'>;
  readonly logger: Logger;
}

/** Discord takes 25 characters (Discord docs: Message, Create Message). */
export const newNonce = (): string => randomUUID().slice(0, 25);

/** Discord's lasting reasons to refuse a message (Discord docs: JSON Error Codes). */
const REFUSALS: Readonly<Record<number, PostResult>> = {
  [RESTJSONErrorCodes.UnknownChannel]: 'gone',
  [RESTJSONErrorCodes.UnknownGuild]: 'gone',
  [RESTJSONErrorCodes.MissingAccess]: 'no-access',
  [RESTJSONErrorCodes.MissingPermissions]: 'no-permission',
};

export function createChannelPosts({ api, logger }: ChannelPostsDeps): ChannelPosts {
  return {
    async post(channelId, { nonce = newNonce(), content, embed, roleId }) {
      const body = {
        // For some minutes Discord posts only the first message with a nonce (docs: Create Message).
        nonce,
        enforce_nonce: true,
        ...fitTexts({ ...(content !== undefined && { content }), embeds: [embed] }),
        allowed_mentions: { parse: [], ...(roleId !== undefined && { roles: [roleId] }) },
      };
      try {
        await api.post(Routes.channelMessages(channelId), { body });
        return 'posted';
      } catch (error) {
        const refusal = error instanceof DiscordAPIError ? REFUSALS[Number(error.code)] : undefined;
        if (refusal === undefined) logger.warn({ err: error, channelId }, 'a message could not be posted');
        return refusal ?? 'failed';
      }
    },
  };
}
