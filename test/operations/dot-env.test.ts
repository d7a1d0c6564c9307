import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../storage/temporary.ts';
import { runProgram } from '../support/program.ts';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** What a script of package.json prints in another folder. */
async function printed(script: string, cwd: string): Promise<string> {
  const [, ...line] = String(scripts[script]).split(' ');
  const args = line.map((part) => part.replace(/(?<=^|=)(?:\.\/)?(?=src\/)/, `${ROOT}/`));
  const { stdout, stderr } = await runProgram([process.execPath, ...args, 'a-file'], { cwd, env: {} });
  return stdout + stderr;
}

it.each([
  'start',
  'doctor',
  'backup',
  'restore',
  'rotate-key',
])('npm run %s reads the file .env, and says nothing of it where there is none', async (script) => {
  const [without, withFile] = [folder(), folder()];
  writeFileSync(join(withFile, '.env'), 'STORE_URL=nowhere\n');
  const [quiet, read] = await Promise.all([printed(script, without), printed(script, withFile)]);
  expect(quiet).not.toContain('Continuing without');
  expect(quiet).not.toContain('STORE_URL');
  expect(read).toContain('STORE_URL must be');
});
