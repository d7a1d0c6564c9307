import { type APIEmbed, Routes } from 'discord.js';
import { createBoundedMap } from '../bounded-map.ts';
import type { Logger } from '../logger.ts';
import { DAY_MS } from '../numbers.ts';
import { type DiscordApi, isRefused } from './api.ts';
import { messageBody, nonceOf } from './channel-posts.ts';

/** How many people who refused are remembered; the oldest is forgotten first. Some 2 MB. */
const MOST_REFUSING = 10_000;

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
  /** When each person refused one, in milliseconds of a clock that nobody sets. */
  const refusedAt = createBoundedMap<number>(MOST_REFUSING);

  return {
    /** Whether a person refused one less than a day ago: Discord blocks a bot for 10,000 refusals in ten minutes. */
    hasRefused: (userId: string): boolean =>
      performance.now() - (refusedAt.get(userId) ?? Number.NEGATIVE_INFINITY) < DAY_MS,
    /** Sends one, once, which pings nobody. Where Discord refuses it, nobody is told. Never throws. */
    async send(userId: string, { nonce, ...message }: DirectMessage): Promise<void> {
      try {
        const channel = await api.post(Routes.userChannels(), { body: { recipient_id: userId } });
        await api.post(Routes.channelMessages(String(Object(channel).id)), {
          body: { ...messageBody(message), nonce: nonceOf(nonce), enforce_nonce: true },
        });
      } catch (error) {
        if (isRefused(error)) refusedAt.set(userId, performance.now());
        else logger.warn({ err: error }, 'a direct message could not be sent');
      }
    },
  };
}
