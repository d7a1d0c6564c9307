import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type AnyNode, parse } from 'acorn';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = globSync(['src/**/*.ts', 'commands/**/*.ts', 'sandbox/**/*.ts'], { cwd: root }).sort();
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/**
 * Layer → the layers that it may import. Everybody may import their own layer, `node:` and the leaves, which are the
 * files of `src/` itself without a line of their own here. The table in CONTRIBUTING is this one.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  main: ['app', 'config', 'operations', 'discord', 'storage'],
  backup: ['config', 'operations', 'storage'],
  restore: ['config', 'operations', 'storage'],
  doctor: ['app', 'config', 'operations'],
  'rotate-key': ['config', 'discord', 'submissions', 'guilds', 'storage'],
  app: [
    ...['config', 'commands', 'operations', 'discord', 'words', 'submissions', 'guilds', 'server-lists'],
    ...['listing', 'storage'],
  ],
  commands: [
    ...['discord', 'words', 'submissions', 'guilds', 'server-lists', 'addresses', 'listing', 'storage'],
  ],
  operations: ['config', 'discord', 'submissions', 'listing', 'storage'],
  discord: ['words', 'storage'],
  words: ['submissions', 'guilds', 'server-lists', 'addresses', 'listing'],
  submissions: ['server-lists', 'addresses', 'listing', 'storage'],
  guilds: ['listing', 'storage'],
  'server-lists': ['addresses', 'listing'],
  addresses: [],
  listing: ['storage'],
  storage: [],
  config: [],
  leaves: [],
  sandbox: ['listing'],
};

/** Layer → the packages that it may import. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  commands: ['discord.js'],
  operations: ['discord.js', 'prom-client', 'zod'],
  discord: ['discord.js', 'undici', 'zod'],
  words: ['i18next'],
  submissions: ['kysely', 'zod'],
  guilds: ['zod'],
  'server-lists': ['csv-parse', 'zod'],
  addresses: [],
  listing: ['entities', 'undici', 'zod'],
  storage: ['@keyv/sqlite', 'keyv', 'kysely', 'zod'],
  config: ['zod'],
  leaves: ['pino', 'pino-pretty', 'undici'],
  sandbox: [
    ...['@skyra/discord-components-core', 'discord-api-spec', 'discord-markdown-parser', 'discord.js', 'lit'],
    ...['undici', 'ws', 'zod'],
  ],
};

/** Where the environment is read, and the process is ended. */
const ENTRIES = [
  ...['src/main.ts', 'src/doctor.ts', 'src/backup.ts', 'src/restore.ts', 'src/rotate-key.ts'],
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

/** What a file imports by name, each with the file that it is from. */
function namesImportedBy(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const imports = text.matchAll(/\{([^{}]*)\}\s*(?:from|= await import\()\s*'(\.[^']+)'/g);
  return [...imports].flatMap(([, names = '', target = '']) =>
    names.split(',').map((name) => {
      const [, own = ''] = /^\s*(?:type )?(\w+)/.exec(name) ?? [];
      return `${relative(root, join(root, dirname(file), target))}: ${own}`;
    }),
  );
}

/** The layer that a file of the project is in. */
function layerOf(file: string): string | undefined {
  const [top = '', second = '', ...deeper] = file.split('/');
  if (top !== 'src') return top in LAYERS ? top : undefined;
  const name = second.replace(/\.ts$/, '');
  if (deeper.length === 0) return name in LAYERS ? name : 'leaves';
  return name in LAYERS ? name : undefined;
}

function isStray({ file, target }: Import): boolean {
  const layer = layerOf(file);
  if (layer === undefined) return true;
  if (target.startsWith('node:')) return false;
  if (!/^(src|commands|sandbox)\//.test(target))
    return !PACKAGES[layer]?.some((name) => `${target}/`.startsWith(`${name}/`));
  const targetLayer = layerOf(target) ?? '';
  return ![layer, 'leaves', ...(LAYERS[layer] ?? [])].includes(targetLayer);
}

/** The rows of the table with this head: what is named in the second cell, under each name of the first. */
function tableIn(text: string, head: string): Readonly<Record<string, readonly string[]>> {
  const [table = ''] = text.slice(text.indexOf(head) + head.length).split('\n\n');
  const names = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return Object.fromEntries(
    table.split('\n').flatMap((row) => {
      const [, layers, allowed] = row.split('|');
      return names(layers).map((layer) => [layer, names(allowed)]);
    }),
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

/** The name of a function that has one: by itself, as a constant, or as a method. */
const nameOf = (node: AnyNode, parent: object): string | undefined =>
  Object(node).id?.name ??
  (Object(parent).init === node ? Object(parent).id.name : undefined) ??
  (Object(parent).value === node ? Object(parent).key?.name : undefined);

/** Every function of a file, from its first line to its last, with all that is in it. */
function functionsOf(source: string): readonly Measured[] {
  const found: Measured[] = [];
  function walk(node: AnyNode, parent: object): void {
    if (/Function/.test(node.type) && node.loc) {
      const lines = node.loc.end.line - node.loc.start.line + 1;
      found.push({ name: nameOf(node, parent) ?? '(without a name)', lines });
    }
    for (const child of Object.values(node).flat())
      if (typeof Object(child).type === 'string') walk(child, node);
  }
  // Types give way to blanks, so that every line stays where it is.
  const script = stripTypeScriptTypes(source, { mode: 'strip' });
  walk(parse(script, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), {});
  return found;
}

describe('the layers', () => {
  it('are found at all', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(50);
    expect(layerOf('src/no-such-folder/file.ts')).toBeUndefined();
    expect(layerOf('src/user-error.ts')).toBe('leaves');
  });

  it('import only what they may', () => {
    const strays = files.flatMap(importsOf).filter(isStray);
    expect(strays.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  });

  it('are in the table of CONTRIBUTING as they are here, and none is below itself', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    expect(tableIn(text, '| layer | may import |')).toEqual(LAYERS);
    expect(circles(new Map(Object.entries(LAYERS)))).toEqual([]);
  });

  it('have no circle of imports, of types neither', () => {
    const found = circles(new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target)])));
    expect(found.map((circle) => circle.join(' ⇄ '))).toEqual([]);
  });

  it('keep nothing beside the commands and their list in commands/', () => {
    const list = 'commands/index.ts';
    const listed = importsOf(list).map(({ target }) => target);
    const beside = files.filter(
      (file) => layerOf(file) === 'commands' && file !== list && !listed.includes(file),
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
      .filter((file) => layerOf(file) !== 'sandbox')
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
      .flatMap((file) => functionsOf(sources.get(file) ?? '').map((one) => ({ file, ...one })))
      .filter(({ lines }) => lines > MOST_LINES.ofFunction);
    expect(long).toEqual([]);
  });

  it('have no default export and pass on nothing of others', () => {
    const strays = [...sources].filter(([, text]) => /^export (default|\*|(type )?\{)/m.test(text));
    expect(strays.map(([file]) => file)).toEqual([]);
  });

  it('export nothing that nobody else uses, nor for tests alone what the product does not use itself', () => {
    const isProduct = (file: string) => /^(?:src|commands)\//.test(file);
    const all = globSync('{src,commands,sandbox,test,ops}/**/*.ts', { cwd: root });
    const imported = all.flatMap((file) =>
      namesImportedBy(file).map((name) => ({ name, isProduct: isProduct(file) })),
    );
    const byProduct = new Set(imported.filter((one) => one.isProduct).map(({ name }) => name));
    const byOthers = new Set(imported.map(({ name }) => name));
    const useless = [...sources]
      .filter(([file]) => isProduct(file))
      .flatMap(([file, text]) =>
        [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].flatMap(
          ([, name = '']) => {
            if (byProduct.has(`${file}: ${name}`)) return [];
            const isUsedHere = text.split(new RegExp(`\\b${name}\\b`)).length > 2;
            return isUsedHere && byOthers.has(`${file}: ${name}`) ? [] : [`${file}: ${name}`];
          },
        ),
      );
    expect(byProduct.size).toBeGreaterThan(100);
    expect(useless).toEqual([]);
  });

  it('give no name to two things: what the product exports is called by one name', () => {
    const names = [...sources]
      .filter(([file]) => !file.startsWith('sandbox/'))
      .flatMap(([, text]) => [
        ...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm),
      ])
      .map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('the measuring of functions', () => {
  it('counts each whole, with the functions in it', () => {
    const source = [
      'type T = {\n  a: 1;\n};',
      'export function outer(x: T): object {',
      '  const inner = (\n    y: number,\n  ) =>\n    y;',
      '  inner(x.a);',
      '  [1].map((one) => {\n    return one;\n  });',
      '  return {\n    method() {\n      return 1;\n    },\n  };',
      '}',
    ].join('\n');
    expect(functionsOf(source)).toEqual([
      { name: 'outer', lines: 15 },
      { name: 'inner', lines: 4 },
      { name: '(without a name)', lines: 3 },
      { name: 'method', lines: 3 },
    ]);
  });
});
