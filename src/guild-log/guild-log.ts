import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelMessage, ChannelPosts, PostResult } from '../discord/channel-posts.ts';
import type { logChannels } from '../guilds/settings.ts';
import type { GuildWords } from '../interactions/guild-words.ts';
import type { Logger } from '../logger.ts';
import { fittingLines, LOOK, worstOf } from '../words/servers.ts';
import type { Translate } from '../words/words.ts';

type LogChannels = ReturnType<typeof logChannels>;
/** A log channel. `roleId` is the role to mention when the admins have to act. */
export type LogChannel = NonNullable<Awaited<ReturnType<LogChannels['channelOf']>>>;

/** Timing of the log, in milliseconds. */
export interface GuildLogTiming {
  /** How long lines are collected into one message, counting from the first line. */
  readonly collectMs?: number;
  /** Minimum time between two messages. */
  readonly gapMs?: number;
}

export interface GuildLogDeps extends GuildLogTiming, LogChannels {
  readonly posts: Pick<ChannelPosts, 'post' | 'wasRejected'>;
  readonly guildWords: GuildWords;
  readonly logger: Logger;
}

export type GuildLog = ReturnType<typeof createGuildLog>;

export interface Alert {
  /** The most important information, shown as the message's text. */
  readonly text: string;
  /** Additional details, shown at the top of the embed; may be empty. */
  readonly details: string;
}

const COLLECT_MS = 1_000;
/** Discord would accept five messages per 5 seconds, but people can't read that fast. */
const GAP_MS = 5_000;
const MAX_ATTEMPTS = 3;
const PAUSE_AFTER_REJECTION_MS = 10 * 60_000;

/** More lines than fit in a message. */
const MAX_WAITING_LINES = 50;

interface Waiting {
  readonly nonce: string;
  readonly alerts: Alert[];
  readonly lines: string[];
  /** The total number of lines, including lines that weren't kept. */
  count: number;
  readonly kinds: Set<keyof typeof LOOK>;
}

/**
 * Creates the log that shows admins how their key is used. Its functions never throw or hold up other work. Lines from the
 * last few seconds are only kept in memory, so a crash loses them.
 */
export function createGuildLog(deps: GuildLogDeps) {
  const { posts, guildWords, channelOf, setTrouble, logger, collectMs = COLLECT_MS, gapMs = GAP_MS } = deps;
  /** For each guild, the message that new lines are added to. */
  const waiting = new Map<string, Waiting>();
  /** For each guild, a promise that resolves once no more messages are waiting. */
  const posting = new Map<string, Promise<void>>();
  /** Aborted to end all delays immediately. */
  const hurry = new AbortController();

  async function add(guildId: string, put: (message: Waiting, t: Translate) => void): Promise<void> {
    try {
      const channel = await channelOf(guildId);
      if (channel === undefined) return;
      // If an admin chooses the channel again, `trouble` is cleared and posting resumes immediately.
      if (channel.trouble !== undefined && posts.wasRejected(channel.channelId, PAUSE_AFTER_REJECTION_MS))
        return;
      const words = await guildWords(guildId);
      const message = waiting.get(guildId) ?? newMessage();
      waiting.set(guildId, message);
      put(message, words);
      if (!posting.has(guildId)) posting.set(guildId, postAll(guildId));
    } catch (error) {
      logger.warn({ err: error, guildId }, "could not add a line to a guild's log; dropping it");
    }
  }

  /** Posts messages one after another until none are waiting. */
  async function postAll(guildId: string): Promise<void> {
    await pause(collectMs);
    for (let message = waiting.get(guildId); message !== undefined; message = waiting.get(guildId)) {
      waiting.delete(guildId);
      await postUntilDone(guildId, message);
      await pause(gapMs);
    }
    posting.delete(guildId);
  }

  /**
   * Posts a message, trying up to {@link MAX_ATTEMPTS} times. All attempts use the same nonce and text, because a failed
   * attempt may have reached Discord.
   */
  async function postUntilDone(guildId: string, message: Waiting): Promise<void> {
    for (let attempt = 1; (await post(guildId, message)) === 'failed'; attempt += 1) {
      if (attempt === MAX_ATTEMPTS || hurry.signal.aborted) return;
      await pause(gapMs);
    }
  }

  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: hurry.signal, ref: false }).catch(() => undefined);

  async function post(guildId: string, message: Waiting): Promise<PostResult | undefined> {
    try {
      const channel = await channelOf(guildId);
      if (channel === undefined) return undefined;
      const { channelId, trouble } = channel;
      const result = await posts.post(channelId, messageOf(message, channel, await guildWords(guildId)));
      if (result === 'failed') return result;
      const found = result === 'posted' ? undefined : result;
      if (found !== trouble) await setTrouble(guildId, channelId, found);
      return result;
    } catch (error) {
      logger.warn({ err: error, guildId }, "could not write to a guild's log channel; dropping the message");
      return undefined;
    }
  }

  return {
    /**
     * Adds a line in the guild's language. The line appears within a few seconds, together with other lines.
     * @param kind the outcome that the line is about; the worst outcome determines the message's colour
     */
    add: (guildId: string, makeText: (t: Translate) => string, kind?: keyof typeof LOOK): Promise<void> =>
      add(guildId, (message, t) => {
        message.count += 1;
        if (message.lines.length < MAX_WAITING_LINES) message.lines.push(makeText(t));
        if (kind !== undefined) message.kinds.add(kind);
      }),
    /** Adds a red alert for admins to act on, above all lines. Mentions the role that admins chose for alerts. */
    alert: (guildId: string, makeAlert: (t: Translate) => Alert): Promise<void> =>
      add(guildId, (message, t) => void message.alerts.push(makeAlert(t))),
    /** Posts all waiting messages immediately, because the bot is stopping. */
    async flush(): Promise<void> {
      hurry.abort();
      await Promise.all(posting.values());
    },
  };
}

const newMessage = (): Waiting => ({
  nonce: randomUUID(),
  alerts: [],
  lines: [],
  count: 0,
  kinds: new Set(),
});

/** Builds a message with the alerts above the lines. Mentions the role in the text, because embeds don't ping. */
function messageOf(
  { nonce, alerts, lines, count, kinds }: Waiting,
  { roleId }: LogChannel,
  t: Translate,
): ChannelMessage {
  if (alerts.length === 0) {
    const look = kinds.size > 0 && { color: LOOK[worstOf([...kinds])].color };
    return { nonce, embed: { ...look, description: fittingLines(t, lines, count) } };
  }
  const mention = roleId === undefined ? [] : [`<@&${roleId}>`];
  const description = [
    ...alerts.map(({ details }) => details).filter((details) => details !== ''),
    ...(lines.length > 0 ? [fittingLines(t, lines, count)] : []),
  ].join('\n\n');
  return {
    nonce,
    content: [...mention, ...alerts.map(({ text }) => text)].join('\n'),
    ...(description !== '' && { embed: { color: LOOK.rejected.color, description } }),
    ...(roleId !== undefined && { roleId }),
  };
}
