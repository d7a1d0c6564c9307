import { styleText } from 'node:util';
import { timeText } from '../page/client/times.ts';

/** Puts text in a style where the output can show it; elsewhere the text stays as it is. */
export type Paint = (style: 'bold' | 'dim' | 'italic' | 'underline' | 'cyan' | 'red', text: string) => string;

/** No styles: for pipes and tests. */
export const plain: Paint = (_style, text) => text;

/** Styles for a terminal; none when the stream is not one, or `NO_COLOR` is set. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

export interface Reading {
  readonly paint?: Paint;
  /** Milliseconds since 1970, for "2 minutes ago". */
  readonly now: number;
  /** The locale of the reader's Discord, for times; `en-US` when not said. */
  readonly locale?: string;
  /** The name of a member, a channel or a role, by its id. */
  readonly userName?: (id: string) => string | undefined;
  readonly channelName?: (id: string) => string | undefined;
  readonly roleName?: (id: string) => string | undefined;
  /** Shows every time with this text; for what is to be the same whenever it is made. */
  readonly anyTime?: string | undefined;
}

/** Everything Discord shows in another form than it was sent, one named group each (Discord docs: Message Formatting). */
const MARKS = new RegExp(
  [
    /```(?:[\w+-]*\n)?(?<block>[\s\S]+?)```/,
    /`(?<code>[^`]+)`/,
    /\\(?<escaped>[^\p{L}\p{N}\s])/u,
    /<\/(?<command>[^:<>]+):\d+>/,
    /<t:(?<seconds>-?\d+)(?::(?<format>[tTdDfFsSR]))?>/,
    /<a?:(?<emoji>\w+):\d+>/,
    /<@!?(?<user>\d+)>/,
    /<(?<sigil>#|@&)(?<place>\d+)>/,
    /\[(?<label>(?:\\.|[^\]\\\n])+)\]\(<?(?<link>https?:\/\/[^)>\s]+)>?\)/,
    /\*\*(?<bold>(?:\\.|`[^`]+`|[^\\`])+?)\*\*/,
    /__(?<underline>(?:\\.|`[^`]+`|[^\\`])+?)__/,
    /~~(?<struck>(?:\\.|`[^`]+`|[^\\`])+?)~~/,
    /\|\|(?<spoiler>(?:\\.|`[^`]+`|[^\\`])+?)\|\|/,
    /\*(?<italic>(?:\\.|[^\\*\s])(?:(?:\\.|[^\\*])*(?:\\.|[^\\*\s]))?)\*/,
    /(?<![\p{L}\p{N}])_(?<slanted>(?:\\.|[^\\_])+?)_(?![\p{L}\p{N}])/u,
    /(?<=^|\n)(?:#{1,3} )(?<heading>[^\n]+)/,
    /(?<=^|\n)-# (?<small>[^\n]+)/,
    /(?<=^|\n)> (?<quote>[^\n]*)/,
    /(?<=^|\n)(?<indent> *)[-*] (?=\S)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

/** Discord's markdown as a reader sees it: marks become styles or go, mentions and times become words. */
export function readMarkdown(text: string, reading: Reading): string {
  const paint = reading.paint ?? plain;
  const { now, locale = 'en-US' } = reading;
  const inner = (part: string) => readMarkdown(part, reading);
  return text.replace(MARKS, (...args) => {
    const found = args.at(-1) as Readonly<Record<string, string | undefined>>;
    const { block, code, escaped, command, seconds, emoji, user, place, label, link } = found;
    if (block !== undefined) return block.replace(/\n$/, '');
    if (code !== undefined) return paint('cyan', code);
    if (escaped !== undefined) return escaped;
    if (command !== undefined) return paint('cyan', `/${command}`);
    if (seconds !== undefined)
      return reading.anyTime ?? timeText(Number(seconds), { format: found.format, locale, now });
    if (emoji !== undefined) return `:${emoji}:`;
    if (user !== undefined) return `@${reading.userName?.(user) ?? user}`;
    if (place !== undefined && found.sigil === '#') return `#${reading.channelName?.(place) ?? place}`;
    if (place !== undefined) return named(reading.roleName?.(place) ?? place);
    if (label !== undefined) return `${inner(label)} (${link})`;
    if (found.bold !== undefined) return paint('bold', inner(found.bold));
    if (found.heading !== undefined) return paint('bold', inner(found.heading));
    if (found.underline !== undefined) return paint('underline', inner(found.underline));
    if (found.small !== undefined) return paint('dim', inner(found.small));
    if (found.quote !== undefined) return `│ ${inner(found.quote)}`;
    if (found.indent !== undefined) return `${found.indent}• `;
    const slanted = found.italic ?? found.slanted;
    if (slanted !== undefined) return paint('italic', inner(slanted));
    return inner(found.struck ?? found.spoiler ?? '');
  });
}

/** A role is shown with an @ before it, but for @everyone, whose name has one. */
const named = (name: string): string => (name.startsWith('@') ? name : `@${name}`);
