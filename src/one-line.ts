/**
 * Characters that show nothing and change how what is around them is read or shown: controls, zero width, text
 * direction, interlinear annotation. They have no form that could be escaped. Zero-width joiners stay between
 * characters beyond Latin, where they are spelling (Persian, Indic scripts) or make one emoji of several; variation
 * selectors stay.
 */
const INVISIBLE =
  /(?<=[^\0-\u02ff\u2000-\u206f])([\u200c\u200d])(?=[^\0-\u02ff\u2000-\u206f])|(?![\ufe00-\ufe0f])[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Whatever some program takes for the end of a line, and tabs. */
const LINE_BREAK = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;

/** Nothing in it to change: most names. Autocomplete asks of fifty texts a key stroke. */
const PLAIN = /^[ -~]*$/;

/**
 * Someone else's text as one line in which everything can be seen. A line break becomes a space; invisible characters
 * and spaces around the text go; half a surrogate pair becomes U+FFFD. For places without markup: labels, choices, cells of a
 * table.
 */
export const visibleLine = (text: string): string =>
  (PLAIN.test(text) ? text : text.toWellFormed().replace(LINE_BREAK, ' ').replace(INVISIBLE, '$1')).trim();

/** At most `most` UTF-16 units, whole code points, ending in an ellipsis if there was more. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\u{fffd}$/u, '')}…`;
}
