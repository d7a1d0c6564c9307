import { type APIEmbed, DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Logger } from '../logger.ts';
import { LOOK } from '../words/look.ts';
import type { Translate, WordsFor } from '../words/words.ts';
import { fitReply, LIMITS } from './limits.ts';

/** Why messages do not arrive, other than for a moment. */
export type LogTrouble = Exclude<PostResult, 'posted' | 'failed'>;

/** Where a guild's log is, and its language. */
export interface LogChannel {
  readonly channelId: string;
  readonly locale: string;
  /** What was wrong with this channel last. */
  readonly trouble?: LogTrouble | undefined;
  /** The role that is mentioned when admins have to act; the only mention that notifies anybody. */
  readonly roleId?: string | undefined;
}

/** In milliseconds. */
export interface GuildLogTiming {
  /** Lines that come within this time of the first make one message. */
  readonly collectMs?: number;
  /** At most one message in this time. */
  readonly gapMs?: number;
}

export interface GuildLogDeps extends GuildLogTiming {
  readonly posts: ChannelPosts;
  readonly wordsFor: WordsFor;
  /** `undefined`: the guild has no log channel. */
  readonly channelOf: (guildId: string) => Promise<LogChannel | undefined>;
  /** Keeps what is wrong with the channel for admins to see; `undefined` when it works again. */
  readonly setTrouble: (guildId: string, channelId: string, trouble: LogTrouble | undefined) => Promise<void>;
  readonly logger: Logger;
}

/** The channel in which admins read what is done with their key. It never gets in the way: nothing throws. */
export interface GuildLog {
  /** Adds a line, in the guild's language; it appears within seconds, together with others. */
  tell(guildId: string, makeText: (t: Translate) => string): Promise<void>;
  /** Says in red, above all lines, that admins have to act, and mentions the role that they chose for it. */
  alert(guildId: string, makeAlert: (t: Translate) => Alert): Promise<void>;
  /** Posts at once what is waiting, as when the bot stops. */
  flush(): Promise<void>;
}

export interface Alert {
  /** What must be read: the message's text. */
  readonly text: string;
  /** What else there is to know of it: the first line of the embed. */
  readonly details: string;
}

const COLLECT_MS = 1_000;
/** Discord takes five in 5 seconds, and people read slower. */
const GAP_MS = 5_000;
/** Different lines that wait in a guild; further ones are counted only. */
const MOST_LINES = 50;
/** A message that Discord could not take for a moment is tried so often. */
const ATTEMPTS = 3;
/** How long a channel that refuses is left alone: 10,000 refusals in 10 minutes would have Discord ban the bot. */
const PAUSE_MS = 10 * 60_000;

interface Waiting {
  readonly alerts: Alert[];
  /** Line → how often. */
  readonly lines: Map<string, number>;
  uncounted: number;
  attempts: number;
  timer: NodeJS.Timeout;
}

/** Waiting lines are in memory only: what is lost when the bot crashes is a few seconds of a log for people. */
export function createGuildLog(deps: GuildLogDeps): GuildLog {
  const { posts, wordsFor, channelOf, setTrouble, logger, collectMs = COLLECT_MS, gapMs = GAP_MS } = deps;
  const waiting = new Map<string, Waiting>();
  const refusing = createRefusingChannels();

  function openQueue(guildId: string, ms: number): Waiting {
    const timer = setTimeout(() => void next(guildId), ms).unref();
    const queue: Waiting = { alerts: [], lines: new Map(), uncounted: 0, attempts: 0, timer };
    waiting.set(guildId, queue);
    return queue;
  }

  /** Posts what waits in a guild, or forgets that it had anything. */
  async function next(guildId: string): Promise<void> {
    const queue = waiting.get(guildId);
    if (queue === undefined) return;
    clearTimeout(queue.timer);
    waiting.delete(guildId);
    if (queue.lines.size === 0 && queue.alerts.length === 0) return;
    // What comes meanwhile, and until the gap is over, makes the next message.
    const following = openQueue(guildId, gapMs);
    if ((await post(guildId, queue)) === 'failed') putBefore(following, queue);
  }

  async function post(guildId: string, queue: Waiting): Promise<PostResult | undefined> {
    try {
      const channel = await channelOf(guildId);
      if (channel === undefined) return undefined;
      const { channelId, trouble } = channel;
      const result = await posts.post(channelId, messageOf(queue, channel, wordsFor(channel.locale)));
      if (result === 'failed') return result;
      const found = result === 'posted' ? undefined : result;
      if (found !== undefined) refusing.add(channelId);
      if (found !== trouble) await setTrouble(guildId, channelId, found);
      return result;
    } catch (error) {
      logger.warn({ err: error, guildId }, 'the log of a guild could not be written');
      return undefined;
    }
  }

  async function add(guildId: string, put: (queue: Waiting, t: Translate) => void): Promise<void> {
    try {
      const channel = await channelOf(guildId);
      if (channel === undefined) return;
      // Choosing the channel again clears the trouble, and ends the pause.
      if (channel.trouble !== undefined && refusing.has(channel.channelId)) return;
      put(waiting.get(guildId) ?? openQueue(guildId, collectMs), wordsFor(channel.locale));
    } catch (error) {
      logger.warn({ err: error, guildId }, 'a line for the log of a guild was lost');
    }
  }

  return {
    tell: (guildId, makeText) => add(guildId, (queue, t) => addLine(queue, makeText(t))),
    alert: (guildId, makeAlert) => add(guildId, (queue, t) => void queue.alerts.push(makeAlert(t))),
    async flush() {
      await Promise.all([...waiting.keys()].map(next));
    },
  };
}

