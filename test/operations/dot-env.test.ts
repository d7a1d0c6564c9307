import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, runProgram } from '../support/machine.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The programs of package.json. */
const PROGRAMS = ['start', 'doctor', 'backup', 'restore', 'copy-store'];
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** What `npm run SCRIPT` prints in another folder. */
async function printed(script: string, cwd: string, env = {}): Promise<string> {
  const [, ...line] = String(scripts[script]).split(' ');
  const args = line.map((part) => part.replace(/(?<=^|=)(?:\.\/)?(?=src\/)/, `${ROOT}/`));
  const { stdout, stderr } = await runProgram([process.execPath, ...args, 'a-file'], { cwd, env });
  return stdout + stderr;
}

it('each program reads the file .env, and says nothing of it where there is none', async () => {
  for (const script of PROGRAMS) expect(scripts[script], script).toContain(' --import=./src/dot-env.js ');
  const [without, withFile] = [folder(), folder()];
  writeFileSync(join(withFile, '.env'), 'STORE_URL=nowhere\n');
  const [quiet, read] = await Promise.all([printed('restore', without), printed('restore', withFile)]);
  expect(quiet).not.toContain('Continuing without');
  expect(quiet).not.toContain('STORE_URL');
  expect(read).toContain('STORE_URL must be');
});

it.each(PROGRAMS)('%s says in a sentence that Node is too old', async (script) => {
  const old = 'Object.defineProperty(process,`versions`,{value:{node:`24.11.9`}})';
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${old}` };
  const said = await printed(script, folder(), env);
  expect(said).toMatch(/^This is Node 24\.11\.9, and 24\.12 or newer is needed\.\n.*npm ci.*\n$/);
});
