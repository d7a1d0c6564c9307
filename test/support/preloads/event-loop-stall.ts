/**
 * Loaded into the bot before anything else. Writes a line to STALL_FILE every time the event loop has been blocked for more
 * than 20 ms. See ../machine.ts.
 */
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.STALL_FILE ?? '';
const TICK_MS = 5;
const WORTH_A_LINE_MS = 20;

let last = performance.now();
let lastCpu = process.threadCpuUsage();

function look(): void {
  const now = performance.now();
  const ms = now - last - TICK_MS;
  if (ms > WORTH_A_LINE_MS) {
    const { user, system } = process.threadCpuUsage(lastCpu);
    const own = Math.min(ms, (user + system) / 1000);
    appendFileSync(
      file,
      `${JSON.stringify({ at: Date.now(), ms: Math.round(ms), ownMs: Math.round(own) })}\n`,
    );
  }
  last = performance.now();
  lastCpu = process.threadCpuUsage();
}

// Workers load this file too, but they don't block the bot.
if (isMainThread) setInterval(look, TICK_MS).unref();
