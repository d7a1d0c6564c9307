/** What a process has needed since it was last asked, in milliseconds. */
export interface Reading {
  /** Of all its threads. */
  readonly processorMs: number;
  /** The longest time in which its event loop did one thing, and what that took of the processor: others use it too. */
  readonly stallMs: number;
  readonly stallProcessorMs: number;
}

/** How often the event loop is looked at, in milliseconds. */
const EVERY_MS = 1;

/*
 * Loaded into a process before its own code: it answers every message with a reading, and sends a last one when there
 * is nothing more to do.
 */
let before = process.cpuUsage();
let last = now();
let longest = { ms: 0, processorMs: 0 };

function now() {
  const { user, system } = process.threadCpuUsage();
  return { ms: performance.now(), processorMs: (user + system) / 1_000 };
}

function look(): void {
  const { ms, processorMs } = now();
  longest = {
    ms: Math.max(longest.ms, ms - last.ms - EVERY_MS),
    processorMs: Math.max(longest.processorMs, processorMs - last.processorMs),
  };
  last = { ms, processorMs };
}

function read(): void {
  look();
  const { user, system } = process.cpuUsage(before);
  const reading: Reading = {
    processorMs: (user + system) / 1_000,
    stallMs: longest.ms,
    stallProcessorMs: longest.processorMs,
  };
  before = process.cpuUsage();
  longest = { ms: 0, processorMs: 0 };
  process.send?.(reading);
}

setInterval(look, EVERY_MS).unref();
process.on('message', read);
process.once('beforeExit', read);
process.channel?.unref();
