/* Numbers shared by parts of the bot that don't import one another. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Lifetime of an interaction token, in milliseconds (Discord docs: Receiving and Responding, "Followup Messages"). */
export const TOKEN_LIVES_MS = 15 * 60_000;
/** Maximum length of a link button's URL, in characters (Discord docs: Components, Button). */
export const LONGEST_LINK = 512;
