import { type APIEmbed, Routes } from 'discord.js';
import type { Logger } from '../logger.ts';
import { DAY_MS } from '../numbers.ts';
import { type DiscordApi, isRefusedByDiscord } from './api.ts';
import { messageBody, nonceOf } from './channel-posts.ts';
import { createRefusals } from './refusals.ts';

export interface DirectMessage {
  /** Names the message. */
  readonly nonce: string;
  readonly content: string;
  readonly embed: APIEmbed;
}

export interface DirectMessagesDeps {
  readonly api: Pick<DiscordApi, 'post'>;
  readonly logger: Pick<Logger, 'warn'>;
}

export type DirectMessages = ReturnType<typeof createDirectMessages>;

/** Messages of the bot to one person. */
export function createDirectMessages({ api, logger }: DirectMessagesDeps) {
  const refusals = createRefusals();

  return {
    /** Whether a person refused one less than a day ago. */
    hasRefused: (userId: string): boolean => refusals.hasRefused(userId, DAY_MS),
    /** Sends one, once, which pings nobody. Where Discord refuses it, nobody is told. Never throws. */
    async send(userId: string, { nonce, ...message }: DirectMessage): Promise<void> {
      try {
        const channel = await api.post(Routes.userChannels(), { body: { recipient_id: userId } });
        await api.post(Routes.channelMessages(String(Object(channel).id)), {
          body: { ...messageBody(message), nonce: nonceOf(nonce), enforce_nonce: true },
        });
      } catch (error) {
        if (isRefusedByDiscord(error)) refusals.note(userId);
        else logger.warn({ err: error }, 'a direct message could not be sent');
      }
    },
  };
}
