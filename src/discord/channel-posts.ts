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
import { type DiscordApi, Stopped } from './api.ts';
import { fitTexts } from './limits.ts';
import { createRefusals } from './refusals.ts';

/**
 * What came of a message: posted, or the channel is gone, the bot may not see it, or may not send messages or embed links
 * there. `failed`: Discord did not answer, which may pass.
 */
export type PostResult = 'posted' | 'gone' | 'no-access' | 'no-permission' | 'failed';

/** A message in a channel that answers no interaction. */
export interface ChannelMessage {
  /** Names the message in each try, so that Discord shows it once. Without a name there is only one try. */
  readonly nonce?: string;
  readonly content?: string;
  readonly embed?: APIEmbed | undefined;
  readonly components?: readonly APIActionRowComponent<APIComponentInMessageActionRow>[];
  /** The one role that a mention of it in the content notifies. */
  readonly roleId?: string;
}

/** Discord takes 25 characters (Discord docs: Message, Create Message). */
export const nonceOf = (name: string): string => hash('sha256', name, 'base64url').slice(0, 25);

/** Discord's lasting reasons to refuse a message (Discord docs: JSON Error Codes). */
const REFUSALS: Readonly<Record<number, PostResult>> = {
  [RESTJSONErrorCodes.UnknownChannel]: 'gone',
  [RESTJSONErrorCodes.UnknownGuild]: 'gone',
  [RESTJSONErrorCodes.MissingAccess]: 'no-access',
  [RESTJSONErrorCodes.MissingPermissions]: 'no-permission',
};

/** A message in Discord's own fields, without its nonce. It pings nobody but the one role. */
export const messageBody = ({ content, embed, components = [], roleId }: ChannelMessage) => ({
  ...fitTexts({ ...(content !== undefined && { content }), embeds: embed ? [embed] : [] }),
  components: [...components],
  allowed_mentions: { parse: [], ...(roleId !== undefined && { roles: [roleId] }) },
});

/**
 * A message that replaces another one. Its embed is shown again where somebody has hidden the embeds. Without an embed the flag
 * stays, since it would only bring back link previews that an admin has hidden.
 */
export const replacingBody = (message: ChannelMessage) => ({
  ...messageBody(message),
  ...(message.embed && { flags: 0 }),
});

/**
 * Discord's reasons why the bot can no longer change a message: the message is gone, its thread is archived or locked, or it was
 * posted by another application that used this database before.
 */
const MESSAGE_GONE: readonly number[] = [
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
  50_083,
  160_005,
];

/**
 * What came of a message that is changed later: as of any other, or the message to be changed is gone, or Discord does not take
 * its text, for a link in it.
 */
type PutResult = PostResult | 'message-gone' | 'harmful-link';

export interface ChannelPostsDeps {
  readonly api: Pick<DiscordApi, 'post' | 'patch'>;
  readonly logger: Logger;
}

export type ChannelPosts = ReturnType<typeof createChannelPosts>;

/** Posts messages that answer no interaction. They need View Channel and Send Messages; with an embed Embed Links. */
export function createChannelPosts({ api, logger }: ChannelPostsDeps) {
  const quietly = createSparingLog(logger);
  /** The channels that have refused a message, and taken no new one since. */
  const refusals = createRefusals();

  /**
   * Posts a message that is changed later. Pings nobody but the one role. Never throws.
   * @param messageId changes this one, in place of all that it shows
   * @returns also the id of the message that was posted or changed
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
        // For some minutes Discord posts only the first message with a nonce (docs: Create Message).
        body: { ...messageBody(message), nonce: nonceOf(nonce), enforce_nonce: true },
      });
      refusals.forget(channelId);
      return { result: 'posted', messageId: String(Object(posted).id) };
    } catch (error) {
      const code = error instanceof DiscordAPIError ? Number(error.code) : 0;
      const refusal = REFUSALS[code];
      if (refusal !== undefined) {
        refusals.note(channelId);
        return { result: refusal };
      }
      if (messageId !== undefined && MESSAGE_GONE.includes(code)) return { result: 'message-gone' };
      if (code === RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter) return { result: 'harmful-link' };
      if (error instanceof Stopped)
        quietly.info({}, 'messages to channels could not be posted, since the bot stops');
      else logger.warn({ err: error, channelId }, 'a message could not be posted');
      return { result: 'failed' };
    }
  }

  return {
    put,
    /** Whether the last message to a channel was refused less than `ms` milliseconds ago. */
    hasRefused: refusals.hasRefused,
    /** The same, of a message that is never changed. */
    async post(channelId: string, message: ChannelMessage): Promise<PostResult> {
      const { result } = await put(channelId, message);
      return result === 'message-gone' || result === 'harmful-link' ? 'failed' : result;
    },
  };
}
