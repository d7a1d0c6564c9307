import { LONGEST_NAME as LONGEST_CHOICE } from '../listing/contract.ts';
import { visibleLine } from '../visible-line.ts';
import { shorten } from './shorten.ts';

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
 * Someone else's text as it stands, on one line, in which nothing acts: no markup, link, invite, mention, emoji code,
 * time or list. Nothing is inserted but backslashes, which Discord takes out before punctuation; what cannot be shown
 * goes as {@link visibleLine} says. Linear.
 * @param most UTF-16 units of the result; what is longer is cut before it is escaped
 */
export function escapeText(text: string, most: number = MOST_TEXT): string {
  const line = visibleLine(text);
  const whole = escaped(line);
  if (whole.length <= most) return whole;
  // Each character takes at most one backslash, and a part takes no more of them than the whole.
  const room = Math.max(Math.floor(most / 2), most - (whole.length - line.length));
  const part = escaped(shorten(line, room));
  // But for a dot or a colon that nothing followed and the ellipsis does: it takes one.
  return part.length <= most ? part : escaped(shorten(line, room - 1));
}

/** A name in a sentence, in UTF-16 units: of the 100 characters that a choice takes, each with a backslash. */
export const LONGEST_NAME = 2 * LONGEST_CHOICE;

/** A text in the service's words, beside the address it is about and what to do next, in a message of 2,000. */
const MOST_TEXT = 1200;

/**
 * Someone else's text to be put between backticks, where nothing acts but a backtick, which no backslash escapes: it
 * is shown as an apostrophe. Never empty, since two backticks with nothing between them would begin other code.
 */
export const escapeCode = (text: string, most: number = MOST_CODE): string =>
  shorten(visibleLine(text).replaceAll('`', "'"), most) || ' ';

/** The longest address with its port. */
const MOST_CODE = 300;
