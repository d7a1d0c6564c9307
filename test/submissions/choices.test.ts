import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/listing/contract.ts';
import { createListParser, type NotRead } from '../../src/server-lists/list-parser.ts';
import type { Candidate } from '../../src/server-lists/row.ts';
import type { CheckedDraft } from '../../src/submissions/check.ts';
import type { Choices } from '../../src/submissions/choices.ts';
import { type Draft, markOfRows } from '../../src/submissions/draft.ts';
import { createDraftEditor, type EditResult, linesToEdit } from '../../src/submissions/draft-editor.ts';
import { Secret } from '../../src/text/secret.ts';
import { freshGames, openPipeline, readyDraft, readyRow } from '../support/builders.ts';
import { rowsIn } from '../support/database.ts';

const MINUTE = 60_000;
const mia = { guildId: '1', user: { id: '2', name: 'mia' }, isAdmin: true, roleIds: [] };

/** Returns a candidate whose words and address must never be stored anywhere else. */
const candidate = (line: number, game = ''): Candidate => ({
  line,
  typed: { server: `player${line}.example.com:${20_000 + line}`, port: '', queryPort: '', game },
  words: `steve${line} joined`,
});

const people = (count: number, game = 'rust'): Choices => ({
  shape: 'people',
  candidates: Array.from({ length: count }, (_, index) => candidate(index + 1)),
  game,
});

const PAGE = [0, 25] as const;
const accepted: Outcome = { kind: 'accepted', message: 'Yes.' };

async function openEditor() {
  const clock = { now: Date.now() };
  const requests: (readonly string[])[] = [];
  const parts = await openPipeline({
    now: () => clock.now,
    add(servers) {
      requests.push(servers.map(({ server }) => server));
      return accepted;
    },
  });
  const draftEditor = createDraftEditor({
    ...parts,
    games: freshGames,
    parser: createListParser({ games: freshGames }),
    completeRows: async (rows) => rows,
  });
  await parts.keys.set('1', new Secret('key'), { by: mia.user });
  return {
    ...parts,
    clock,
    requests,
    draftEditor,
    open: async (choices: Choices, rows: Draft['rows'] = []) =>
      checked(await draftEditor.open(mia, { id: 'd', source: 'text', rows }, choices)),
    choose: async (...chosen: number[]) => checked(await draftEditor.choose(mia, 'd', PAGE, new Set(chosen))),
    submit: (more: { readonly mark?: string; readonly id?: string } = {}) =>
      parts.pipeline.submit({
        ...mia,
        id: 'd',
        interactionId: `i${requests.length}`,
        receivedAt: clock.now,
        guildLocale: 'en-US',
        stopping: undefined,
        ...more,
      }),
    /** Everything that is stored, except for the choices themselves. */
    async storedElsewhere(): Promise<string> {
      const rows = [];
      for (const table of ['drafts', 'servers', 'submissions', 'keyv'] as const) {
        rows.push(...(await rowsIn(parts.store, table)));
      }
      return JSON.stringify(rows);
    },
  };
}

function checked(result: EditResult | NotRead): CheckedDraft {
  if (result.kind !== 'checked') throw new Error(JSON.stringify(result));
  return result;
}

const shown = ({ draft }: CheckedDraft) =>
  draft.rows.map((row) =>
    row.kind === 'ready' ? `${row.line} ${row.submission.game}` : `${row.line} ${row.kind}`,
  );

