/**
 * Loaded into the bot before anything else: what is done once a minute is done five times a second, and as much time has
 * passed as is in the file PASSED_FILE, in milliseconds.
 */
import { readFileSync } from 'node:fs';

const file = process.env.PASSED_FILE ?? '';
const now = performance.now.bind(performance);
performance.now = () => now() + Number(readFileSync(file, 'utf8'));

const MINUTE_MS = 60_000;
const every = globalThis.setInterval;
globalThis.setInterval = ((run: () => void, ms: number) =>
  every(run, ms === MINUTE_MS ? 200 : ms)) as typeof setInterval;
