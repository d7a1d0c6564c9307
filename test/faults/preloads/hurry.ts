/** Loaded into the bot first. Runs jobs that are due once a minute or every 5 seconds five times a second. */
const OFTEN_MS = [5_000, 60_000];
const every = globalThis.setInterval;
globalThis.setInterval = ((run: () => void, ms: number) =>
  every(run, OFTEN_MS.includes(ms) ? 200 : ms)) as typeof setInterval;
