import { type APIEmbed, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Logger } from '../logger.ts';
import { DAY_MS, HOUR_MS } from '../pacing/durations.ts';
import { createInOrder } from '../pacing/in-order.ts';
import { isRecent } from '../pacing/recent.ts';
import type { Values } from '../storage/values.ts';
import { type DiscordApi, discordCodeOf } from './api.ts';
import { nonceOf } from './channel-posts.ts';
import type { DirectMessageChannels } from './direct-message-channels.ts';
import { fitTexts } from './limits.ts';
import { persist } from './persist.ts';
import { createRejections } from './rejections.ts';

/** Error codes that concern one recipient (Discord docs: JSON Error Codes). */
const BLOCKED_BY_PERSON: readonly number[] = [
  RESTJSONErrorCodes.CannotSendMessagesToThisUser,
  RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds,
  RESTJSONErrorCodes.ExplicitContentCannotBeSentToTheDesiredRecipient,
  RESTJSONErrorCodes.UnknownUser,
];
/** Error codes about the bot. 20026 is undocumented: Discord's anti-spam system has flagged the bot (modmailbot#490). */
const STOPPED_BY_DISCORD: readonly number[] = [RESTJSONErrorCodes.OpeningDirectMessagesTooFast, 20_026];

/** The stored time is in milliseconds since 1970. */
const PAUSED_UNTIL_KEY = 'direct-messages-paused-until';

/**
 * `blocked`: the recipient doesn't accept direct messages from the bot. `stopped`: Discord has stopped all of the bot's
 * direct messages. `failed`: sending kept failing, or Discord rejected the message.
 */
export const DIRECT_MESSAGE_OUTCOMES = ['sent', 'blocked', 'stopped', 'failed'] as const;
export type DirectMessageOutcome = (typeof DIRECT_MESSAGE_OUTCOMES)[number];

/** Thrown if a message wasn't sent, because direct messages are paused or too many channels were opened in a day. */
class PausedError extends Error {
  override readonly name = 'PausedError';
}

export interface DirectMessage {
  /** Identifies the message across attempts, so Discord shows it only once. */
  readonly nonce: string;
  readonly content: string;
  readonly embeds: readonly APIEmbed[];
}

export interface DirectMessagesDeps {
  readonly api: Pick<DiscordApi, 'post'>;
  readonly values: Pick<Values, 'get' | 'set'>;
  readonly channels: DirectMessageChannels;
  readonly onDirectMessage?: ((outcome: DirectMessageOutcome) => void) | undefined;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

export type DirectMessages = ReturnType<typeof createDirectMessages>;

/**
 * Creates a sender for direct messages. If Discord stops them, the bot pauses all direct messages for an hour. If Discord
 * stops them again within a day, the pause lasts a day.
 */
export function createDirectMessages({ api, values, channels, onDirectMessage, logger }: DirectMessagesDeps) {
  const rejections = createRejections();
  const openings = createInOrder();

  const pausedUntil = async (): Promise<number> => Number((await values.get(PAUSED_UNTIL_KEY)) ?? 0);

  /** Ignores a pause of more than two days, because it was stored while the clock was ahead. */
  const isPauseActive = (until: number) => isRecent(until - 2 * DAY_MS, 2 * DAY_MS);

  const isPaused = async (): Promise<boolean> => isPauseActive(await pausedUntil());

  async function beginPause(code: number): Promise<void> {
    const before = await pausedUntil();
    // A message sent at the same time has already started the pause.
    if (isPauseActive(before)) return;
    const ms = isRecent(before, DAY_MS) ? DAY_MS : HOUR_MS;
    await values.set(PAUSED_UNTIL_KEY, Date.now() + ms);
    logger.error(
      { code, hours: ms / HOUR_MS },
      `Discord stopped this bot's direct messages; pausing them for ${ms === DAY_MS ? 'a day' : 'an hour'}`,
    );
  }

  /** Waits up to an hour for rate limits. @throws PausedError */
  async function postUnlessPaused(route: `/${string}`, body: unknown): Promise<unknown> {
    if (await isPaused()) throw new PausedError();
    try {
      return await api.post(route, { body, maxWaitMs: HOUR_MS });
    } catch (error) {
      const code = discordCodeOf(error);
      if (STOPPED_BY_DISCORD.includes(code)) await beginPause(code);
      throw error;
    }
  }

  const canOpen = async (userId: string): Promise<boolean> =>
    (await channels.find(userId)) !== undefined || !(await channels.areUsedUp());

  /**
   * Opens channels one at a time. Otherwise, requests that discord.js queues behind a hanging request would time out.
   * @throws PausedError
   */
  const openChannel = (userId: string): Promise<string> =>
    openings.run('', async () => {
      const known = await channels.find(userId);
      if (known !== undefined) return known;
      if (await channels.areUsedUp()) throw new PausedError();
      const channel = await postUnlessPaused(Routes.userChannels(), { recipient_id: userId });
      const id = String(Object(channel).id);
      await channels.add(userId, id);
      return id;
    });

  /** Opens the channel again, but only once, if it no longer exists. */
  async function sendTo(userId: string, body: object): Promise<void> {
    const post = async () => {
      const id = await persist(() => openChannel(userId));
      await persist(() => postUnlessPaused(Routes.channelMessages(id), body));
    };
    await post().catch(async (error: unknown) => {
      if (discordCodeOf(error) !== RESTJSONErrorCodes.UnknownChannel) throw error;
      await channels.delete(userId);
      await post();
    });
  }

  function handleFailure(userId: string, error: unknown): void {
    if (error instanceof PausedError) return;
    const code = discordCodeOf(error);
    if (STOPPED_BY_DISCORD.includes(code)) {
      onDirectMessage?.('stopped');
    } else if (BLOCKED_BY_PERSON.includes(code)) {
      onDirectMessage?.('blocked');
      rejections.note(userId);
    } else {
      onDirectMessage?.('failed');
      logger.warn({ err: error }, 'could not send a direct message to a member; will not retry');
    }
  }

  return {
    /**
     * Whether the bot can message a user. False during a pause, for a day after Discord rejected a message to them, and if
     * the bot has messaged too many new users in the last 24 hours.
     */
    canSendTo: async (userId: string): Promise<boolean> =>
      !rejections.wasRejected(userId, DAY_MS) && !(await isPaused()) && canOpen(userId),
    isPaused,
    /** Waits for all attempts to open direct message channels. Never throws. */
    opened: (): Promise<void> => openings.run('', async () => undefined),
    /** Sends a message that doesn't ping anyone. Retries each request for a minute and a half. Never throws. */
    async send(userId: string, { nonce, ...texts }: DirectMessage): Promise<void> {
      try {
        await sendTo(userId, {
          ...fitTexts(texts),
          allowed_mentions: { parse: [] },
          nonce: nonceOf(nonce),
          enforce_nonce: true,
        });
        onDirectMessage?.('sent');
      } catch (error) {
        handleFailure(userId, error);
      }
    },
  };
}
