/** Loaded into the bot before anything else: its clock goes wrong by the milliseconds that are in the file CLOCK_FILE. */
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_FILE ?? '';
const right = Date.now.bind(Date);
const now = () => right() + Number(readFileSync(file, 'utf8'));

globalThis.Date = class extends Date {
  constructor(...given: readonly never[]) {
    // `new Date()` alone means now.
    super(...((given.length === 0 ? [now()] : given) as [number]));
  }
  static override now = now;
} as DateConstructor;
