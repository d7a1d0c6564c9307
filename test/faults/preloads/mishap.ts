/** Loaded into the bot before anything else. Causes the unhandled fault that MISHAP_FILE names. */
import { readFileSync, rmSync } from 'node:fs';

const file = process.env.MISHAP_FILE ?? '';

setInterval(() => {
  const kind = read();
  if (kind === undefined) return;
  rmSync(file);
  if (kind === 'rejection') void Promise.reject(new Error('a mishap nobody handles'));
  if (kind === 'rejection without a reason') void Promise.reject();
  if (kind === 'exception') throw new Error('a mishap nobody handles');
}, 20).unref();

function read(): string | undefined {
  try {
    return readFileSync(file, 'utf8') || undefined;
  } catch {
    return undefined;
  }
}
