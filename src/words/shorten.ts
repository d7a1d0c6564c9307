const ELLIPSIS = '…';
/** Made for the first text that is too long: it takes the start 8 ms, and most bots never need it. */
let segmenter: Intl.Segmenter | undefined;
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter();
  return segmenter;
}
/** UTF-16 units; the longest emoji there is takes 35. A longer pile of marks is cut between its code points. */
const LONGEST_GRAPHEME = 64;

/** The text cut to `max` UTF-16 units, between characters as people see them. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Two units more tell whether what follows belongs to the last character.
  const { index = max } =
    graphemes()
      .segment(text.slice(0, max + 2))
      .containing(max) ?? {};
  const isTorn = /[\ud800-\udbff]$/.test(text.slice(0, max));
  return text.slice(0, max - index <= LONGEST_GRAPHEME ? index : max - Number(isTorn));
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
  const kept = cut(text, max - ELLIPSIS.length);
  return kept.slice(0, openEnd(kept)) + ELLIPSIS;
}

/** Where something begins that does not end within the text; its length when all does. */
function openEnd(text: string): number {
  const whole = text.length;
  let [code, mention, backslash] = [whole, whole, whole];
  for (let i = 0; i < whole; i++) {
    const char = text[i];
    if (char === '`') code = code === whole ? i : whole;
    else if (code < whole) continue;
    else if (char === '<') mention = i;
    else if (char === '>') mention = whole;
    else if (char === '\\' && ++i === whole) backslash = i - 1;
  }
  return Math.min(code, mention, backslash);
}
