import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const pagesIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const PAGES = ['.', 'docs', 'sandbox'].flatMap(pagesIn);

/** A page without what stands in fences, where nothing is a link or a heading. */
const prose = (page: string) => read(page).replace(/^```[\s\S]*?^```$/gm, '');

/** How GitHub names a heading in an address. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const anchorsOf = (page: string) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Where the page leads to in this repository: its links, and its pictures. */
const targetsOf = (page: string) =>
  [...prose(page).matchAll(/\]\(([^)\s]+)\)| (?:src|srcset)="([^"]+)"/g)]
    .map(([, link, picture]) => link ?? picture ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));

function isThere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchorsOf(file).includes(anchor);
}

it.each(PAGES)('%s leads to files and headings that exist', (page) => {
  expect(targetsOf(page).filter((target) => !isThere(page, target))).toEqual([]);
});

it('docs/configuration.md has every variable of .env.example, and no other', () => {
  const variables = (file: string, pattern: RegExp) =>
    [...read(file).matchAll(pattern)].map(([, name]) => name).toSorted();
  expect(variables('docs/configuration.md', /^\| `([A-Z_]+)` \|/gm)).toEqual(
    variables('.env.example', /^#?([A-Z_]+)=/gm),
  );
});

it('docs/licences.md names every package that is shipped under another licence than MIT', () => {
  const rows = [...read('docs/licences.md').matchAll(/^\| ([^|]+) \| (.*) \|$/gm)];
  const named = (licence: string) => rows.find(([, name]) => name === licence)?.[2] ?? '';
  const { packages } = z
    .object({
      packages: z.record(
        z.string(),
        z.object({ dev: z.boolean().optional(), license: z.string().optional() }),
      ),
    })
    .parse(JSON.parse(read('package-lock.json')));
  const missing = Object.entries(packages).filter(([path, { dev, license = 'none' }]) => {
    if (dev || path === '' || license === 'MIT') return false;
    const name = path.replace(/^.*node_modules\//, '');
    const all = name.replace(/\/.*/, '/*');
    return ![name, all].some((each) => named(license).includes(`\`${each}\``));
  });
  expect(missing).toEqual([]);
});

it('package.json names as a dependency only what src imports', () => {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name))
    .map((name) => read(join('src', name)))
    .join('\n');
  const isImported = (name: string) => sources.includes(`'${name}'`) || sources.includes(`'${name}/`);
  const unused = Object.keys(dependencies).filter((name) => !isImported(name));
  expect(unused).toEqual([]);
});
