import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../src/addresses/address.ts';
import { DEFAULTS } from '../../src/guilds/settings.ts';
import { createListParser, type NotRead } from '../../src/server-lists/list-parser.ts';
import { readList } from '../../src/server-lists/read-list.ts';
import { isReady, lacksGame, type ReadyRow, type Row, typedOf } from '../../src/server-lists/row.ts';
import { type CheckedDraft, type Correction, createCheck } from '../../src/submissions/check.ts';
import type { Draft, Editing, TypedText } from '../../src/submissions/draft.ts';
import {
  countToEdit,
  createDraftEditor,
  type DraftEditorDeps,
  type EditResult,
  linesToEdit,
  withUsualPort,
} from '../../src/submissions/draft-editor.ts';
import { games } from '../support/arbitraries.ts';
import {
  addDone,
  beginSubmission,
  freshGames,
  type PartsOptions,
  partsOver,
  readyRow,
} from '../support/builders.ts';
import { openStore, rowsIn } from '../support/database.ts';

const mia = { guildId: '1', user: { id: '2', name: 'mia' } };

/** Creates a draft editor with its own store, in a guild with default settings. */
async function openEditor(completeRows: DraftEditorDeps['completeRows'] = async (rows) => rows) {
  const store = await openStore();
  const guild = { settings: { ...DEFAULTS } };
  const editorOf = (parts: ReturnType<typeof partsOver>) =>
    createDraftEditor({
      ...parts,
      store,
      check: createCheck({
        ...parts,
        settings: { getOrThrow: async () => guild.settings },
        keys: { usable: async () => ({ kind: 'unusable', problem: { code: 'key-missing' } }) },
        games: freshGames,
        guard: { whyHeldBack: () => undefined },
      }),
      games: freshGames,
      // On a busy machine, a worker can take longer than the default just to start.
      parser: createListParser({ games: freshGames, readingMs: 60_000 }),
      completeRows,
    });
  const parts = partsOver(store);
  const draftEditor = editorOf(parts);
  return {
    ...parts,
    store,
    guild,
    draftEditor,
    /** The same editor with a limit per member. */
    limited: (member: Required<PartsOptions>['member']) => editorOf(partsOver(store, { member })),
    open: async (text: string, id = 'd') =>
      checked(await draftEditor.open(mia, { id, source: 'text', rows: rowsOf(text) })),
    edit: (typed: string, which: Editing = 'invalid') =>
      draftEditor.edit(mia, { id: 'd', newId: 'new', typed, which, submissionId: '' }),
    async stored(id = 'd'): Promise<Draft> {
      const draft = await parts.drafts.find(mia, id);
      if (draft.kind === 'no-draft') throw new Error(draft.why);
      return draft;
    },
  };
}

function rowsOf(text: string): readonly Row[] {
  const list = readList(text, games);
  if (list.kind !== 'rows') throw new Error(list.kind);
  return list.rows;
}

/** Returns a correction that adds this game to all lines without one. */
const withGame =
  (game: string): Correction =>
  (row) =>
    lacksGame(row) ? { ...typedOf(row), game } : undefined;

/** Formats each row as a short string. */
const shown = (rows: readonly Row[]) =>
  rows.map((row) => {
    if (row.kind === 'invalid') return `${row.line} ${row.problem.code}`;
    if (row.kind === 'repeated') return `${row.line} = ${row.firstLine}`;
    const { server: host, port, game } = row.submission;
    return `${row.line} ${formatAddress({ host, port })} ${game}`;
  });
function checked(result: EditResult | NotRead): CheckedDraft {
  if (result.kind !== 'checked') throw new Error(JSON.stringify(result));
  return result;
}

