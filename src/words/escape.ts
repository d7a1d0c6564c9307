import { LONGEST_NAME } from '../listing/contract.ts';
import { cut, ELLIPSIS, shorten, visibleLine } from '../one-line.ts';

/**
 * Matches where Discord's markup can begin or end (Discord docs: Message Formatting). A colon or a full stop before a space
 * or at the end is punctuation. Elsewhere, a colon begins `:emoji:` or the `//` of a link. A full stop can be part of a
 * bare invite such as `discord.gg/…`, which Discord recognises in the raw text.
 */
const MARKUP = /[\\*_~`|[\]<>@#]|[:.](?=\S)|^[-+]/gu;

const LIST_NUMBER = /^(\d+)([.)])/u;

const escaped = (line: string): string =>
  line.replace(MARKUP, '\\$&').replace(LIST_NUMBER, (_all, number, mark) => `${number}\\${mark}`);

/**
 * Escapes text from someone else for use on one line. It looks the same, but contains no markup, links, invites, mentions,
 * emoji codes, times or lists. Only inserts backslashes, which Discord removes before punctuation. {@link visibleLine}
 * removes invisible characters. Runs in linear time.
 * @param most the maximum length of the result, in UTF-16 units; longer text is cut before it is escaped
 */
export function escapeText(text: string, most: number = MOST_TEXT): string {
  const line = visibleLine(text);
  let capacity = most;
  let part = escaped(shorten(line, capacity));
  while (part.length > most) {
    // Removing a character removes at most one backslash.
    capacity -= Math.ceil((part.length - most) / 2);
    part = escaped(shorten(line, capacity));
  }
  return part;
}

/**
 * Maximum length of an escaped name, in UTF-16 units. A name has up to 100 characters, which is Discord's limit for a
 * choice, and all of them may have to be escaped.
 */
export const LONGEST_ESCAPED_NAME = 2 * LONGEST_NAME;

/** Escapes the name of a game or a member, like {@link escapeText}. */
export const escapeName = (name: string): string => escapeText(name, LONGEST_ESCAPED_NAME);

/**
 * Formats a member as a mention and as a name. The mention doesn't ping in an embed, and the name is readable even if
 * Discord doesn't know the member.
 * @param name empty if unknown
 */
export function memberText({ id, name }: { readonly id: string; readonly name: string }): string {
  return name === '' ? `<@${id}>` : `<@${id}> (${escapeName(name)})`;
}

/**
 * The maximum length of the service's message, in UTF-16 units. A Discord message of 2,000 must also have space for the
 * address and the next steps.
 */
const MOST_TEXT = 1200;

/**
 * Escapes text from someone else for use between backticks. Only a backtick has a meaning there and it can't be escaped, so
 * it becomes an apostrophe. Never returns an empty string, because two adjacent backticks would begin a different kind of
 * code.
 */
export const escapeCode = (text: string, most: number = LONGEST_ADDRESS): string =>
  shorten(visibleLine(text).replaceAll('`', "'"), most) || ' ';

/** The maximum length of an address as typed, including its port, in UTF-16 units. */
export const LONGEST_ADDRESS = 300;

/**
 * Like {@link shorten}, for the bot's own text with markup. Never cuts inside an escape, a mention or a code span, because
 * the contents would take effect without the closing backtick. The bot only uses code spans with one backtick on each side.
 */
export function shortenMarkup(text: string, max: number): string {
  if (text.length <= max) return text;
  const [kept = ''] = WHOLE_MARKUP.exec(cut(text, max - ELLIPSIS.length)) ?? [];
  return kept + ELLIPSIS;
}

/** Matches text up to the first unfinished escape, code span or mention. */
const WHOLE_MARKUP = /^(?:[^\\`<]|\\.|`[^`]*`|<[^<>]*>)*/s;

/** Makes a sentence readable outside Discord, by removing the markup for code and links and formatting times in UTC. */
export const readOutsideDiscord = (text: string): string =>
  text
    .replaceAll('`', '')
    .replace(/\[([^[\]]*)\]\(<[^<>]*>\)/g, '$1')
    .replace(/<t:(\d{1,12})(?::\w)?>/g, (_, seconds: string) => `${minuteOf(Number(seconds) * 1000)} UTC`);

/** Formats a time in UTC, such as 2026-01-31 23:59. @param at milliseconds since 1970 */
const minuteOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
