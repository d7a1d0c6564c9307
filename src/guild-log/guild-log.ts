import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelMessage, ChannelPosts, PostResult } from '../discord/channel-posts.ts';
import type { logChannels } from '../guilds/settings.ts';
import type { GuildWords } from '../interactions/guild-words.ts';
import type { Logger } from '../logger.ts';
import { createBoundedMap } from '../pacing/bounded-map.ts';
import { MINUTE_MS } from '../pacing/durations.ts';
import { isRecent } from '../pacing/recent.ts';
import { fittingLines, LOOK, worstOf } from '../words/servers.ts';
import type { Translate } from '../words/words.ts';

type LogChannels = ReturnType<typeof logChannels>;
export type LogChannel = NonNullable<Awaited<ReturnType<LogChannels['channelOf']>>>;

export interface GuildLogTiming {
  /** How long lines are collected into one message, counting from the first line. */
  readonly collectMs?: number;
  readonly messageGapMs?: number;
}

export interface GuildLogDeps extends GuildLogTiming, LogChannels {
  readonly posts: Pick<ChannelPosts, 'put' | 'isLatest' | 'wasRejected'>;
  readonly guildWords: GuildWords;
  readonly logger: Logger;
}

export type GuildLog = ReturnType<typeof createGuildLog>;

export interface Alert {
  /** Shown as the message's text. */
  readonly text: string;
  /** Shown at the top of the embed; may be empty. */
  readonly details: string;
}

const COLLECT_MS = 1_000;
/** Discord would accept five messages per 5 seconds, but people can't read that fast. */
const MESSAGE_GAP_MS = 5_000;
const MAX_ATTEMPTS = 3;
const PAUSE_AFTER_REJECTION_MS = 10 * 60_000;

/** More lines than fit in a message. */
const MAX_WAITING_LINES = 50;
const MAX_CHANGED_GUILDS = 1_000;

interface Line {
  readonly text: string;
  /** Names who made the change. Shown once above consecutive lines with the same heading. */
  readonly heading?: string;
}

interface Waiting {
  readonly nonce: string;
  readonly alerts: Alert[];
  readonly lines: Line[];
  /** The total number of lines, including lines that weren't kept. */
  count: number;
  readonly kinds: Set<keyof typeof LOOK>;
  /** The log channel when the latest line was added. Used if admins have turned the log off since. */
  channel: LogChannel;
}

/** `at` is when the message was posted, by the monotonic clock. */
type Posted = Waiting & { readonly messageId: string; readonly at: number };

/**
 * Creates the log that shows admins how their key is used. Its functions never throw or hold up other work. Lines from the
 * last few seconds are only kept in memory, so a crash loses them.
 */
