/** Loaded into the bot first. Shifts its clock by the milliseconds in the file CLOCK_FILE, if that exists. */
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
    // Only `new Date()` without arguments means now.
    super(...((given.length === 0 ? [now()] : given) as [number]));
  }
  static override now = now;
} as DateConstructor;
