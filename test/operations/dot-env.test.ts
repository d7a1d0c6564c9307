import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../storage/temporary.ts';
import { runProgram } from '../support/program.ts';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** What `npm run restore` prints in another folder. */
async function printed(cwd: string): Promise<string> {
  const [, ...line] = String(scripts.restore).split(' ');
  const args = line.map((part) => part.replace(/(?<=^|=)(?:\.\/)?(?=src\/)/, `${ROOT}/`));
  const { stdout, stderr } = await runProgram([process.execPath, ...args, 'a-file'], { cwd, env: {} });
  return stdout + stderr;
}

it('each program reads the file .env, and says nothing of it where there is none', async () => {
  for (const script of ['start', 'doctor', 'backup', 'restore', 'rotate-key'])
    expect(scripts[script], script).toContain(' --import=./src/dot-env.js ');
  const [without, withFile] = [folder(), folder()];
  writeFileSync(join(withFile, '.env'), 'STORE_URL=nowhere\n');
  const [quiet, read] = await Promise.all([printed(without), printed(withFile)]);
  expect(quiet).not.toContain('Continuing without');
  expect(quiet).not.toContain('STORE_URL');
  expect(read).toContain('STORE_URL must be');
});
