import { MAX_GAME_NAME_LENGTH } from '../listing/contract.ts';
import { cut, ELLIPSIS, shorten, visibleLine } from '../text/one-line.ts';

/**
 * Matches where Discord's markup can begin or end (Discord docs: Message Formatting). A colon or full stop at the end or
 * before a space is just punctuation. Elsewhere, a colon can start an `:emoji:` or the `//` of a link. A full stop can be
 * part of an invite without a scheme such as `discord.gg/…`, which Discord detects in the unformatted text.
 */
const MARKUP = /[\\*_~`|[\]<>@#]|[:.](?=\S)|^[-+]/gu;

const LIST_NUMBER = /^(\d+)([.)])/u;

const escaped = (line: string): string =>
  line.replace(MARKUP, '\\$&').replace(LIST_NUMBER, (_all, number, mark) => `${number}\\${mark}`);

/**
 * Escapes text from someone else for use on one line. The text looks the same, but contains no markup, links, invites,
 * mentions, emoji codes, timestamps or lists. Only adds backslashes before punctuation; Discord hides them. Invisible
 * characters are removed by {@link visibleLine}. Runs in linear time.
 * @param maxLength limits the result; longer text is cut before it is escaped
 */
export function escapeText(text: string, maxLength: number = MAX_TEXT_LENGTH): string {
  const line = visibleLine(text);
  let capacity = maxLength;
  let part = escaped(shorten(line, capacity));
  while (part.length > maxLength) {
    // Removing a character also removes at most one backslash.
    capacity -= Math.ceil((part.length - maxLength) / 2);
    part = escaped(shorten(line, capacity));
  }
  return part;
}

/** 100 characters (Discord's limit for a choice), each escaped. */
export const MAX_ESCAPED_NAME_LENGTH = 2 * MAX_GAME_NAME_LENGTH;

export const escapeName = (name: string): string => escapeText(name, MAX_ESCAPED_NAME_LENGTH);

/**
 * Formats a member's name, or a mention if the name is unknown. Discord's apps show many mentions that don't ping as an id or
 * as "@unknown-user" (discord-api-docs#2126).
 * @param name empty if unknown
 */
export const memberText = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  name === '' ? `<@${id}>` : nameText(name);

/** Formats a member's name as text that doesn't mention the member. */
export const nameText = (name: string): string => escapeName(`@${name}`);

/** Enough for the service's message. The address and next steps need the rest of the 2,000. */
const MAX_TEXT_LENGTH = 1200;

/**
 * Escapes text from someone else for use between backticks. Only backticks have a special meaning there. They can't be
 * escaped, so apostrophes replace them. Never returns an empty string, because two adjacent backticks would start a
 * different kind of code span.
 */
export const escapeCode = (text: string, maxLength: number = MAX_ADDRESS_LENGTH): string =>
  shorten(visibleLine(text).replaceAll('`', "'"), maxLength) || ' ';

/** Includes the port. */
export const MAX_ADDRESS_LENGTH = 300;

/**
 * Like {@link shorten}, but for the bot's own text with markup. Never cuts inside an escape, a mention or a code span.
 * Without the closing backtick, markup inside a code span would take effect. The bot only uses code spans with one backtick
 * on each side.
 */
export function shortenMarkup(text: string, max: number): string {
  if (text.length <= max) return text;
  const [kept = ''] = WHOLE_MARKUP.exec(cut(text, max - ELLIPSIS.length)) ?? [];
  return kept + ELLIPSIS;
}

/** Matches text up to the first incomplete escape, code span or mention. */
const WHOLE_MARKUP = /^(?:[^\\`<]|\\.|`[^`]*`|<[^<>]*>)*/s;

/** Makes a sentence readable outside Discord: removes the markup for code and links, and writes times in UTC. */
export const readOutsideDiscord = (text: string): string =>
  text
    .replaceAll('`', '')
    .replace(/\[([^[\]]*)\]\(<[^<>]*>\)/g, '$1')
    .replace(/<t:(\d{1,12})(?::\w)?>/g, (_, seconds: string) => `${minuteOf(Number(seconds) * 1000)} UTC`);

/** Formats a time in UTC, such as 2026-01-31 23:59. @param at milliseconds since 1970 */
const minuteOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
