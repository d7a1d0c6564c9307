export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Lifetime of an interaction token (Discord docs: Receiving and Responding, "Followup Messages"). */
export const TOKEN_LIVES_MS = 15 * 60_000;
