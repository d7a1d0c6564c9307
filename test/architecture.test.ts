import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type AnyNode, parse } from 'acorn';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = globSync(['src/**/*.ts', 'commands/**/*.ts', 'sandbox/**/*.ts'], { cwd: root }).sort();
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** The leaves: what lies in `src/` itself, but for those that have a line of their own in {@link LAYERS}. */
const LEAVES = 'src';

/**
 * Layer → the layers and packages that it may import. Everybody may import their own layer, `node:` and the leaves.
 * The table in CONTRIBUTING says the same.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['src/app.ts', 'src/config.ts', 'src/discord', 'src/operations', 'src/storage'],
  'src/rotate-key.ts': [...['src/config.ts', 'src/discord', 'src/submissions', 'src/guilds', 'src/storage']],
  'src/app.ts': [
    ...['src/config.ts', 'commands', 'src/words', 'src/discord'],
    ...['src/submissions', 'src/server-lists', 'src/guilds', 'src/listing', 'src/operations', 'src/storage'],
  ],
  'src/config.ts': ['zod'],
  commands: [
    ...['discord.js', 'src/words', 'src/discord', 'src/submissions', 'src/server-lists', 'src/addresses'],
    ...['src/guilds', 'src/listing', 'src/storage'],
  ],
  'src/words': [
    ...['i18next', 'src/submissions', 'src/server-lists', 'src/addresses', 'src/guilds', 'src/listing'],
  ],
  'src/discord': ['discord.js', 'undici', 'zod', 'src/words', 'src/storage'],
  'src/submissions': [
    ...['kysely', 'zod', 'src/server-lists', 'src/addresses', 'src/guilds', 'src/listing', 'src/storage'],
  ],
  'src/guilds': ['zod', 'src/listing', 'src/storage'],
  'src/server-lists': ['csv-parse', 'zod', 'src/addresses', 'src/listing'],
  'src/addresses': ['zod'],
  'src/listing': ['entities', 'undici', 'zod', 'src/storage'],
  'src/operations': [
    ...[
      'prom-client',
      'zod',
      'src/config.ts',
      'src/discord',
      'src/submissions',
      'src/listing',
      'src/storage',
    ],
  ],

  'src/storage': ['@keyv/sqlite', 'keyv', 'kysely', 'zod'],
  [LEAVES]: ['pino', 'undici'],
  sandbox: ['discord-api-spec', 'discord.js', 'undici', 'ws', 'zod', 'src/listing'],
};

/** Where the environment is read, and the process is ended. */
const ENTRIES = [
  ...['src/main.ts', 'src/rotate-key.ts'],
  ...['sandbox/main.ts', 'sandbox/stand-in-main.ts', 'sandbox/bot-process.ts'],
];

const MOST_LINES = { ofFile: 300, ofFunction: 80 };

interface Import {
  readonly file: string;
  readonly target: string;
}

/** Every import of a file, of types too. */
function importsOf(file: string): readonly Import[] {
  const source = sources.get(file) ?? '';
  const statements = source.matchAll(
    /^(?:import|export)\s+(?:type\s)?(?:[^;'"]*?from\s+)?['"]([^'"]+)['"]/gm,
  );
  const calls = source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g);
  return [...statements, ...calls].map(([, target = '']) => ({
    file,
    target: target.startsWith('.') ? relative(root, join(root, dirname(file), target)) : target,
  }));
}

const within = (path: string, layer: string) =>
  path === layer || (layer === LEAVES ? dirname(path) === layer : path.startsWith(`${layer}/`));

/** The line of the table that is closest to the file. */
const layerOf = (file: string) =>
  Object.keys(LAYERS)
    .filter((layer) => within(file, layer))
    .sort((a, b) => b.length - a.length)[0];

function isStray({ file, target }: Import): boolean {
  const layer = layerOf(file);
  if (layer === undefined) return true;
  const targetLayer = layerOf(target);
  if (target.startsWith('node:') || targetLayer === layer || targetLayer === LEAVES) return false;
  return !LAYERS[layer]?.some((allowed) =>
    targetLayer === undefined ? within(target, allowed) : targetLayer === allowed,
  );
}

/** Files that import each other, directly or over others (Tarjan's strongly connected components). */
function circles(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const low = (file: string) => lowest.get(file) ?? Number.POSITIVE_INFINITY;

  function visit(file: string): void {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    open.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(low(file), low(target)));
    }
    if (low(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) found.push(circle.sort());
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}

interface Measured {
  readonly name: string;
  readonly lines: number;
}

