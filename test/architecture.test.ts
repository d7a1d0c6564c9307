import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = globSync(['src/**/*.ts', 'commands/**/*.ts', 'sandbox/**/*.ts'], { cwd: root }).sort();

/** Layer → the layers and packages it may import. A layer always may import itself, `node:` and the leaves. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': ['src/app.ts', 'src/config.ts', 'src/observability', 'src/discord', 'src/storage'],
  'src/rotate-key.ts': [
    'src/config.ts',
    'src/guilds/key-record.ts',
    'src/lifecycle.ts',
    'src/observability',
    'src/storage',
    'src/discord/taken.ts',
    'src/submissions/previous/shapes.ts',
  ],
  'src/app.ts': ['*'],
  'src/app-listing.ts': ['*'],
  'src/app-timing.ts': ['src/discord'],
  'src/config.ts': ['zod', 'src/config-source.ts', 'src/config-url.ts', 'src/config-values.ts'],
  'src/config-values.ts': ['zod', 'src/config-url.ts'],
  'src/config-source.ts': [],
  'src/config-url.ts': [],
  'src/lifecycle.ts': [],
  commands: [
    'discord.js',
    'src/discord',
    'src/listing',
    'src/addresses',
    'src/server-lists',
    'src/submissions',
    'src/guilds',
    'src/storage',
    'src/words',
  ],
  'src/http-agent.ts': ['undici'],
  'src/discord': [
    'discord.js',
    'undici',
    'zod',
    'src/storage',
    'src/http-agent.ts',
    'src/words',
    'src/lifecycle.ts',
  ],
  'src/listing': ['undici', 'zod', 'entities', 'src/http-agent.ts', 'src/storage', 'src/lifecycle.ts'],
  'src/addresses': ['zod'],
  'src/server-lists': ['zod', 'csv-parse', 'src/addresses', 'src/listing/contract.ts'],
  'src/submissions': [
    'zod',
    'kysely',
    'src/addresses',
    'src/server-lists',
    'src/listing/contract.ts',
    'src/storage',
    'src/lifecycle.ts',
  ],
  'src/guilds': ['zod', 'src/listing/contract.ts', 'src/storage', 'src/lifecycle.ts'],
  'src/storage': ['zod', 'keyv', '@keyv/sqlite', 'kysely', 'src/lifecycle.ts'],
  'src/observability': ['pino'],
  'src/words': [
    'i18next',
    'src/addresses',
    'src/server-lists',
    'src/listing',
    'src/submissions',
    'src/storage',
    'src/discord/command.ts',
    'src/discord/limits.ts',
  ],
  sandbox: ['discord.js', 'ws', 'discord-api-spec', 'zod', 'undici', 'src/listing/contract.ts'],
};

/** What anyone may import: a type of secret values, the failure whose message may be shown, pauses, visible text. */
const LEAVES = ['src/secret.ts', 'src/user-error.ts', 'src/pauses.ts', 'src/visible-line.ts'];

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): readonly Import[] {
  const source = readFileSync(join(root, file), 'utf8');
  const statements = source.matchAll(/^(?:import|export)\s+(type\s)?(?:[^;'"]*?from\s+)?['"]([^'"]+)['"]/gm);
  const dynamic = source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g);
  const targets = [
    ...[...statements].map(([, type, target = '']) => ({ target, typeOnly: type !== undefined })),
    ...[...dynamic].map(([, target = '']) => ({ target, typeOnly: false })),
  ];
  return targets.map(({ target, typeOnly }) => ({
    file,
    typeOnly,
    target: target.startsWith('.') ? relative(root, join(root, dirname(file), target)) : target,
  }));
}

const within = (path: string, layer: string) => path === layer || path.startsWith(`${layer}/`);
const layerOf = (file: string) =>
  Object.keys(ALLOWED)
    .filter((layer) => within(file, layer))
    .sort((a, b) => b.length - a.length)[0];

function isStray({ file, target, typeOnly }: Import): boolean {
  const layer = layerOf(file);
  if (layer === undefined) return !LEAVES.includes(file);
  if (target.startsWith('node:') || LEAVES.includes(target) || within(target, layer)) return false;
  // The logger is handed down; who takes it may name its type.
  if (typeOnly && target === 'src/observability/logger.ts') return false;
  return !(ALLOWED[layer] ?? []).some((allowed) => allowed === '*' || within(target, allowed));
}

describe('the layers', () => {
  it('are found at all', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(50);
  });

  it('import only what they may', () => {
    const strays = files.flatMap(importsOf).filter(isStray);
    expect(strays.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  });

  it('keep the sandbox out of the bot', () => {
    const uses = files
      .filter((file) => !within(file, 'sandbox'))
      .flatMap(importsOf)
      .filter(({ target }) => within(target, 'sandbox'));
    expect(uses).toEqual([]);
  });

  it('read the environment and end the process in the entries only', () => {
    const entries = [
      'src/main.ts',
      'src/rotate-key.ts',
      'sandbox/main.ts',
      'sandbox/stand-in-main.ts',
      'sandbox/bot-process.ts',
    ];
    const strays = files
      .filter((file) => !entries.includes(file))
      .filter((file) => /\bprocess\.(env|exit|on|once)\b/.test(readFileSync(join(root, file), 'utf8')));
    expect(strays).toEqual([]);
  });

  it('make connections in one place, where their protocol is said', () => {
    const makers = files
      .filter((file) => !within(file, 'sandbox'))
      .filter((file) => /\bnew \w*(Agent|Pool)\(|\bfetch\(/.test(readFileSync(join(root, file), 'utf8')));
    expect(makers).toEqual(['src/http-agent.ts']);
  });
});

describe('the source files', () => {
  it('have at most 300 lines', () => {
    const long = files
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > 300);
    expect(long).toEqual([]);
  });

  it('have no default export and no file that only passes on others', () => {
    const strays = files.filter((file) =>
      /^export (default|\*|\{[^}]*\} from)/m.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(strays).toEqual([]);
  });
});
