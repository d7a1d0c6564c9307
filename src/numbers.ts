/*
 * Numbers that parts of the bot share which do not import each other.
 */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** How long an interaction's token lives, in milliseconds (Discord docs: Receiving and Responding, "Followup Messages"). */
export const TOKEN_LIVES_MS = 15 * 60_000;
/** Discord docs: Components, Button: the URL of a link button has at most 512 characters. */
export const LONGEST_LINK = 512;
