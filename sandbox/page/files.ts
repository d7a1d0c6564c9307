import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SAMPLE_LISTS } from './client/sample-lists.ts';
import { wordsFor } from './client/words.ts';

/** A file that the server sends to the browser. */
interface StaticFile {
  readonly type: string;
  readonly body: Buffer | string;
}

const CLIENT = fileURLToPath(new URL('./client/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** The packages that the page imports, with their main files. */
const PACKAGES: Readonly<Record<string, string>> = {
  lit: 'index.js',
  'lit-html': 'lit-html.js',
  'lit-element': 'index.js',
  '@lit/reactive-element': 'reactive-element.js',
};

/** The page's import map, which loads packages from `node_modules` without bundling them. */
const IMPORTS = Object.fromEntries(
  Object.entries(PACKAGES).flatMap(([name, file]) => [
    [name, `/modules/${name}/${file}`],
    [`${name}/`, `/modules/${name}/`],
  ]),
);

/** All package modules that the page uses, directly or indirectly. A test compares this list with what a browser loads. */
const LOADED = [
  ...['index.js', 'static-html.js', 'directives/keyed.js', 'directives/repeat.js'].map(
    (file) => `lit/${file}`,
  ),
  ...['lit-html.js', 'is-server.js', 'static.js', 'directive.js', 'directive-helpers.js'].map(
    (file) => `lit-html/${file}`,
  ),
  ...['directives/keyed.js', 'directives/repeat.js'].map((file) => `lit-html/${file}`),
  'lit-element/lit-element.js',
  ...['reactive-element.js', 'css-tag.js'].map((file) => `@lit/reactive-element/${file}`),
];

/** Preloads all modules. Otherwise, a browser would have to load each module to find its imports. */
const preloads = (): string =>
  [
    ...readdirSync(CLIENT)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `/client/${file}`),
    ...LOADED.map((file) => `/modules/${file}`),
  ]
    .map((address) => `<link rel="modulepreload" href="${address}" />`)
    .join('');

/** Returns the HTML page, and the hash of its import map for the Content-Security-Policy. */
export function pageFile(locale: string): StaticFile & { readonly mapHash: string } {
  const map = JSON.stringify({ imports: IMPORTS });
  const words = wordsFor(locale);
  const html = readFileSync(join(CLIENT, 'index.html'), 'utf8')
    .replace('lang="en"', `lang="${locale}"`)
    .replace('TITLE', words.title)
    .replace('WHAT', words.what)
    .replace('CARDBOARD', words.cardboard)
    .replace('<script type="importmap"></script>', `<script type="importmap">${map}</script>${preloads()}`);
  const mapHash = createHash('sha256').update(map).digest('base64');
  return { type: 'text/html; charset=utf-8', body: html, mapHash };
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  ts: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/**
 * Returns a module (compiled to JavaScript), stylesheet, avatar or sample list, or `undefined` if there is no such file.
 */
export async function findFile(path: string): Promise<StaticFile | undefined> {
  const [, folder, ...rest] = path.split('/');
  const name = rest.join('/');
  const type = TYPES[name.split('.').at(-1) ?? ''];
  if (folder === 'avatars') return avatar(name);
  if (folder === 'lists' && SAMPLE_LISTS.some((list) => list === name))
    return { type: 'text/csv; charset=utf-8', body: await readFile(join(DOCS, name)) };
  if (type === undefined || (folder !== 'client' && folder !== 'modules')) return undefined;
  const isPackage = Object.keys(PACKAGES).some((known) => name.startsWith(`${known}/`));
  if (folder === 'modules' && !isPackage) return undefined;
  const root = folder === 'client' ? CLIENT : MODULES;
  const file = normalize(join(root, name));
  if (!file.startsWith(root) || file.includes(`${sep}..`)) return undefined;
  try {
    const body = await readFile(file, 'utf8');
    return { type, body: name.endsWith('.ts') ? stripTypeScriptTypes(body) : body };
  } catch {
    return undefined;
  }
}

/** The background colours that Discord uses for users without an avatar. */
const COLOURS = ['#5865f2', '#3ba55c', '#b5651d', '#c03a3d', '#747f8d'];

/** Draws the first letter of a name on a coloured background. The sandbox's users don't have avatars. */
function avatar(name: string): StaticFile {
  const who = decodeURIComponent(name).replace(/\.svg$/, '');
  const colour =
    COLOURS[[...who].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % COLOURS.length];
  const letter = (/[\p{L}\p{N}]/u.exec(who)?.[0] ?? '?').toUpperCase();
  return {
    type: 'image/svg+xml',
    body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="${colour}"/><text x="20" y="27" fill="#fff" font-family="sans-serif" font-size="20" text-anchor="middle">${letter}</text></svg>`,
  };
}
