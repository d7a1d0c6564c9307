import { ComponentType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { showDraft } from '../../commands/submit/show.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import type { Candidate, Row } from '../../src/server-lists/row.ts';
import type { CheckedDraft } from '../../src/submissions/check.ts';
import type { Choices } from '../../src/submissions/choices.ts';
import { languages } from '../../src/words/languages.ts';
import { createWords } from '../../src/words/words.ts';
import { checkedDraft, readyRow } from '../support/builders.ts';
import { anyContext, onlyDeps } from './context.ts';

const { wordsFor } = createWords();
const MANY = Array.from({ length: 60 }, (_, n) => ({ alias: `game${n}`, name: `Game ${n}` }));
const games = { ...indexGames([{ alias: 'cs2', name: 'Counter-Strike 2' }, ...MANY]), isFresh: () => true };

const candidate = (line: number, more: Partial<Candidate['typed']> = {}): Candidate => ({
  line,
  typed: { server: `s${line}.example.com`, port: '27015', queryPort: '', game: '', ...more },
  words: 'x'.repeat(200),
});
const choicesOf = (count: number, more: Partial<Choices> = {}): Choices => ({
  shape: 'people',
  candidates: Array.from({ length: count }, (_, n) => candidate(n + 1)),
  game: 'cs2',
  ...more,
});

interface Options extends Partial<CheckedDraft> {
  readonly rows?: readonly Row[];
  readonly hidden?: number;
  readonly noKey?: boolean;
  readonly locale?: string;
  readonly page?: number;
}

/** Shows a draft to a member. */
async function show({ rows = [], hidden = 0, noKey = false, locale = 'en-US', page = 0, ...more }: Options) {
  const draft = { id: '18446744073709551615', source: 'text', rows, hidden } as const;
  const noKeyYet = { key: { kind: 'unusable', problem: { code: 'key-missing' } } } as const;
  const checked = checkedDraft(draft, { ...(noKey && noKeyYet), ...more });
  const deps = onlyDeps({
    games,
    suggestions: { allowed: async () => games.all, games: async () => games.all },
  });
  const reply = await showDraft(
    anyContext({ t: wordsFor(locale), locale }),
    checked.draft.id,
    checked,
    deps,
    {
      page,
    },
  );
  const components = (reply.components ?? []).map((row) => row.components);
  const menus = components.flat().filter(({ type }) => type === ComponentType.StringSelect);
  return {
    content: reply.content ?? '',
    components,
    menus: menus.map((menu) => Object(menu)),
    buttons: components.flat().flatMap((control) => ('label' in control ? [control.label] : [])),
    files: reply.files ?? [],
  };
}

describe('the preview of ambiguous text', () => {
  it("doesn't preselect addresses from a log or a list of people", async () => {
    const { content, menus, buttons } = await show({ choices: choicesOf(14), hidden: 2 });
    expect(content).toContain('This looks like a log or a list of people');
    expect(content).toContain("2 addresses aren't public");
    expect(content).not.toMatch(/s\d+\.example|Nothing is ready/);
    expect(buttons).toEqual(['Edit', 'Cancel']);
    expect(menus).toHaveLength(1);
    expect(menus[0]).toMatchObject({ placeholder: 'Choose game servers…', min_values: 0, max_values: 14 });
    expect(menus[0].options[0]).toEqual({
      label: 's1.example.com:27015',
      value: '0',
      description: `${'x'.repeat(99)}…`,
      default: false,
    });
  });

  it('shows which addresses are selected, and how many', async () => {
    const { content, menus, buttons } = await show({
      choices: choicesOf(14),
      rows: [readyRow(1, 'a.example.com'), readyRow(3, 'b.example.com'), readyRow(4, 'c.example.com')],
    });
    expect(content).toContain('3 game servers are ready');
    expect(buttons).toEqual(['Submit 3 of 14', 'Edit', 'Cancel']);
    const chosen = menus[0].options.filter((option: { default: boolean }) => option.default);
    expect(chosen.map(({ value }: { value: string }) => value)).toEqual(['0', '2', '3']);
  });

  it('preselects only the unambiguous lines of a list', async () => {
    const choices = choicesOf(2, { shape: 'unsure' });
    const rows = [readyRow(10, 'a.example.com'), readyRow(11, 'b.example.com')];
    const { content, buttons } = await show({ choices, rows });
    expect(content).toContain('2 addresses might not be game servers');
    expect(buttons).toEqual(['Submit 2 game servers', 'Edit', 'Cancel']);
    const more = await show({ choices, rows: [...rows, readyRow(2, 'c.example.com')], needsModerator: true });
    expect(more.buttons[0]).toBe('Submit 3 of 4 for approval');
    expect(more.content).toContain('1 address might not be a game server');
  });

  it("shows an address's game only if the text names the game", async () => {
    const { menus } = await show({
      choices: choicesOf(2, { candidates: [candidate(1, { game: 'cs2' }), candidate(2)] }),
    });
    expect(menus[0].options.map(({ label }: { label: string }) => label)).toEqual([
      's1.example.com:27015 · Counter-Strike 2',
      's2.example.com:27015',
    ]);
  });

  it('shows 25 addresses per page', async () => {
    const labelsOf = async (page: number) => {
      const { menus, buttons } = await show({ choices: choicesOf(60), page });
      return [menus[0].placeholder, menus[0].options[0].label, menus[0].options.length, buttons[0]];
    };
    expect(await labelsOf(0)).toEqual([
      'Choose game servers (page 1 of 3)…',
      's1.example.com:27015',
      25,
      'Page 2 of 3',
    ]);
    expect(await labelsOf(2)).toEqual([
      'Choose game servers (page 3 of 3)…',
      's51.example.com:27015',
      10,
      'Page 1 of 3',
    ]);
  });

  it('names the game on the button if there is only one address', async () => {
    const labels = async (options: Options) => (await show(options)).buttons;
    expect(await labels({ choices: choicesOf(1) })).toEqual([
      'Submit s1.example.com:27015 (Counter-Strike 2)',
      'Edit',
      'Cancel',
    ]);
    expect((await labels({ choices: choicesOf(1, { game: '' }) }))[0]).toBe('Choose s1.example.com:27015');
    expect(await labels({ choices: choicesOf(1), noKey: true })).not.toContain(
      'Submit s1.example.com:27015 (Counter-Strike 2)',
    );
  });

  it.each(
    languages.map(({ tag, locales: [locale = ''] }) => [tag, locale]),
  )('never has more than five rows of controls (%s)', async (_, locale) => {
    const earlier = {
      ...readyRow(1, 'a.example.com').submission,
      isYours: true,
      outcome: { kind: 'accepted', message: '' },
      at: 0,
      userId: '2',
      userName: 'mia',
    };
    const invalid = (line: number, problem: object): Row =>
      ({ kind: 'invalid', line, typed: candidate(line).typed, problem }) as Row;
    const rows: readonly Row[] = [
      readyRow(1, 'a.example.com'),
      readyRow(100, 'b.example.com'),
      invalid(101, { code: 'game-missing' }),
      invalid(102, { code: 'game-unknown', game: 'zzzzzzzzzzzz' }),
      { ...invalid(103, { code: 'game-missing' }), near: 'cs2' } as Row,
      invalid(104, { code: 'port-missing', host: 'x.example.com', game: 'cs2', usual: 27015 }),
      invalid(105, { code: 'waiting-already' }),
    ];
    for (const noKey of [true, false]) {
      const { components, menus, buttons } = await show({
        rows,
        locale,
        noKey,
        choices: choicesOf(75),
        hidden: 1_000,
        alreadySubmitted: new Map([[rows[0], earlier]]) as never,
        needsModerator: true,
      });
      expect(components.length).toBeLessThanOrEqual(5);
      expect(menus).toHaveLength(2);
      expect(buttons.length).toBeGreaterThanOrEqual(10);
      for (const row of components) expect(row.length).toBeLessThanOrEqual(5);
    }
  });
});
