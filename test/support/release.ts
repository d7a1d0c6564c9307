import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', PROJECT, ...args], {
    maxBuffer: 64 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

export const NO_HISTORY = "it needs the repository's history";

/**
 * Returns a folder with the source code of 0.4.0, or `undefined` if the repository's history is missing. Call this outside of
 * tests: all tests in a file share the folder, because Node's compile cache depends on its path.
 */
export function release(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'release-'));
  afterAll(() => rmSync(path, { recursive: true }));
  try {
    const commit = git('log', '--grep=^chore: release 0.4.0$', '--format=%H', '-1').toString().trim();
    execFileSync('tar', ['-x', '-C', path], {
      input: git('archive', commit, 'src', 'commands', 'package.json'),
    });
  } catch {
    return undefined;
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(path, 'node_modules'));
  // Version 0.4.0 imports this package, but doesn't call it for the lists in these tests.
  const unused = join(path, 'src/node_modules/csv-parse');
  mkdirSync(unused, { recursive: true });
  writeFileSync(join(unused, 'sync.js'), 'export const parse = undefined;');
  writeFileSync(join(unused, 'package.json'), '{ "type": "module", "exports": { "./sync": "./sync.js" } }');
  return path;
}
