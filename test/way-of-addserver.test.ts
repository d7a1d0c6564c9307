import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The files that CONTRIBUTING.md names on the page; a bare name stands in one of the folders named there. */
function filesOfThePage(): readonly (readonly [name: string, found: boolean])[] {
  const [, page = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('## The way of /addserver');
  const [text = ''] = page.split('\n## ');
  const names = [...new Set([...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name))];
  const folders = ['', ...names.map((name) => name.slice(0, name.lastIndexOf('/') + 1))];
  return names.map((name) => [name, folders.some((folder) => existsSync(join(root, folder + name)))]);
}

it('the way of /addserver names thirty files at most, and all of them are there', () => {
  const files = filesOfThePage();
  expect(files.length).toBeGreaterThan(20);
  expect(files.length).toBeLessThanOrEqual(30);
  expect(files.filter(([, found]) => !found)).toEqual([]);
});