describe('ambiguous addresses in a draft', () => {
  it('are stored only in the choices table until the member chooses them', async () => {
    const { open, choose, storedElsewhere, store } = await openEditor();
    await open(people(3));
    expect(await storedElsewhere()).not.toMatch(/player|steve/);
    expect(shown(await choose(1))).toEqual(['2 rust']);
    expect(await storedElsewhere()).toContain('player2.example.com');
    expect(await storedElsewhere()).not.toMatch(/player[13]|steve/);
    expect(await rowsIn(store, 'choices')).toHaveLength(1);
  });

  it('are only sent if the member chooses them', async () => {
    const { open, choose, submit, requests, storedElsewhere, history } = await openEditor();
    await open(people(3));
    expect(await submit()).toMatchObject({ kind: 'held', why: { code: 'changed' } });
    await choose(0, 2);
    expect(await submit()).toMatchObject({ kind: 'ended' });
    expect(requests).toEqual([['player1.example.com', 'player3.example.com']]);
    expect(await storedElsewhere()).not.toMatch(/player2|steve/);
    expect(JSON.stringify(await Array.fromAsync(history.all('1', {})))).not.toContain('player2');
  });

  it("aren't sent if the selection has changed since the button was shown", async () => {
    const { open, choose, submit, requests } = await openEditor();
    await open(people(3));
    const mark = markOfRows((await choose(0)).draft);
    await choose(1);
    expect(await submit({ mark })).toMatchObject({ kind: 'held', why: { code: 'changed' } });
    expect(requests).toEqual([]);
    expect(markOfRows((await choose(0)).draft)).toBe(mark);
    expect(await submit({ mark })).toMatchObject({ kind: 'ended' });
  });

  it('stay selected when the member moves to another page', async () => {
    const { open, draftEditor } = await openEditor();
    await open(people(60));
    const choose = async (page: number, ...chosen: number[]) =>
      shown(checked(await draftEditor.choose(mia, 'd', [25 * page, 25 * (page + 1)], new Set(chosen))));
    expect(await choose(0, 0, 1)).toEqual(['1 rust', '2 rust']);
    // A forged value from another page isn't chosen.
    expect(await choose(2, 50, 3)).toEqual(['1 rust', '2 rust', '51 rust']);
    expect(await choose(0, 1)).toEqual(['2 rust', '51 rust']);
    expect(await choose(2)).toEqual(['2 rust']);
  });

  it('default to the game that the member selected', async () => {
    const { open, choose, draftEditor } = await openEditor();
    await open({ ...people(1), candidates: [candidate(1, 'cs2'), candidate(2)] });
    expect(shown(await choose(0, 1))).toEqual(['1 cs2', '2 rust']);
    await open({ ...people(1), candidates: [candidate(1, 'cs2'), candidate(2)], game: '' });
    await draftEditor.choose(mia, 'd', PAGE, new Set());
    expect(shown(await choose(0, 1))).toEqual(['1 cs2', '2 invalid']);
    await draftEditor.correct(mia, 'd', (row) =>
      row.kind === 'invalid' ? { ...row.typed, game: 'gm' } : undefined,
    );
    // Choosing again doesn't undo the correction.
    expect(shown(await choose(0, 1))).toEqual(['1 cs2', '2 gm']);
  });

  it('get a game suggestion if the adjacent game name is misspelt', async () => {
    const { open, choose } = await openEditor();
    const texts = ['counter stirke 2', 'team fortres', 'surf ski 24/7', 'fortres', 'rust and minecraft'];
    const candidates = texts.map((words, index) => ({ ...candidate(index + 1), words }));
    await open({ ...people(1), candidates, game: '' });
    const { draft } = await choose(0, 1, 2, 3, 4);
    expect(draft.rows.map((row) => row.kind === 'invalid' && [row.problem.code, row.near])).toEqual(
      ['cs2', 'tf2', undefined, undefined, undefined].map((near) => ['game-missing', near]),
    );
  });

  it('are added to the list when selected, and removed when deselected', async () => {
    const { open, choose } = await openEditor();
    const rows = [readyRow(5, 'a.example.com')];
    const choices: Choices = { ...people(2), shape: 'unsure' };
    await open({ ...choices, candidates: [...choices.candidates, { ...candidate(5), part: 2 }] }, rows);
    expect(shown(await choose(0, 2))).toEqual(['1 rust', '5 cs2', '5 rust']);
    expect(shown(await choose())).toEqual(['5 cs2']);
  });

  it('only appear in the edit form once they are chosen', async () => {
    const { open, choose, draftEditor } = await openEditor();
    await open(people(3));
    const { draft } = await choose(1);
    const { text } = linesToEdit(draft, 'all');
    expect(text).toBe('2. player2.example.com:20002 rust');
    const edited = checked(
      await draftEditor.edit(mia, {
        id: 'd',
        newId: 'new',
        typed: `${text}\nnew.example.com:1 cs2`,
        which: 'all',
        submissionId: '',
      }),
    );
    expect(shown(edited)).toEqual(['2 rust', '4 cs2']);
    expect(edited.choices?.candidates).toHaveLength(3);
  });

  it('can be corrected in the edit form', async () => {
    const { open, choose, draftEditor } = await openEditor();
    await open({ ...people(3), shape: 'unsure' }, [readyRow(5, 'a.example.com')]);
    const { draft } = await choose(1);
    const typed = `1. eu-player1.example.com:1 cs2\n${linesToEdit(draft, 'all').text}`;
    const edited = checked(
      await draftEditor.edit(mia, { id: 'd', newId: 'new', typed, which: 'all', submissionId: '' }),
    );
    expect(shown(edited)).toEqual(['1 cs2', '2 rust', '5 cs2']);
    expect(edited.choices?.candidates).toMatchObject([
      { line: 1, typed: { server: 'eu-player1.example.com:1' }, words: '' },
      candidate(2),
      candidate(3),
    ]);
    expect(shown(await choose(1))).toEqual(['2 rust', '5 cs2']);
    expect(shown(await choose(0, 1))).toEqual(['1 cs2', '2 rust', '5 cs2']);
  });

  it('expire if none is chosen within 15 minutes', async () => {
    const { open, choose, draftEditor, erasure, clock, store } = await openEditor();
    await open(people(3));
    await choose(1);
    clock.now += 15 * MINUTE;
    const continued = checked(await draftEditor.recheck(mia, 'd'));
    expect(continued).toMatchObject({ choices: undefined, draft: { isUnchosenGone: true } });
    expect(shown(continued)).toEqual(['2 rust']);
    expect(shown(await choose(0, 1))).toEqual(['2 rust']);
    await erasure.prune();
    expect(await rowsIn(store, 'choices')).toEqual([]);
  });

  it('can be chosen again after a cancelled draft is restored', async () => {
    const { open, choose, draftEditor, drafts } = await openEditor();
    await open(people(3));
    await drafts.drop(mia, 'd');
    expect(await draftEditor.recheck(mia, 'd')).toMatchObject({ why: 'cancelled' });
    expect(checked(await draftEditor.recheck(mia, 'd', true)).choices).toEqual(people(3));
    expect(shown(await choose(1))).toEqual(['2 rust']);
  });

  it('are limited to three pages', async () => {
    const { draftEditor, store } = await openEditor();
    const draft = { id: 'd', source: 'text', rows: [] } as const;
    expect(await draftEditor.open(mia, draft, people(76))).toEqual({ kind: 'too-many-candidates', most: 75 });
    expect(await rowsIn(store, 'choices')).toEqual([]);
    expect(await draftEditor.open(mia, draft, people(75))).toMatchObject({ draft: { rows: [] } });
  });
});

