import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelMessage, ChannelPosts, PostResult } from '../discord/channel-posts.ts';
import type { logChannels } from '../guilds/settings.ts';
import type { GuildWords } from '../interactions/guild-words.ts';
import type { Logger } from '../logger.ts';
import { fittingLines, LOOK, worstOf } from '../words/servers.ts';
import type { Translate } from '../words/words.ts';

type LogChannels = ReturnType<typeof logChannels>;
/** `roleId`: the role that is mentioned, and notified, when admins have to act. */
export type LogChannel = NonNullable<Awaited<ReturnType<LogChannels['channelOf']>>>;

/** In milliseconds. */
export interface GuildLogTiming {
  /** Lines that come within this time of the first make one message. */
  readonly collectMs?: number;
  /** At most one message in this time. */
  readonly gapMs?: number;
}

export interface GuildLogDeps extends GuildLogTiming, LogChannels {
  readonly posts: Pick<ChannelPosts, 'post' | 'hasRefused'>;
  readonly guildWords: GuildWords;
  readonly logger: Logger;
}

export type GuildLog = ReturnType<typeof createGuildLog>;

export interface Alert {
  /** What must be read: the message's text. */
  readonly text: string;
  /** What else there is to know of it: the first line of the embed; may be empty. */
  readonly details: string;
}

const COLLECT_MS = 1_000;
/** Discord takes five messages in 5 seconds, and people read slower. */
const GAP_MS = 5_000;
/** How often a message is tried that Discord could not take. */
const ATTEMPTS = 3;
/** For how long nothing is posted to a channel that refuses. */
const PAUSE_MS = 10 * 60_000;

/** How many waiting lines are kept: more do not fit into a message. */
const MOST_LINES = 50;

interface Waiting {
  readonly nonce: string;
  readonly alerts: Alert[];
  readonly lines: string[];
  /** How many lines there are, also those that are not kept. */
  count: number;
  readonly kinds: Set<keyof typeof LOOK>;
}

/**
 * The channel in which admins read what is done with their key. It never gets in the way: nothing throws. Waiting lines are
 * in memory only: a crash loses a few seconds of them.
 */
export function createGuildLog(deps: GuildLogDeps) {
  const { posts, guildWords, channelOf, setTrouble, logger, collectMs = COLLECT_MS, gapMs = GAP_MS } = deps;
  /** By guild, the message that new lines are added to. */
  const waiting = new Map<string, Waiting>();
  /** By guild, resolves when nothing waits any more. */
  const posting = new Map<string, Promise<void>>();
  /** Ends every pause. */
  let hurry = new AbortController();

  async function add(guildId: string, put: (message: Waiting, t: Translate) => void): Promise<void> {
    try {
      const channel = await channelOf(guildId);
      if (channel === undefined) return;
      // Choosing the channel again clears the trouble, and ends the pause.
      if (channel.trouble !== undefined && posts.hasRefused(channel.channelId, PAUSE_MS)) return;
      const words = await guildWords(guildId);
      const message = waiting.get(guildId) ?? newMessage();
      waiting.set(guildId, message);
      put(message, words);
      if (!posting.has(guildId)) posting.set(guildId, postAll(guildId));
    } catch (error) {
      logger.warn({ err: error, guildId }, 'a line for the log of a guild was lost');
    }
  }

  /** Posts one message after the other until nothing waits. */
  async function postAll(guildId: string): Promise<void> {
    await pause(collectMs);
    for (let message = waiting.get(guildId); message !== undefined; message = waiting.get(guildId)) {
      waiting.delete(guildId);
      await postUntilDone(guildId, message);
      await pause(gapMs);
    }
    posting.delete(guildId);
  }

  /** A message that failed may have arrived. It is tried with the same nonce and text, so that Discord shows it once. */
  async function postUntilDone(guildId: string, message: Waiting): Promise<void> {
    for (let attempt = 1; (await post(guildId, message)) === 'failed'; attempt += 1) {
      if (attempt === ATTEMPTS || hurry.signal.aborted) return;
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
      logger.warn({ err: error, guildId }, 'the log of a guild could not be written');
      return undefined;
    }
  }

  return {
    /**
     * Adds a line, in the guild's language; it appears within seconds, together with others.
     * @param kind the outcome that the line is about; the worst outcome gives the message its colour
     */
    tell: (guildId: string, makeText: (t: Translate) => string, kind?: keyof typeof LOOK): Promise<void> =>
      add(guildId, (message, t) => {
        message.count += 1;
        if (message.lines.length < MOST_LINES) message.lines.push(makeText(t));
        if (kind !== undefined) message.kinds.add(kind);
      }),
    /** Says in red, above all lines, that admins have to act, and mentions the role that they chose for it. */
    alert: (guildId: string, makeAlert: (t: Translate) => Alert): Promise<void> =>
      add(guildId, (message, t) => void message.alerts.push(makeAlert(t))),
    /** Immediately posts what is waiting, as when the bot stops. */
    async flush(): Promise<void> {
      hurry.abort();
      await Promise.all(posting.values());
      hurry = new AbortController();
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

/** The alerts, and below them the lines. Embeds notify nobody, so that the role stands in the text. */
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