/** Every function of a file, with the lines from its first word to its last brace. */
function functionsOf(source: string): readonly Measured[] {
  const found: Measured[] = [];
  function walk(node: AnyNode, name: string): void {
    if (/Function/.test(node.type)) {
      const { start, end } = node.loc ?? { start: { line: 0 }, end: { line: 0 } };
      found.push({ name, lines: end.line - start.line + 1 });
    }
    for (const child of Object.values(node).flat()) {
      if (typeof Object(child).type !== 'string') continue;
      const named = [child.id, child.key, Object(node).id, Object(node).key].find((one) => one?.name);
      walk(child, named?.name ?? name);
    }
  }
  // Types give way to blanks, so that every line stays where it is.
  const script = stripTypeScriptTypes(source, { mode: 'strip' });
  walk(parse(script, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), 'the file itself');
  return found;
}

/** Functions that are about to be parted: nothing is to be added. */
const KNOWN_LONG = [
  ...['commands/settings.ts', 'commands/submissions.ts'],
  ...['sandbox/discord/client/person.ts', 'sandbox/discord/gateway/connection.ts'],
  ...['src/discord/dispatch.ts', 'src/discord/guild-log.ts'],
  ...['src/discord/taken.ts', 'src/guilds/membership.ts', 'src/listing/breaker.ts'],
  ...['src/listing/game-catalog.ts', 'src/listing/scheduler.ts'],
  ...['src/storage/database.ts', 'src/storage/statements.ts'],
  ...['src/submissions/previous/move.ts'],
];

describe('the layers', () => {
  it('are found at all', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(50);
    expect(layerOf('src/no-such-folder/file.ts')).toBeUndefined();
  });

  it('import only what they may', () => {
    const strays = files.flatMap(importsOf).filter(isStray);
    expect(strays.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  });

  it('have no circle of imports, of types neither', () => {
    const found = circles(new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target)])));
    expect(found.map((circle) => circle.join(' ⇄ '))).toEqual([]);
  });

  it('keep nothing beside the commands and their list in commands/', () => {
    const list = 'commands/index.ts';
    const listed = importsOf(list).map(({ target }) => target);
    const beside = files.filter(
      (file) => within(file, 'commands') && file !== list && !listed.includes(file),
    );
    expect(beside).toEqual([]);
  });

  it('read the environment and end the process in the entries only', () => {
    const strays = files
      .filter((file) => !ENTRIES.includes(file))
      .filter((file) => /\bprocess\.(env|exit|on|once)\b/.test(sources.get(file) ?? ''));
    expect(strays).toEqual([]);
  });

  it('make connections in one place, where their protocol is said', () => {
    const makers = files
      .filter((file) => !within(file, 'sandbox'))
      .filter((file) => /\bnew \w*(Agent|Pool)\(|\bfetch\(/.test(sources.get(file) ?? ''));
    expect(makers).toEqual(['src/http-agent.ts']);
  });
});

describe('the search for circles', () => {
  it('names those that import each other, and nobody beside them', () => {
    const imports = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: [], f: ['g', 'a'], g: ['f'] };
    expect(circles(new Map(Object.entries(imports)))).toEqual([
      ['a', 'b', 'c'],
      ['f', 'g'],
    ]);
  });
});

describe('the source files', () => {
  it(`have at most ${MOST_LINES.ofFile} lines`, () => {
    const long = [...sources].map(([file, text]) => ({ file, lines: text.trimEnd().split('\n').length }));
    expect(long.filter(({ lines }) => lines > MOST_LINES.ofFile)).toEqual([]);
  });

  it(`have functions of at most ${MOST_LINES.ofFunction} lines`, () => {
    const long = files
      .filter((file) => !KNOWN_LONG.includes(file))
      .flatMap((file) => functionsOf(sources.get(file) ?? '').map((one) => ({ file, ...one })))
      .filter(({ lines }) => lines > MOST_LINES.ofFunction);
    expect(long).toEqual([]);
  });

  it('have no default export and pass on nothing of others', () => {
    const strays = [...sources].filter(([, text]) => /^export (default|\*|(type )?\{)/m.test(text));
    expect(strays.map(([file]) => file)).toEqual([]);
  });
});

describe('the measuring of functions', () => {
  it('counts every line of a function, and those of the functions in it', () => {
    const source = [
      'type T = {\n  a: 1;\n};',
      'export function outer(x: T): void {\n  const inner = (\n    y: number,\n  ) =>\n    y;\n  inner(x.a);\n}',
    ].join('\n');
    expect(functionsOf(source)).toEqual([
      { name: 'outer', lines: 7 },
      { name: 'inner', lines: 4 },
    ]);
  });
});
