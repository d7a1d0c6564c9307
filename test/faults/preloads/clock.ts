/** Loaded into the bot before anything else: its clock goes wrong by the milliseconds in the file CLOCK_FILE, if it is there. */
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
    // `new Date()` alone means now.
    super(...((given.length === 0 ? [now()] : given) as [number]));
  }
  static override now = now;
} as DateConstructor;
