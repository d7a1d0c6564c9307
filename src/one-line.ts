/**
 * Invisible characters that change how the text around them is read or shown: controls, zero width, text direction,
 * interlinear annotation. They can't be escaped. Zero-width joiners stay between non-Latin characters, where they are
 * spelling (Persian, Indic scripts) or join several emoji into one. Variation selectors stay too.
 */
const INVISIBLE =
  /(?<=[^\0-\u02ff\u2000-\u206f])([\u200c\u200d])(?=[^\0-\u02ff\u2000-\u206f])|(?![\ufe00-\ufe0f])[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Every character that some program treats as a line end, and tabs. */
const LINE_BREAK = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;

/** Matches text that needs no change, such as most names. Autocomplete checks fifty texts per keystroke. */
const PLAIN = /^[ -~]*$/;

/**
 * Turns someone else's text into one line without hidden characters. A line break becomes a space, and half a surrogate
 * pair becomes U+FFFD. Invisible characters and surrounding spaces are removed. For places without markup: labels, choices,
 * table cells.
 */
export const visibleLine = (text: string): string =>
  (PLAIN.test(text) ? text : text.toWellFormed().replace(LINE_BREAK, ' ').replace(INVISIBLE, '$1')).trim();

/**
 * Shortens a text to at most `most` UTF-16 units, without splitting code points. Ends it with an ellipsis if anything was
 * cut.
 */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\u{fffd}$/u, '')}…`;
}
