/**
 * Loaded into the bot before anything else. If the file CLOCK_FILE exists, shifts the bot's clock by the number of
 * milliseconds in it.
 */
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_FILE ?? '';
const right = Date.now.bind(Date);

function now(): number {
  try {
    return right() + Number(readFileSync(file, 'utf8'));
  } catch {
    return right();
  }
}

globalThis.Date = class extends Date {
  constructor(...given: readonly never[]) {
    // `new Date()` returns the current time only if it has no arguments.
    super(...((given.length === 0 ? [now()] : given) as [number]));
  }
  static override now = now;
} as DateConstructor;