describe('the draft editor', () => {
  it('shows how many servers can be sent', async () => {
    const { store, open, stored } = await openEditor();
    await addDone(store, { id: 'x', guildId: '1', userId: '3', at: 1, hosts: ['a.example.com'] });
    const { draft, alreadySubmitted, allowance } = await open(
      'a.example.com:27015 cs2\n8.8.8.8:1 cs2\n127.1:5\n8.8.4.4:1\n8.8.8.8:1 cs2',
    );
    expect(shown(draft.rows)).toEqual([
      '1 a.example.com:27015 cs2',
      '2 8.8.8.8:1 cs2',
      '3 ipv4-form',
      '4 game-missing',
      '5 = 2',
    ]);
    expect([...alreadySubmitted.keys()].map(({ line }) => line)).toEqual([1]);
    expect(allowance).toEqual({ count: 1 });
    expect(countToEdit(draft)).toBe(2);
    expect(await stored()).toEqual(draft);
  });

  it('applies both changes if two buttons are pressed at once', async () => {
    const { store, draftEditor, open, stored } = await openEditor();
    await addDone(store, { id: 'x', guildId: '1', userId: '3', at: 1, hosts: ['a.example.com'] });
    await open('a.example.com:27015 cs2\n8.8.8.8:1');
    await Promise.all([
      draftEditor.includeAlreadySubmitted(mia, 'd', { includesAlreadySubmitted: true }),
      draftEditor.correct(mia, 'd', withGame('rust')),
    ]);
    const draft = await stored();
    expect(draft.includesAlreadySubmitted).toBe(true);
    expect(shown(draft.rows)).toEqual(['1 a.example.com:27015 cs2', '2 8.8.8.8:1 rust']);
  });

  it("ignores a lookup's results if the draft was edited during the lookup", async () => {
    let during = async () => {};
    const { draftEditor, open } = await openEditor(async (rows) => {
      await during();
      return rows.map((row) => ({ ...row, found: ['queryPort'] }));
    });
    const foundAfter = async (game: string) => {
      await open('8.8.8.8:1\n8.8.4.4:1');
      return checked(await draftEditor.correct(mia, 'd', withGame(game))).draft.rows.map(
        ({ found }) => found,
      );
    };
    expect(await foundAfter('rust')).toEqual([['queryPort'], ['queryPort']]);
    during = async () =>
      void (await draftEditor.includeAlreadySubmitted(mia, 'd', { includesAlreadySubmitted: true }));
    expect(await foundAfter('rust')).toEqual([undefined, undefined]);
  });

  it('can include or exclude previously submitted servers', async () => {
    const { store, draftEditor, open } = await openEditor();
    await addDone(store, { id: 'x', guildId: '1', userId: '3', at: 1, hosts: ['a.example.com'] });
    await open('a.example.com:27015 cs2\n8.8.8.8:1 cs2');
    expect(
      checked(await draftEditor.includeAlreadySubmitted(mia, 'd', { includesAlreadySubmitted: true }))
        .allowance.count,
    ).toBe(2);
    expect(checked(await draftEditor.recheck(mia, 'd')).allowance.count).toBe(2);
    expect(
      checked(await draftEditor.includeAlreadySubmitted(mia, 'd', { includesAlreadySubmitted: false }))
        .allowance.count,
    ).toBe(1);
  });

  it('rechecks the draft for duplicates after a game is chosen', async () => {
    const { draftEditor, open } = await openEditor();
    await open('8.8.8.8:1 cs2\n8.8.8.8:1\n8.8.4.4\n127.1:5');
    const { draft } = checked(await draftEditor.correct(mia, 'd', withGame('cs2')));
    expect(shown(draft.rows)).toEqual(['1 8.8.8.8:1 cs2', '2 = 1', '3 port-missing', '4 ipv4-form']);
    expect(linesToEdit(draft, 'invalid').text).toBe('3. 8.8.4.4 cs2\n4. 127.1:5');
  });

  it("can fill in a missing port with the game's default port", async () => {
    const { draftEditor, open } = await openEditor();
    const opened = await open('8.8.8.8 rust\n8.8.8.8:28015 rust\n8.8.4.4');
    expect(opened.draft.rows.flatMap((row) => withUsualPort(games)(row)?.port ?? [])).toEqual(['28015']);
    await draftEditor.correct(mia, 'd', withGame('cs2'));
    const { draft } = checked(await draftEditor.correct(mia, 'd', withUsualPort(games)));
    expect(shown(draft.rows)).toEqual(['1 8.8.8.8:28015 rust', '2 = 1', '3 8.8.4.4:27015 cs2']);
  });

  it("can replace an invalid port with the game's default port", async () => {
    const { draftEditor, open } = await openEditor();
    await open(
      '8.8.8.8:0 Rust\n8.8.4.4,-1,cs2\n1.1.1.1:270155 cs2\n1.0.0.1:70000 cs2\n9.9.9.9:0 mystery\n9.9.9.9,1,cs2,70000',
    );
    const { draft } = checked(await draftEditor.correct(mia, 'd', withUsualPort(games)));
    expect(shown(draft.rows)).toEqual([
      '1 8.8.8.8:28015 rust',
      '2 8.8.4.4:27015 cs2',
      '3 1.1.1.1:27015 cs2',
      '4 port-too-high',
      '5 port-too-low',
      '6 port-too-high',
    ]);
  });

  it("marks a line as invalid if the guild doesn't allow its game", async () => {
    const { guild, draftEditor, open } = await openEditor();
    guild.settings = { ...DEFAULTS, games: ['rust'] };
    const { draft } = await open('8.8.8.8:1 cs2\n8.8.8.8:1 cs2\n8.8.8.8:1 rust');
    expect(shown(draft.rows)).toEqual(['1 game-not-allowed', '2 game-not-allowed', '3 8.8.8.8:1 rust']);
    expect(draft.rows[1]).toMatchObject({
      typed: { server: '8.8.8.8:1', game: 'cs2' },
    });
    guild.settings = { ...DEFAULTS, games: ['rust', 'cs2'] };
    const again = checked(await draftEditor.recheck(mia, 'd'));
    expect(shown(again.draft.rows)).toEqual(['1 8.8.8.8:1 cs2', '2 = 1', '3 8.8.8.8:1 rust']);
  });

  it('shows whether the limit resets within 15 minutes', async () => {
    const { store, limited, open } = await openEditor();
    await addDone(store, { id: 'x', guildId: '1', userId: '2', at: Date.now(), hosts: ['x'] });
    const again = (servers: number, seconds: number) => limited({ servers, seconds }).recheck(mia, 'd');
    const held = (isSoon: boolean) => ({ allowance: { count: 0, limited: { isSoon } } });
    await open('8.8.8.8:1 cs2');
    expect(await again(1, 600)).toMatchObject(held(true));
    expect(await again(1, 1_000)).toMatchObject(held(false));
    await open('8.8.8.8:1 cs2\n8.8.8.8:2 cs2');
    expect(await again(2, 600)).toMatchObject({ allowance: { count: 1 } });
  });
});

