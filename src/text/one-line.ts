/**
 * Matches invisible characters that affect how the surrounding text is read or shown: control, zero-width, text-direction
 * and interlinear annotation characters. They can't be escaped. Zero-width joiners are kept between non-Latin characters,
 * where they are part of the spelling (Persian, Indic scripts) or combine several emoji. Variation selectors are also kept.
 */
const INVISIBLE =
  /(?<=[^\0-\u02ff\u2000-\u206f])([\u200c\u200d])(?=[^\0-\u02ff\u2000-\u206f])|(?![\ufe00-\ufe0f])[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Matches tabs and all characters that programs may treat as line breaks. */
const LINE_BREAK = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;

/** Matches text that doesn't need changes, such as most names. Autocomplete checks fifty strings per keystroke. */
const PLAIN = /^[ -~]*$/;

/**
 * Converts untrusted text to one line without hidden characters, for use in places without markup (labels, choices, table
 * cells). Line breaks become spaces, and half of a surrogate pair becomes U+FFFD. Invisible characters and surrounding
 * spaces are removed.
 */
export const visibleLine = (text: string): string =>
  (PLAIN.test(text) ? text : text.toWellFormed().replace(LINE_BREAK, ' ').replace(INVISIBLE, '$1')).trim();

/** The limit for a link button's URL (Discord docs: Components, Button). */
export const MAX_LINK_LENGTH = 512;

export const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter();

/** Cuts text to `max` UTF-16 units without splitting a visible character, which can have several combining marks. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Two more units show whether the last character continues after the cut.
  const { index = max } = graphemes.segment(text.slice(0, max + 2)).containing(max) ?? {};
  return text.slice(0, index);
}

/** Cuts text without markup to `max` UTF-16 units, including the ellipsis. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : cut(text, max - ELLIPSIS.length) + ELLIPSIS;

/** Like {@link shorten}, but cuts the middle of the text, so that an address keeps its port. */
export function shortenMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = cut(text, Math.ceil((max - ELLIPSIS.length) / 2));
  const from = text.length - (max - ELLIPSIS.length - head.length);
  const { index = from, segment = '' } = graphemes.segment(text).containing(from) ?? {};
  return head + ELLIPSIS + text.slice(index < from ? index + segment.length : from);
}
