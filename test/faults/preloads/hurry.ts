/**
 * Loaded into the bot before anything else. Jobs that normally run once a minute or every 5 seconds run five times a
 * second.
 */
const OFTEN_MS = [5_000, 60_000];
const every = globalThis.setInterval;
globalThis.setInterval = ((run: () => void, ms: number) =>
  every(run, OFTEN_MS.includes(ms) ? 200 : ms)) as typeof setInterval;