describe('editing a draft', () => {
  it('suggests corrections for ports and addresses', async () => {
    const { open, edit } = await openEditor();
    const { draft } = await open(
      'server;port;game;query port\na.example.com;28.015;rust;28.016\nb,example,com;2,302;dayz;\nc.example.com;1;cs2;27 016',
    );
    expect(draft.rows.filter(isReady)).toEqual([]);
    const { text } = linesToEdit(draft, 'invalid');
    expect(text).toBe(
      '2. a.example.com,28015,rust,28016\n3. b.example.com 2302 dayz\n4. c.example.com,1,cs2,27016',
    );
    const { draft: edited } = checked(await edit(text));
    expect(edited.rows.filter(isReady).map(({ line, submission }) => ({ line, ...submission }))).toEqual([
      { line: 2, server: 'a.example.com', port: 28015, queryPort: 28016, game: 'rust' },
      { line: 3, server: 'b.example.com', port: 2302, game: 'dayz' },
      { line: 4, server: 'c.example.com', port: 1, queryPort: 27016, game: 'cs2' },
    ]);
  });

  it('replaces only the lines in the form', async () => {
    const { open, edit, stored } = await openEditor();
    const { draft } = await open('8.8.8.8:1 cs2\n127.1:5\n8.8.8.8:70000 cs2\n8.8.4.4:1\n8.8.8.8:5 cs2');
    expect(linesToEdit(draft, 'invalid').text).toBe('2. 127.1:5\n3. 8.8.8.8:70000 cs2\n4. 8.8.4.4:1');
    const { draft: edited } = checked(
      await edit('3. 8.8.8.8:1 cs2\n8.8.4.4:2 rust\n8.8.4.4:3 rust\n8.8.4.4:4'),
    );
    // A line without a number gets a free number. Additional lines are added at the end.
    expect(shown(edited.rows)).toEqual([
      '1 8.8.8.8:1 cs2',
      '2 8.8.4.4:2 rust',
      '3 = 1',
      '4 8.8.4.4:3 rust',
      '5 8.8.8.8:5 cs2',
      '6 game-missing',
    ]);
    expect(await stored()).toEqual(edited);
  });

  it('deletes a line that was removed from the form', async () => {
    const { open, edit } = await openEditor();
    await open('127.1:5\n127.1:6\n8.8.8.8:1 cs2');
    expect(shown(checked(await edit('2. 8.8.4.4:1 cs2')).draft.rows)).toEqual([
      '2 8.8.4.4:1 cs2',
      '3 8.8.8.8:1 cs2',
    ]);
    expect(shown(checked(await edit('')).draft.rows)).toEqual(['2 8.8.4.4:1 cs2', '3 8.8.8.8:1 cs2']);
  });

  it('can change any line, even a valid one', async () => {
    const { open, edit } = await openEditor();
    const { draft } = await open('8.8.8.8:1 cs2\n127.1:5');
    expect(linesToEdit(draft, 'all').text).toBe('1. 8.8.8.8:1 cs2\n2. 127.1:5');
    expect(shown(checked(await edit('1. 8.8.8.8:2 cs2', 'all')).draft.rows)).toEqual(['1 8.8.8.8:2 cs2']);
  });

  it("doesn't reparse unchanged lines", async () => {
    const { drafts, draftEditor, edit } = await openEditor();
    const submission = { server: 'a.example.com', port: 27015, queryPort: 27016, game: 'cs2' };
    const rows: readonly Row[] = [
      { kind: 'ready', line: 1, submission, found: ['queryPort'] },
      { kind: 'ready', line: 1, part: 2, submission: { ...submission, game: 'no-longer-known' } },
      { kind: 'ready', line: 2, submission: { ...submission, port: 1 } },
    ];
    await drafts.save(mia, { id: 'd', source: 'text', rows });
    const { draft } = checked(await draftEditor.recheck(mia, 'd'));
    const typed = linesToEdit(draft, 'all').text.replace('a.example.com:1,', 'b.example.com:1,');
    expect(typed).toContain('\n1b. ');
    expect(checked(await edit(typed, 'all')).draft.rows).toEqual([
      ...rows.slice(0, 2),
      { ...rows[2], submission: { ...submission, port: 1, server: 'b.example.com' } },
    ]);
  });

  it("reports which lines don't contain a game server", async () => {
    const { open, edit } = await openEditor();
    await open('127.1:5\n127.1:6');
    const { draft, choices } = checked(await edit('2. nothing here\n8.8.8.8:1 cs2\nor here'));
    expect(choices).toBeUndefined();
    expect(shown(draft.rows)).toEqual(['1 8.8.8.8:1 cs2']);
    expect(draft.leftOut).toEqual({ lines: ['2-3'], more: 0, count: 2 });
  });

  it('can add a game server to a line that had none', async () => {
    const { draftEditor, edit } = await openEditor();
    const rows = rowsOf('8.8.8.8:1 cs2');
    const leftOut = { lines: ['2-4'], more: 0, count: 3 };
    await draftEditor.open(mia, { id: 'd', source: 'text', rows, leftOut });
    const typed = '1. 8.8.8.8:1 cs2\n2. \n3. 8.8.4.4:1 cs2\n4. nothing here\n8.8.4.4:2 cs2';
    const { draft } = checked(await edit(typed, 'all'));
    expect(shown(draft.rows)).toEqual(['1 8.8.8.8:1 cs2', '3 8.8.4.4:1 cs2', '5 8.8.4.4:2 cs2']);
    expect(draft.leftOut).toEqual({ lines: ['2', '4'], more: 0, count: 2 });
  });

  it('creates a new draft if the old one no longer exists', async () => {
    const { edit, stored } = await openEditor();
    const result = await edit('8.8.8.8:1 cs2\n7. 8.8.8.8:2 cs2');
    expect(result).toMatchObject({ draft: { id: 'new' }, whySeparate: 'gone' });
    expect(shown((await stored('new')).rows)).toEqual(['1 8.8.8.8:1 cs2', '2 8.8.8.8:2 cs2']);
  });

  it("can't make the draft exceed 1,000 lines", async () => {
    const { open, edit } = await openEditor();
    const lines = (count: number) =>
      Array.from({ length: count }, (_, n) => `8.8.8.8:${n + 1} cs2`).join('\n');
    await open(`${lines(999)}\n127.1:5`);
    expect(await edit('8.8.4.4:1 cs2\n8.8.4.4:2 cs2')).toEqual({ kind: 'too-many', count: 1001, most: 1000 });
    expect(await edit(lines(1_001))).toMatchObject({ kind: 'too-many', count: 1_001 });
    expect(checked(await edit('8.8.4.4:1 cs2')).draft.rows).toHaveLength(1_000);
  });

  it("can't make the stored draft exceed 400,000 bytes", async () => {
    const { store, submissions, draftEditor } = await openEditor();
    const servers = (count: number): readonly ReadyRow[] =>
      Array.from({ length: count }, (_, n) =>
        readyRow(n + 1, `${`${'a'.repeat(60)}.`.repeat(4)}${n}.example.com`, { game: 'x'.repeat(80) }),
      );
    const open = (count: number) => draftEditor.open(mia, { id: 'd', source: 'text', rows: servers(count) });
    const refused = await open(1_000);
    expect(refused).toMatchObject({ kind: 'too-many', most: expect.any(Number) });
    const most = Number('most' in Object(refused) && Object(refused).most);
    const { draft } = checked(await open(most));
    const rows = draft.rows.filter(isReady);
    const id = await submissions.begin({ ...mia, draftId: 'd', interactionId: 'i', rows }, false);
    await store.tables().updateTable('servers').set({ outcome: 'unknown', reason: 'server-error' }).execute();
    await submissions.finish('1', id);
    // Text that can't be parsed is kept next to the list.
    await draftEditor.keepTyped(mia, 'd', { text: '一'.repeat(4_000), game: '一'.repeat(100), modal: 'all' });
    const [stored] = await rowsIn(store, 'drafts');
    const lines = JSON.parse(stored?.lines ?? '');
    expect([lines.rows.length, lines.typed.text.length]).toEqual([most, 4_000]);
    const bytes = Buffer.byteLength(stored?.lines ?? '');
    expect([bytes > 395_000, bytes <= 400_000]).toEqual([true, true]);
  });

  it('leaves the draft unchanged if the result would be too large', async () => {
    const { drafts, draftEditor, open, edit, stored } = await openEditor();
    const lines = (count: number) =>
      Array.from({ length: count }, (_, n) => `8.8.8.8,${n + 3000},${'一'.repeat(90)}`);
    const tooMany = await draftEditor.open(mia, {
      id: 'd',
      source: 'text',
      rows: rowsOf(lines(1_000).join('\n')),
    });
    // A draft can't contain more lines than this.
    const most = 566;
    expect(tooMany).toEqual({ kind: 'too-many', count: 1_000, most });
    expect(await drafts.find(mia, 'd')).toMatchObject({ kind: 'no-draft', why: 'gone' });
    const { draft } = await open(lines(most).join('\n'));
    const longer = linesToEdit(draft, 'invalid').text.replaceAll('一一', '一二三');
    expect(await edit(longer)).toMatchObject({ kind: 'too-many', count: most });
    expect(await stored()).toEqual(draft);
    // Unreadable input is stored separately, and doesn't prevent a recheck.
    await draftEditor.keepTyped(mia, 'd', { text: '一'.repeat(4_000), game: '', modal: 'invalid' });
    expect(await draftEditor.recheck(mia, 'd')).toMatchObject({ draft: { id: 'd' } });
  });

  it('leaves the draft unchanged if it is waiting for approval', async () => {
    const { drafts, submissions, waitingSubmissions, approvals, draftEditor, open, stored } =
      await openEditor();
    const rows = Array.from({ length: 1_000 }, (_, n) => `8.8.8.8:${n + 1} cs2`).join('\n');
    await open(rows);
    const draft = await stored();
    const submissionId = await beginSubmission({ drafts, submissions, waitingSubmissions }, mia, {
      interactionId: 'i',
      draft,
      expiresAt: 1,
    });
    const change = (typed: string) =>
      draftEditor.editWaiting(mia, { id: 'd', which: 'all', typed, submissionId });
    const tooMany = rows.replaceAll('8.8.8.8', '8.8.4.4');
    expect(await change(tooMany)).toMatchObject({ kind: 'too-many' });
    expect(await change('1. 8.8.4.4:1 cs2\n2. 127.1:5 cs2')).toMatchObject({
      draft: { rows: expect.arrayContaining([expect.objectContaining({ line: 1 })]) },
      newlyInvalid: [{ line: 2 }],
    });
    expect(
      await draftEditor.editWaiting(mia, { id: 'd', which: 'all', typed: '', submissionId: 'before' }),
    ).toEqual({ kind: 'no-draft', why: 'submitted' });
    expect(await approvals.draft(mia, 'd')).toEqual(draft);
  });

  it("prioritises invalid lines if the form can't show every line", () => {
    const lines = Array.from({ length: 500 }, (_, n) => `8.8.8.8:${n + 1}`);
    const draft = { source: 'text', rows: rowsOf([...lines, '127.1:5'].join('\n')) } as const;
    const { text, rows } = linesToEdit({ ...draft, id: 'd' }, 'invalid');
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(text.length).toBeGreaterThan(3_970);
    expect(text.split('\n').at(-1)).toBe('501. 127.1:5');
    expect(text.split('\n')).toHaveLength(rows.length);
  });
});

