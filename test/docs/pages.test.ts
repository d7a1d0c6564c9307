import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { KNOWN_ERRORS } from '../../src/listing/contract.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));
const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...filesIn('docs', /\.md$/),
  ...filesIn('sandbox', /\.md$/),
];
const SOURCE = ['src', 'commands']
  .flatMap((folder) => filesIn(folder, /\.[jt]s$/))
  .map(read)
  .join('\n');

/** Returns a page without its code blocks, because links and headings in them don't count. */
const prose = (page: string) => read(page).replace(/^```[\s\S]*?^```$/gm, '');

/** Returns the anchor that GitHub creates for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const anchorsOf = (page: string) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Returns the local targets of a page's links and pictures. */
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

it.each(PAGES)('%s has no broken local links', (page) => {
  expect(targetsOf(page).filter((target) => !isThere(page, target))).toEqual([]);
});

it('references in code and configuration files point to existing pages and headings', () => {
  const others = [
    ...['src', 'commands', 'ops', '.github'].flatMap((folder) => filesIn(folder, /\.\w+$/)),
    ...['.env.example', 'compose.yaml', 'compose.scale.yaml', 'Dockerfile', 'biome.json'],
  ];
  const named = others.flatMap((file) => [
    ...read(file).matchAll(/(?:"([^"\n]+)" in )?((?:docs\/|(?<=["( ]))[\w/-]+\.md)\b/g),
  ]);
  expect(named.length).toBeGreaterThan(20);
  const missing = named.filter(
    ([, heading, page = '']) => !isThere('README.md', heading ? `${page}#${anchorOf(heading)}` : page),
  );
  expect(missing.map(([text]) => text)).toEqual([]);
});

/** Pages that people search instead of reading. */
const LONG = ['CHANGELOG.md'];

it.each(PAGES.filter((page) => !LONG.includes(page)))('%s has at most 1,500 words', (page) => {
  expect(read(page).split(/\s+/).length).toBeLessThanOrEqual(1500);
});

/** Patterns for the strings in `en.json`. Placeholders match any number or text. */
const LABELS = stringsOf(JSON.parse(read('src/words/en.json')))
  .filter((text) => /\p{L}{3}/u.test(text.replaceAll(/\{\{.*?\}\}/g, '')))
  .map((text) => {
    const pattern = text
      .split(/(\{\{.*?\}\})/)
      .map((part) => {
        if (/^\{\{(?:count|total|port|usual)\}\}$/.test(part)) return '(?:[\\d,]+|…)';
        if (part === '{{value}}') return '.+';
        return part.startsWith('{{') ? '(?=.*\\p{L}|…).+' : RegExp.escape(part);
      })
      .join('');
    return new RegExp(`^${pattern}$`, 'u');
  });

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.values(Object(value)).flatMap(stringsOf);
}

/** Bold text isn't a label if it ends like a sentence or a heading. */
const labelsOn = (page: string) =>
  [...prose(page).matchAll(/\*\*([^*]+)\*\*/g)]
    .map(([, bold = '']) => bold.replaceAll(/\s+/g, ' '))
    .filter((bold) => !/[.:,?]$/.test(bold));

it.each(
  PAGES.filter((page) => /^(?:README|docs\/[^/]+$)/.test(page)),
)('%s mentions only existing button and menu labels', (page) => {
  const unknown = labelsOn(page).filter((label) => !LABELS.some((pattern) => pattern.test(label)));
  expect(unknown).toEqual([]);
});

/** Messages in the troubleshooting page's headings that come from the system, Docker or SQLite. */
const FOREIGN_MESSAGES = ['error while loading shared libraries', 'unhealthy', 'disk I/O error'];

it("the headings in docs/troubleshooting.md quote the bot's messages", () => {
  const source = SOURCE.replaceAll(/['`]\s*\+\s*['`]/g, '');
  const quotes = [...read('docs/troubleshooting.md').matchAll(/^### .*$/gm)]
    .flatMap(([heading]) => [...heading.matchAll(/`([^`]+)`/g)])
    .map(([, quote = '']) => quote)
    .filter((quote) => !FOREIGN_MESSAGES.some((message) => quote.startsWith(message)));
  expect(quotes.length).toBeGreaterThan(20);
  // Returns the fixed parts of a message, without paths, users, versions, hosts or numbers.
  const fixedParts = (quote: string) =>
    quote
      .split(/…|\.env |discord\.com| \(no DNS\)|\d\S*( s)?|postgres:\/\/| DISCORD_TOKEN /)
      .map((part = '') => part.trim().replace(/^[;,]\s*|[:,]$/g, ''))
      .filter((part) => part.length > 4);
  expect(quotes.flatMap(fixedParts).filter((part) => !source.includes(part))).toEqual([]);
});

it('docs/configuration.md lists the same variables as .env.example', () => {
  const variables = (file: string, pattern: RegExp) =>
    [...read(file).matchAll(pattern)].map(([, name]) => name).toSorted();
  expect(variables('docs/configuration.md', /^\| `([A-Z_]+)` \|/gm)).toEqual(
    variables('.env.example', /^#?([A-Z_]+)=/gm),
  );
});

it('docs/listing-api.md lists the messages that the bot recognises', () => {
  const [, table = ''] = /^\| message \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(read('docs/listing-api.md')) ?? [];
  const messages = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message]) => message);
  expect(messages).toEqual(Object.values(KNOWN_ERRORS));
});

it("docs/licences.md lists every released package that isn't MIT-licensed", () => {
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

it('every runtime dependency in package.json is imported', () => {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  const isImported = (name: string) => SOURCE.includes(`'${name}'`) || SOURCE.includes(`'${name}/`);
  const unused = Object.keys(dependencies).filter((name) => !isImported(name));
  expect(unused).toEqual([]);
});
