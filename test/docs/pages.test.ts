import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNANSWERED_KEPT_DAYS } from '../../src/discord/resume.ts';
import { MOST_ENTRIES } from '../../src/submissions/history.ts';
import { REFUSED_KEPT_DAYS } from '../../src/submissions/pruning.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'sandbox/README.md',
];

/** A page without what stands in fences, where nothing is a link or a table. */
const prose = (page: string) => read(page).replace(/^```[\s\S]*?^```$/gm, '');

/** How GitHub names a heading in an address. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

describe('README.md', () => {
  it('has fewer than 150 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThan(150);
  });

  it('is in the order in which somebody needs it', () => {
    expect([...prose('README.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
      'Which services it works with',
      'Try it',
      'Run it for real',
      'Keep it running',
      'The commands',
      'Working on it',
    ]);
  });

  it('shows one picture of what it is, and one of the sandbox', () => {
    const pictures = prose('README.md').split('<picture>');
    expect(pictures).toHaveLength(3);
    expect(pictures[0]).not.toContain('## ');
    expect(pictures[1]).toContain('## Try it');
    expect(pictures[1]).not.toContain('## Run it for real');
  });

  it('says which Node a service unit or a container needs, and that npm brings it otherwise', () => {
    const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
    const least = engines.node.replace('>=', '');
    expect(read('README.md')).toContain(
      `A service unit or a container that runs \`node\` itself needs **Node ${least} or newer**`,
    );
    expect(read('README.md')).toMatch(
      /a Node \(20 or newer: `npm ci` brings the Node that the\s+project uses/,
    );
  });

  it('leads to a page each for members, admins and operators, and to the interface of the service', () => {
    for (const page of ['members', 'admins', 'operators', 'listing-api', 'configuration'])
      expect(read('README.md')).toContain(`](docs/${page}.md)`);
  });

  it('has every command in its table, under its name and with its options', () => {
    const { commands } = JSON.parse(read('src/words/en.json')) as {
      readonly commands: Record<string, { name: string; options?: Record<string, { name: string }> }>;
    };
    for (const { name, options = {} } of Object.values(commands)) {
      const row = new RegExp(`^\\| \`/${name}(?: ([^\`]*))?\` \\|`, 'm').exec(read('README.md'));
      expect(row, name).not.toBeNull();
      const named = (row?.[1] ?? '').split(' ').filter((word) => word !== '');
      expect(named.map((word) => word.replace(/^\[|\]$/g, '')).toSorted()).toEqual(
        Object.values(options)
          .map((option) => option.name)
          .toSorted(),
      );
    }
  });
});

describe('docs/pictures', () => {
  it('has each picture that a page shows, light and dark, and no other', () => {
    const shown = PAGES.flatMap((page) =>
      [...read(page).matchAll(/ (?:src|srcset)="([^"]+)"/g)].map(([, path = '']) =>
        join(dirname(page), path),
      ),
    );
    const there = readdirSync(join(ROOT, 'docs/pictures')).map((name) => `docs/pictures/${name}`);
    expect([...new Set(shown)].toSorted()).toEqual(there.toSorted());
    for (const path of shown)
      expect(shown).toContain(
        path.replace(/-(?:light|dark)-/, path.includes('-light-') ? '-dark-' : '-light-'),
      );
  });
});

describe('PRIVACY.md', () => {
  it('says how long what is stored stays, as the bot and its defaults have it', () => {
    const page = read('PRIVACY.md');
    const byDefault = (name: string) => new RegExp(`^#${name}=(.*)$`, 'm').exec(read('.env.example'))?.[1];
    expect(page).toContain(`[${byDefault('HISTORY_DAYS')}] days (\`HISTORY_DAYS\`)`);
    expect(page).toContain(`or [${byDefault('DEPARTURE_GRACE_DAYS')}] days after the bot was removed`);
    expect(page).toContain(`refused or not sent: ${REFUSED_KEPT_DAYS} days`);
    expect(page).toContain(`the latest ${MOST_ENTRIES.toLocaleString('en-US')} of a Discord server`);
    expect(page).toContain(`until the next start of the bot, ${UNANSWERED_KEPT_DAYS} days at most`);
  });
});

describe('docs/configuration.md', () => {
  it('has every variable of .env.example, and no other', () => {
    const variables = (text: string, pattern: RegExp) =>
      [...text.matchAll(pattern)].map(([, name]) => name).toSorted();
    expect(variables(read('docs/configuration.md'), /^\| `([A-Z_]+)` \|/gm)).toEqual(
      variables(read('.env.example'), /^#?([A-Z_]+)=/gm),
    );
  });
});

describe.each(PAGES)('%s', (page) => {
  it('links to files and headings that there are', () => {
    const broken = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', heading] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(join(ROOT, file))) return true;
        if (heading === undefined) return false;
        return ![...prose(file).matchAll(/^#+ (.*)$/gm)].some(([, text = '']) => anchor(text) === heading);
      });
    expect(broken).toEqual([]);
  });

  it('has tables that are whole: a head, a rule, and as many cells in each row', () => {
    const cells = (row: string) => row.replace(/\\\||`[^`]*`/g, '').split('|').length;
    const lines = prose(page).split('\n');
    const isRow = (line: string | undefined) => line?.startsWith('|') === true;
    const faults = lines.flatMap((line, i) => {
      if (!isRow(line)) return [];
      const begins = !isRow(lines[i - 1]);
      if (begins)
        return /^\|(?:\s*:?-+:?\s*\|)+$/.test(lines[i + 1] ?? '') ? [] : [`${i + 1}: no table begins here`];
      return cells(line) === cells(lines[i - 1] ?? '') ? [] : [`${i + 1}: other cells than the row above`];
    });
    expect(faults).toEqual([]);
  });
});
