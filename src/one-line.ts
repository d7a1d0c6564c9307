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

export const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter();

/** Cuts a text to `max` UTF-16 units without splitting a visible character. A character with many marks counts as one. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Two more units show whether the last character continues after the cut.
  const { index = max } = graphemes.segment(text.slice(0, max + 2)).containing(max) ?? {};
  return text.slice(0, index);
}

/** Cuts a text to `max` UTF-16 units, with an ellipsis if anything was cut. For text without markup. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : cut(text, max - ELLIPSIS.length) + ELLIPSIS;
