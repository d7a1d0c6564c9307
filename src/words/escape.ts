import { LONGEST_NAME } from '../listing/contract.ts';
import { visibleLine } from '../one-line.ts';

/**
 * Where Discord's markup can begin or end (Discord docs: Message Formatting). A colon or a full stop before a space or
 * at the end is punctuation; elsewhere a colon begins `:emoji:` and the `//` of a link, and a full stop makes a bare
 * invite such as `discord.gg/…`, which Discord finds in the text as it was sent, of host and path.
 */
const MARKUP = /[\\*_~`|[\]<>@#]|[:.](?=\S)|^[-+]/gu;

/** The number of a numbered list. */
const LIST_NUMBER = /^(\d+)([.)])/u;

const escaped = (line: string): string =>
  line.replace(MARKUP, '\\$&').replace(LIST_NUMBER, (_all, number, mark) => `${number}\\${mark}`);

/**
 * Someone else's text on one line, shown as it is, in which nothing acts: no markup, link, invite, mention, emoji code, time
 * or list. Only backslashes are inserted, which Discord takes out before punctuation. {@link visibleLine} takes out what
 * cannot be shown. Linear.
 * @param most UTF-16 units of the result; a longer text is cut before it is escaped
 */
export function escapeText(text: string, most: number = MOST_TEXT): string {
  const line = visibleLine(text);
  let room = most;
  let part = escaped(shorten(line, room));
  while (part.length > most) {
    // With each character that is cut off, one backslash goes at most.
    room -= Math.ceil((part.length - most) / 2);
    part = escaped(shorten(line, room));
  }
  return part;
}

/** UTF-16 units of a name in a sentence: the 100 characters of a choice, each with a backslash. */
export const LONGEST_ESCAPED_NAME = 2 * LONGEST_NAME;

/** The name of a game or a member, as {@link escapeText}. */
export const escapeName = (name: string): string => escapeText(name, LONGEST_ESCAPED_NAME);

/**
 * A member as a mention, which pings nobody in an embed, and as a name, which can be read where Discord does not know the member.
 * @param name empty where it is not known
 */
export function memberText({ id, name }: { readonly id: string; readonly name: string }): string {
  return name === '' ? `<@${id}>` : `<@${id}> (${escapeName(name)})`;
}

/** UTF-16 units of the service's words: a message of 2,000 also has the address and what to do next. */
const MOST_TEXT = 1200;

/**
 * Someone else's text to be put between backticks, where nothing acts but a backtick, which no backslash escapes: it
 * is shown as an apostrophe. Never empty, since two backticks with nothing between them would begin other code.
 */
export const escapeCode = (text: string, most: number = LONGEST_ADDRESS): string =>
  shorten(visibleLine(text).replaceAll('`', "'"), most) || ' ';

/** UTF-16 units of an address as somebody typed it, with its port. */
export const LONGEST_ADDRESS = 300;

const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter();

/** The text cut to `max` UTF-16 units, between characters as people see them: a pile of marks is one, however high. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Two more units tell whether the last character goes on behind the cut.
  const { index = max } = graphemes.segment(text.slice(0, max + 2)).containing(max) ?? {};
  return text.slice(0, index);
}

/** The text cut to `max` UTF-16 units, with an ellipsis where something was cut. For text without markup. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : cut(text, max - ELLIPSIS.length) + ELLIPSIS;

/**
 * As {@link shorten}, for text of ours with markup in it: never cut within an escape, a mention or a piece of code,
 * whose contents would act without their closing backtick. Code with one backtick on each side is all we use.
 */
export function shortenMarkup(text: string, max: number): string {
  if (text.length <= max) return text;
  const [kept = ''] = WHOLE_MARKUP.exec(cut(text, max - ELLIPSIS.length)) ?? [];
  return kept + ELLIPSIS;
}

/** The beginning of a text up to where an escape, a piece of code or a mention begins that does not end. */
const WHOLE_MARKUP = /^(?:[^\\`<]|\\.|`[^`]*`|<[^<>]*>)*/s;

/** A sentence without Discord's markup: code, links, and times in the reader's zone. */
export const readOutsideDiscord = (text: string): string =>
  text
    .replaceAll('`', '')
    .replace(/\[([^[\]]*)\]\(<[^<>]*>\)/g, '$1')
    .replace(/<t:(\d{1,12})(?::\w)?>/g, (_, seconds: string) => `${minuteOf(Number(seconds) * 1000)} UTC`);

/** A time in UTC, as in 2026-01-31 23:59; in milliseconds since 1970. */
const minuteOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
