/** Loaded into the bot before anything else: what is done once a minute is done five times a second. */
const MINUTE_MS = 60_000;
const every = globalThis.setInterval;
globalThis.setInterval = ((run: () => void, ms: number) =>
  every(run, ms === MINUTE_MS ? 200 : ms)) as typeof setInterval;