export function createGuildLog(deps: GuildLogDeps) {
  const {
    posts,
    guildWords,
    channelOf,
    setTrouble,
    logger,
    collectMs = COLLECT_MS,
    messageGapMs = MESSAGE_GAP_MS,
  } = deps;
  const waitingMessages = new Map<string, Waiting>();
  /** The promise resolves once no more messages are waiting. */
  const posting = new Map<string, Promise<void>>();
  /** Only contains messages about one member's changes. */
  const changes = createBoundedMap<Posted>(MAX_CHANGED_GUILDS);
  const skipDelays = new AbortController();

  async function add(
    guildId: string,
    put: (message: Waiting, t: Translate) => void,
    former?: LogChannel,
  ): Promise<void> {
    try {
      const channel = former ?? (await channelOf(guildId));
      if (channel === undefined) return;
      // If an admin chooses the channel again, `trouble` is cleared and posting resumes immediately.
      if (channel.trouble !== undefined && posts.wasRejected(channel.channelId, PAUSE_AFTER_REJECTION_MS))
        return;
      const words = await guildWords(guildId);
      const message = waitingMessages.get(guildId) ?? newMessage(channel);
      waitingMessages.set(guildId, message);
      message.channel = channel;
      put(message, words);
      if (!posting.has(guildId)) posting.set(guildId, postAll(guildId));
    } catch (error) {
      logger.warn({ err: error, guildId }, "could not add a line to a guild's log; dropping it");
    }
  }

  async function postAll(guildId: string): Promise<void> {
    await pause(collectMs);
    for (
      let message = waitingMessages.get(guildId);
      message !== undefined;
      message = waitingMessages.get(guildId)
    ) {
      waitingMessages.delete(guildId);
      await postUntilDone(guildId, message);
      await pause(messageGapMs);
    }
    posting.delete(guildId);
  }

  /** Uses the same nonce and text for all attempts, because a failed attempt may have reached Discord. */
  async function postUntilDone(guildId: string, message: Waiting): Promise<void> {
    for (let attempt = 1; (await post(guildId, message)) === 'failed'; attempt += 1) {
      if (attempt === MAX_ATTEMPTS || skipDelays.signal.aborted) return;
      await pause(messageGapMs);
    }
  }

  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: skipDelays.signal, ref: false }).catch(() => undefined);

  async function post(guildId: string, message: Waiting): Promise<PostResult | undefined> {
    try {
      const channel = (await channelOf(guildId)) ?? message.channel;
      const { channelId, trouble } = channel;
      const t = await guildWords(guildId);
      const shown = withEarlierChanges(guildId, channelId, message, t);
      const { result, messageId } = await posts.put(channelId, messageOf(shown, channel, t), shown.messageId);
      // The next attempt posts a new message.
      if (result === 'message-gone') changes.delete(guildId);
      if (result === 'message-gone' || result === 'harmful-link' || result === 'failed') return 'failed';
      if (messageId !== undefined && isByOneMember(shown))
        changes.set(guildId, { at: performance.now(), ...shown, messageId });
      const found = result === 'posted' ? undefined : result;
      if (found !== trouble) await setTrouble(guildId, channelId, found);
      return result;
    } catch (error) {
      logger.warn({ err: error, guildId }, "could not write to a guild's log channel; dropping the message");
      return undefined;
    }
  }

  /** Extends the channel's latest message only if it has recent changes by the same member and enough room. */
  function withEarlierChanges(
    guildId: string,
    channelId: string,
    message: Waiting,
    t: Translate,
  ): Waiting & Partial<Posted> {
    const earlier = changes.get(guildId);
    const isLatest = earlier !== undefined && posts.isLatest(channelId, earlier.messageId);
    if (!isLatest || !isRecent(earlier.at, MINUTE_MS, performance.now())) return message;
    const lines = [...earlier.lines, ...message.lines];
    const both = { ...earlier, ...message, lines, count: earlier.count + message.count };
    const texts = textsOf(lines);
    return isByOneMember(both) && fittingLines(t, texts, both.count) === texts.join('\n') ? both : message;
  }

  return {
    /**
     * Adds a line in the guild's language. The line appears within a few seconds, together with other lines.
     * @param kind the outcome that the line is about; the worst outcome determines the message's colour
     */
    add: (guildId: string, makeText: (t: Translate) => string, kind?: keyof typeof LOOK): Promise<void> =>
      add(guildId, (message, t) => {
        addLine(message, { text: makeText(t) });
        if (kind !== undefined) message.kinds.add(kind);
      }),
    /**
     * Adds a change below a heading that names who made it. If the same member made the previous change within a minute, and
     * nothing else was posted in between, the change is added to the previous message.
     */
    change: (
      guildId: string,
      makeHeading: (t: Translate) => string,
      makeText: (t: Translate) => string,
    ): Promise<void> =>
      add(guildId, (message, t) => addLine(message, { heading: makeHeading(t), text: makeText(t) })),
    /** Adds the last line of a channel that is no longer the guild's log channel, below the lines that are still waiting. */
    farewell: (guildId: string, channelId: string, makeText: (t: Translate) => string): Promise<void> =>
      add(
        guildId,
        (message, t) => {
          message.count += 1;
          message.lines.push({ text: makeText(t) });
        },
        { channelId, trouble: undefined, notifyRoleId: undefined },
      ),
    /** Adds a red alert for admins to act on, above all lines. Mentions the role that admins chose for alerts. */
    alert: (guildId: string, makeAlert: (t: Translate) => Alert): Promise<void> =>
      add(guildId, (message, t) => void message.alerts.push(makeAlert(t))),
    /** Posts all waiting messages immediately, because the bot is stopping. */
    async flush(): Promise<void> {
      skipDelays.abort();
      await Promise.all(posting.values());
    },
  };
}

const newMessage = (channel: LogChannel): Waiting => ({
  nonce: randomUUID(),
  alerts: [],
  lines: [],
  count: 0,
  kinds: new Set(),
  channel,
});

function addLine(message: Waiting, line: Line): void {
  message.count += 1;
  if (message.lines.length < MAX_WAITING_LINES) message.lines.push(line);
}

const isByOneMember = ({ alerts, lines }: Waiting): boolean =>
  alerts.length === 0 && lines.every(({ heading }) => heading !== undefined && heading === lines[0]?.heading);

const textsOf = (lines: readonly Line[]): readonly string[] =>
  lines.map(({ heading, text }, index) =>
    heading === undefined || heading === lines[index - 1]?.heading ? text : `${heading}\n${text}`,
  );

/** Builds a message with the alerts above the lines. Mentions the role in the text, because embeds don't ping. */
function messageOf(
  { nonce, alerts, lines, count, kinds }: Waiting,
  { notifyRoleId }: LogChannel,
  t: Translate,
): ChannelMessage {
  const texts = textsOf(lines);
  if (alerts.length === 0) {
    const look = kinds.size > 0 && { color: LOOK[worstOf([...kinds])].color };
    return { nonce, embed: { ...look, description: fittingLines(t, texts, count) } };
  }
  const mention = notifyRoleId === undefined ? [] : [`<@&${notifyRoleId}>`];
  const description = [
    ...alerts.map(({ details }) => details).filter((details) => details !== ''),
    ...(texts.length > 0 ? [fittingLines(t, texts, count)] : []),
  ].join('\n\n');
  return {
    nonce,
    content: [...mention, ...alerts.map(({ text }) => text)].join('\n'),
    ...(description !== '' && { embed: { color: LOOK.rejected.color, description } }),
    ...(notifyRoleId !== undefined && { pingableRoleId: notifyRoleId }),
  };
}