describe("input that can't be parsed as a list", () => {
  async function openTyped() {
    const opened = await openEditor();
    const keep = (id: string, text: string, modal: TypedText['modal'] = 'paste') =>
      opened.draftEditor.keepTyped(mia, id, { text, game: ' cs2 ', modal });
    return { ...opened, keep };
  }

  it('is stored without passwords', async () => {
    const { stored, keep } = await openTyped();
    await keep('d', '8.8.8.8:1 cs2; password QZJX\n[broken');
    expect((await stored()).typed).toEqual({ text: '8.8.8.8:1 cs2\n[broken', game: 'cs2', modal: 'paste' });
    const json = '[{"server": "8.8.8.8:1", "password": "QZ JX", "game": "cs2"}';
    for (const text of [json, json.replaceAll('"', "'").replace('QZ', "QZ\\' JX")]) {
      await keep('json', text);
      const kept = Object((await stored('json')).typed).text;
      expect(kept).not.toMatch(/QZ|JX/);
      expect(kept).toMatch(/["']game["']: ["']cs2["']/);
    }
  });

  it('is kept until the member edits the draft', async () => {
    const { drafts, draftEditor, open, edit, keep } = await openTyped();
    const ids = ['d', ...Array.from({ length: 9 }, (_, n) => `other-${n}`)];
    for (const id of ids) await open('127.1:5', id);
    await keep('d', '[broken', 'invalid');
    expect(checked(await draftEditor.recheck(mia, 'd')).draft).toMatchObject({
      rows: [{}],
      typed: { text: '[broken', modal: 'invalid' },
    });
    for (const id of ids) expect(await drafts.find(mia, id)).toHaveProperty('rows');
    expect(checked(await edit('8.8.4.4:1 cs2')).draft).not.toHaveProperty('typed');
  });
});