function addLine(queue: Waiting, line: string): void {
  const times = queue.lines.get(line);
  if (times === undefined && queue.lines.size >= MOST_LINES) queue.uncounted += 1;
  else queue.lines.set(line, (times ?? 0) + 1);
}

/** Lets what could not be posted be tried with what follows, unless it was tried often enough. */
function putBefore(following: Waiting, queue: Waiting): void {
  if (queue.attempts + 1 >= ATTEMPTS) return;
  following.attempts = queue.attempts + 1;
  following.uncounted += queue.uncounted;
  following.alerts.unshift(...queue.alerts);
  const since = [...following.lines];
  following.lines.clear();
  for (const [line, times] of [...queue.lines, ...since]) {
    following.lines.set(line, times + (following.lines.get(line) ?? 0));
  }
}

/** Channels that refused, for as long as they are left alone. */
function createRefusingChannels() {
  const until = new Map<string, number>();
  return {
    add: (channelId: string) => void until.set(channelId, Date.now() + PAUSE_MS),
    has(channelId: string): boolean {
      for (const [id, end] of until) if (end <= Date.now()) until.delete(id);
      return until.has(channelId);
    },
  };
}

/** The alerts, and below them the lines. Embeds notify nobody, so that the role stands in the text. */
function messageOf(queue: Waiting, { roleId }: LogChannel, t: Translate): ChannelMessage {
  const { alerts, lines } = queue;
  if (alerts.length === 0) return { embed: { description: linesText(queue, t) } };
  const mention = roleId === undefined ? [] : [`<@&${roleId}>`];
  const description = [
    ...alerts.map(({ details }) => details),
    ...(lines.size > 0 ? [linesText(queue, t)] : []),
  ].join('\n\n');
  return {
    content: [...mention, ...alerts.map(({ text }) => text)].join('\n'),
    embed: { color: LOOK.rejected.color, description },
    ...(roleId !== undefined && { roleId }),
  };
}

/** The lines, and how many there was no room for. */
function linesText({ lines, uncounted }: Waiting, t: Translate): string {
  const shown: string[] = [];
  let left = uncounted;
  // Room for the sentence about those that are left.
  let room = LIMITS.embedDescription - 200;
  for (const [line, times] of lines) {
    const text = times === 1 ? line : t('guildLog.repeated', { line, times });
    room -= text.length + 1;
    if (room < 0 && shown.length > 0) left += times;
    else shown.push(text);
  }
  return [...shown, ...(left > 0 ? [t('guildLog.more', { count: left })] : [])].join('\n');
}

/**
 * What came of a message: the channel is gone, the bot may not see it, or may not send messages or embed links in it.
 * `failed`: for now; Discord could not be asked.
 */
export type PostResult = 'posted' | 'gone' | 'no-access' | 'no-permission' | 'failed';

/** A message that is no answer to anything. */
export interface ChannelMessage {
  readonly content?: string;
  readonly embed: APIEmbed;
  /** The one role that a mention of it in the content notifies. */
  readonly roleId?: string;
}

/** Messages that are no answer to anything. They need View Channel, Send Messages and Embed Links. */
export interface ChannelPosts {
  /** Pings nobody but the one role. Never throws. */
  post(channelId: string, message: ChannelMessage): Promise<PostResult>;
}

export interface ChannelPostsDeps {
  readonly rest: () => Pick<REST, 'post'>;
  readonly logger: Logger;
}

/** Discord docs: JSON Error Codes. */
const REFUSALS: Readonly<Record<number, LogTrouble>> = {
  [RESTJSONErrorCodes.UnknownChannel]: 'gone',
  [RESTJSONErrorCodes.UnknownGuild]: 'gone',
  [RESTJSONErrorCodes.MissingAccess]: 'no-access',
  [RESTJSONErrorCodes.MissingPermissions]: 'no-permission',
};

/** Why Discord refuses what concerns a channel, other than for a moment. */
export const troubleOf = (error: unknown): LogTrouble | undefined =>
  error instanceof DiscordAPIError ? REFUSALS[Number(error.code)] : undefined;

export function createChannelPosts({ rest, logger }: ChannelPostsDeps): ChannelPosts {
  return {
    async post(channelId, { content, embed, roleId }) {
      const body = {
        ...fitReply({ ...(content !== undefined && { content }), embeds: [embed] }),
        allowed_mentions: { parse: [], ...(roleId !== undefined && { roles: [roleId] }) },
      };
      try {
        await rest().post(Routes.channelMessages(channelId), { body });
        return 'posted';
      } catch (error) {
        const refusal = troubleOf(error);
        if (refusal === undefined) logger.warn({ err: error, channelId }, 'a message could not be posted');
        return refusal ?? 'failed';
      }
    },
  };
}
