/** Where Discord's time begins, in milliseconds since 1970 (Discord docs: Reference, "Snowflakes"). */
const EPOCH_MS = 1_420_070_400_000;

/** When something with this id was made, in milliseconds since 1970. */
export const madeAt = (id: string): number => Number(BigInt(id) >> 22n) + EPOCH_MS;