it("a draft's choices count towards the guild's size limit for drafts", async () => {
  const { draftEditor, drafts, store } = await openEditor();
  const words = 'x'.repeat(3 * 1024 * 1024);
  for (const name of ['a', 'b', 'c']) {
    const member = { ...mia, user: { id: name, name } };
    const choices: Choices = { ...people(1), candidates: [{ ...candidate(1), words }] };
    await draftEditor.open(member, { id: name, source: 'text', rows: [] }, choices);
  }
  await drafts.save(mia, readyDraft('d', 1));
  expect(await rowsIn(store, 'choices')).toHaveLength(2);
  expect(await rowsIn(store, 'drafts')).toHaveLength(3);
});

describe("a draft's choices", () => {
  type Editor = Awaited<ReturnType<typeof openEditor>>;

  it.each<readonly [string, (editor: Editor) => Promise<unknown>]>([
    [
      'when it is submitted',
      async ({ choose, submit }) => {
        await choose(0);
        await submit();
      },
    ],
    [
      'by the hourly job, 15 minutes after it is cancelled',
      async ({ drafts, erasure, clock }) => {
        await drafts.drop(mia, 'd');
        clock.now += 15 * MINUTE;
        await erasure.prune();
      },
    ],
    [
      "with the member's name",
      ({ erasure, store }) => store.inGuild('1', () => erasure.forgetMember('1', '2')),
    ],
    ["with the guild's data", ({ erasure, store }) => store.inGuild('1', () => erasure.deleteGuild('1'))],
    [
      'with the draft, if the member has too many',
      async ({ drafts, clock }) => {
        for (let n = 0; n < 10; n += 1) {
          clock.now += 1;
          await drafts.save(mia, readyDraft(`other-${n}`, 1));
        }
      },
    ],
    [
      'by the hourly job, 15 minutes after the last change',
      async ({ erasure, clock, store, choose }) => {
        clock.now += 10 * MINUTE;
        await choose(1);
        clock.now += 14 * MINUTE;
        await erasure.prune();
        expect(await rowsIn(store, 'choices')).toHaveLength(1);
        clock.now += MINUTE;
        await erasure.prune();
      },
    ],
    [
      'by the hourly job, if an older version deleted the draft or submitted it',
      async ({ erasure, store }) => {
        await store.tables().deleteFrom('drafts').execute();
        await erasure.prune();
      },
    ],
  ])('are deleted %s', async (_, remove) => {
    const editor = await openEditor();
    await editor.open(people(3));
    expect(await rowsIn(editor.store, 'choices')).toHaveLength(1);
    await remove(editor);
    expect(await rowsIn(editor.store, 'choices')).toEqual([]);
  });
});
