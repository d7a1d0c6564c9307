import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDotEnv } from '../../src/read-dot-env.js';
import { folder, runProgram } from '../support/machine.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The npm scripts that read the file .env. */
const PROGRAMS = ['start', 'doctor', 'backup', 'restore', 'copy-store', 'data'];
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Returns what `npm run SCRIPT` prints when it is run in another folder. */
async function printed(script: string, cwd: string, env = {}): Promise<string> {
  const [, ...line] = String(scripts[script]).split(' ');
  const args = line.map((part) => part.replace(/(?<=^|=)(?:\.\/)?(?=(?:src|sandbox)\/)/, `${ROOT}/`));
  const { stdout, stderr } = await runProgram([process.execPath, ...args, 'a-file'], { cwd, env });
  return stdout + stderr;
}

it('each program reads the .env file', async () => {
  for (const script of PROGRAMS) expect(scripts[script], script).toContain(' --import=./src/dot-env.js ');
  const [without, withFile] = [folder(), folder()];
  writeFileSync(join(withFile, '.env'), 'STORE_URL=nowhere\n');
  const [quiet, read] = await Promise.all([printed('restore', without), printed('restore', withFile)]);
  expect(quiet).not.toContain('Continuing without');
  expect(quiet).not.toContain('STORE_URL');
  expect(read).toContain('STORE_URL must be');
});

it.each([
  ...PROGRAMS,
  'setup',
  'sandbox',
])('npm run %s prints a short error if the Node version is too old', async (script) => {
  const old = 'Object.defineProperty(process,`versions`,{value:{node:`24.11.9`}})';
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${old}` };
  const output = await printed(script, folder(), env);
  expect(output).toMatch(/^This is Node 24\.11\.9, but 24\.12 or newer is needed\.\n.*npm ci.*\n$/);
});

describe('the .env file', () => {
  function read(content: string | Buffer) {
    const path = join(folder(), '.env');
    writeFileSync(path, content);
    const { values, complaints, isReadable } = readDotEnv(path);
    return { values, complaints: complaints.map((each) => each.replace(path, '.env')), isReadable };
  }

  it('can have a byte-order mark and Windows line endings', () => {
    const values = { DISCORD_TOKEN: 'a.b.c', LISTING_API_URL: 'https://list.example.com' };
    const text = '\uFEFFDISCORD_TOKEN=a.b.c\r\nLISTING_API_URL="https://list.example.com"\r\n';
    expect(read(text)).toEqual({ values, complaints: [], isReadable: true });
    expect(readDotEnv(join(folder(), '.env'))).toEqual({ values: {}, complaints: [], isReadable: true });
    const example = readFileSync(join(ROOT, '.env.example'));
    expect(read(example).complaints).toEqual([]);
  });

  it('is reported as unreadable if it uses UTF-16 or is a folder', () => {
    for (const mark of ['\uFEFF', '']) {
      const { complaints, isReadable } = read(Buffer.from(`${mark}DISCORD_TOKEN=a.b.c\n`, 'utf16le'));
      expect({ complaints, isReadable }).toEqual({
        complaints: ['.env is saved as UTF-16 ("Unicode"): save it as UTF-8'],
        isReadable: false,
      });
    }
    const path = join(folder(), '.env');
    mkdirSync(path);
    expect(readDotEnv(path)).toMatchObject({
      complaints: [expect.stringContaining('is a folder instead of a file')],
      isReadable: false,
    });
  });

  it.each([
    [
      '',
      '.env does not set any variable: write each as NAME=value, on its own line, and save the file as UTF-8',
    ],
    [
      'A=b\nLISTING_API_URL: https://x.example?q=1\n',
      '.env, line 2: write LISTING_API_URL=value, with "=" instead of ":"',
    ],
    ['A=b\n\nA=c\n', '.env has A twice (lines 1 and 3): the last one counts'],
    ['A=b\nA=\n', '.env has A twice (lines 1 and 2): the last one counts, and it is empty'],
  ])('is accepted with a warning if it contains %j', (content, complaint) => {
    expect(read(content)).toMatchObject({ complaints: [complaint], isReadable: true });
  });
});

it("programs don't start if the .env file can't be read", async () => {
  const [odd, unreadable] = [folder(), folder()];
  writeFileSync(join(odd, '.env'), 'STORE_URL=nowhere\nSTORE_URL=nowhere\n');
  mkdirSync(join(unreadable, '.env'));
  expect(await printed('restore', odd)).toMatch(
    /^server-listing-bot: \.env has STORE_URL twice[^\n]*\nrestore: .*STORE_URL must/s,
  );
  expect(await printed('restore', unreadable)).toMatch(/^server-listing-bot: \.env is a folder[^\n]*\n$/);
});
