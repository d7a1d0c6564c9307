import { hash, randomUUID } from 'node:crypto';
import {
  type APIActionRowComponent,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  DiscordAPIError,
  RESTJSONErrorCodes,
  Routes,
} from 'discord.js';
import type { Logger } from '../logger.ts';
import { createSparingLog } from '../sparing-log.ts';
import { type DiscordApi, StoppedError } from './api.ts';
import { fitTexts } from './limits.ts';
import { createRejections } from './rejections.ts';

/**
 * The result of posting a message: `posted`, or the reason why not. The channel is gone, or the bot can't see it, or
 * can't send messages or embed links there. `failed`: Discord didn't respond, which may be temporary.
 */
export type PostResult = 'posted' | 'gone' | 'no-access' | 'no-permission' | 'failed';

/** A message in a channel that isn't a reply to an interaction. */
export interface ChannelMessage {
  /** Identifies the message in every attempt, so that Discord shows it once. Without it, the bot makes only one attempt. */
  readonly nonce?: string;
  readonly content?: string;
  readonly embed?: APIEmbed | undefined;
  readonly components?: readonly APIActionRowComponent<APIComponentInMessageActionRow>[];
  /** The only role that a mention in the content notifies. */
  readonly roleId?: string;
}

/** Hashes a name into the 25 characters that Discord accepts (Discord docs: Message, Create Message). */
export const nonceOf = (name: string): string => hash('sha256', name, 'base64url').slice(0, 25);

/** Discord's permanent reasons for rejecting a message (Discord docs: JSON Error Codes). */
const REJECTIONS: Readonly<Record<number, PostResult>> = {
  [RESTJSONErrorCodes.UnknownChannel]: 'gone',
  [RESTJSONErrorCodes.UnknownGuild]: 'gone',
  [RESTJSONErrorCodes.MissingAccess]: 'no-access',
  [RESTJSONErrorCodes.MissingPermissions]: 'no-permission',
};

/** Builds a message in Discord's own format, without its nonce. It pings only the one role. */
export const messageBody = ({ content, embed, components = [], roleId }: ChannelMessage) => ({
  ...fitTexts({ ...(content !== undefined && { content }), embeds: embed ? [embed] : [] }),
  components: [...components],
  allowed_mentions: { parse: [], ...(roleId !== undefined && { roles: [roleId] }) },
});

/**
 * Builds a message that replaces another one. Shows its embed again if a person removed the embeds. Without an embed
 * the flag stays, because clearing it would only restore link previews that an admin removed.
 */
export const replacingBody = (message: ChannelMessage) => ({
  ...messageBody(message),
  ...(message.embed && { flags: 0 }),
});

/**
 * Error codes that mean the bot can no longer edit a message: the message is gone, its thread is archived or locked, or
 * it was posted by another application that used this database before.
 */
const MESSAGE_GONE: readonly number[] = [
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
  50_083,
  160_005,
];

/**
 * The result of a message that can be edited later: the result of posting, or the message to edit is gone, or Discord
 * rejected a link in its text.
 */
type PutResult = PostResult | 'message-gone' | 'harmful-link';

export interface ChannelPostsDeps {
  readonly api: Pick<DiscordApi, 'post' | 'patch'>;
  readonly logger: Logger;
}

export type ChannelPosts = ReturnType<typeof createChannelPosts>;

/**
 * Creates a poster for messages that aren't replies to interactions. Posting needs View Channel and Send Messages, and
 * for an embed also Embed Links.
 */
export function createChannelPosts({ api, logger }: ChannelPostsDeps) {
  const quietly = createSparingLog(logger);
  /** Channels that rejected a message, and haven't accepted a new one since. */
  const rejections = createRejections();

  /**
   * Posts a message that can be edited later. Pings only the one role. Never throws.
   * @param messageId the message to replace completely, instead of posting a new one
   * @returns the result, and the id of the posted or edited message
   */
  async function put(
    channelId: string,
    { nonce = randomUUID(), ...message }: ChannelMessage,
    messageId?: string,
  ): Promise<{ readonly result: PutResult; readonly messageId?: string }> {
    try {
      if (messageId !== undefined) {
        await api.patch(Routes.channelMessage(channelId, messageId), { body: replacingBody(message) });
        return { result: 'posted', messageId };
      }
      const posted = await api.post(Routes.channelMessages(channelId), {
        // For a few minutes, Discord only posts the first message with a nonce (docs: Create Message).
        body: { ...messageBody(message), nonce: nonceOf(nonce), enforce_nonce: true },
      });
      rejections.delete(channelId);
      return { result: 'posted', messageId: String(Object(posted).id) };
    } catch (error) {
      const code = error instanceof DiscordAPIError ? Number(error.code) : 0;
      const rejection = REJECTIONS[code];
      if (rejection !== undefined) {
        rejections.note(channelId);
        return { result: rejection };
      }
      if (messageId !== undefined && MESSAGE_GONE.includes(code)) return { result: 'message-gone' };
      if (code === RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter) return { result: 'harmful-link' };
      if (error instanceof StoppedError)
        quietly.info({}, 'could not post messages to channels, because the bot is stopping');
      else logger.warn({ err: error, channelId }, 'could not post a message');
      return { result: 'failed' };
    }
  }

  return {
    put,
    /** Whether the last message to a channel was rejected less than `ms` milliseconds ago. */
    wasRejected: rejections.wasRejected,
    /** Posts a message that is never edited. Never throws. */
    async post(channelId: string, message: ChannelMessage): Promise<PostResult> {
      const { result } = await put(channelId, message);
      return result === 'message-gone' || result === 'harmful-link' ? 'failed' : result;
    },
  };
}
