import { formatAddress } from '../addresses/address.ts';
import { plainText, withoutPasswords, withoutPasswordWords } from '../addresses/pasted-text.ts';
import type { Secret } from '../secret.ts';
import { numberedLines, renumbered, withoutNumbers } from '../server-lists/line.ts';
import {
  finishedRow,
  gameReading,
  MAX_ROWS,
  readWithGames,
  type UnreadableList,
  withRepeats,
} from '../server-lists/read-list.ts';
import { EMPTY_ROW, type GameReading, type Row, rowText, shown, typedOf } from '../server-lists/row.ts';
import type { Checks, Refusal, Room } from './checks.ts';
import {
  type Draft,
  draftToStore,
  isReady,
  isRefusedRow,
  lacksGame,
  type PreviousRow,
  type RefusedRow,
  rowsToSend,
  storedDraft,
} from './draft.ts';
import type { NoDraft, SubmissionSettings } from './pipeline.ts';
import { DRAFT_LIVES_MS, type Records, type Submitter } from './record.ts';

export interface ListDraftsDeps {
  readonly records: Pick<Records, 'saveDraft' | 'changeDraft' | 'findDraft' | 'dropDraft' | 'replacedBy'>;
  readonly checks: Pick<Checks, 'submittedBefore' | 'room'>;
  readonly settings: { get(guildId: string): Promise<SubmissionSettings> };
  readonly games: Parameters<typeof readWithGames>[1];
}

/** A draft that is kept, and how much of it could go now. */
export interface Prepared {
  readonly id: string;
  readonly draft: Draft;
  readonly room: Room;
  /** Nothing may go now, but it can while the draft is kept. */
  readonly canTryAgain: boolean;
  /** Of the lines that are refused and of those that lack a game: how many of them can be edited. */
  readonly edits: Record<'refused' | 'lacking', number>;
}

/** What a paragraph field takes (Discord docs: Component Reference, Text Input), and so what can be edited at once. */
export const MOST_TYPED = 4000;

/** A list as it was typed that could not be read, to be corrected; with the game of lines that name none. */
interface TypedList {
  readonly text: string;
  readonly game: string;
}

/** As it may be kept. In JSON a password ends with its quotes, and the rest of the line is no part of it. */
const keptText = (text: string): string =>
  /^\s*[[{]/u.test(text)
    ? withoutPasswordWords(plainText(text))
    : plainText(text)
        .split(/\r\n?|\n/u)
        .map(withoutPasswords)
        .join('\n');

/** Which lines are edited: those that are not ready, or all there are, as in what was refused or not sent. */
export type Editing = 'refused' | 'all';

/** The lines of a draft to be edited, as far as they fit: first what is refused, then what lacks a game, then the others. */
export function linesToEdit(
  { rows }: Draft,
  which: Editing,
): { readonly text: string; readonly rows: readonly Row[] } {
  const refused = rows.filter(isRefusedRow).filter((row) => !lacksGame(row));
  const others = which === 'all' ? rows.filter(isReady) : [];
  const wanted = [...refused, ...rows.filter(lacksGame), ...others];
  const kept = wanted.filter((row) => row.ok || row.problem.code !== 'not-kept');
  const lines = numberedLines(
    kept.map((row) => ({ line: row.line, typed: typedOf(row), row })),
    MOST_TYPED,
  );
  return { text: lines.text, rows: lines.rows.map(({ row }) => row) };
}

/** How much of a draft can be edited, of which only a part is kept. */
function editsOf(draft: Draft): Prepared['edits'] {
  const { lines, servers } = draftToStore(draft);
  const { rows } = linesToEdit(storedDraft(lines, servers), 'refused');
  const lacking = rows.filter(lacksGame).length;
  return { refused: rows.length - lacking, lacking };
}

/** What was typed of lists that could not be read, by the id that its window is opened with. */
function createTypedLists(records: Pick<Records, 'saveDraft' | 'findDraft' | 'dropDraft'>) {
  return {
    /** Keeps what was typed, as drafts are; whether a window takes it. */
    async keepTyped(by: Submitter, id: string, { text, game }: TypedList): Promise<boolean> {
      // A file may have 256 KiB, and all of it would be gone through at a stretch.
      if (text.length > MOST_TYPED) return false;
      const server = keptText(text);
      const typed = { ...EMPTY_ROW, server, game: shown(game) };
      const row = { line: 1, text: '', ok: false, problem: { code: 'no-address' }, typed } as const;
      const draft = { source: 'text', rows: [row], previous: [], includesPrevious: false } as const;
      await records.saveDraft(by, typedId(id), draft);
      return true;
    },
    async findTyped(by: Submitter, id: string): Promise<TypedList | undefined> {
      const found = await records.findDraft(by, typedId(id));
      if (typeof found === 'string') return undefined;
      const { server: text, game } = typedOf(found.draft.rows[0]);
      return { text, game };
    },
    /** It was read after all. */
    forgetTyped: ({ guildId }: Submitter, id: string) => records.dropDraft(guildId, typedId(id)),
  };
}

/** Lists from their preview until they are submitted: each change is kept, and counted anew against what is allowed. */
export type ListDrafts = ReturnType<typeof createListDrafts>;

export function createListDrafts({ records, checks, settings, games }: ListDraftsDeps) {
  async function prepare(by: Submitter, id: string, draft: Draft): Promise<Prepared> {
    const { guildId, user } = by;
    const { games: allowed, dailyQuota } = await settings.get(guildId);
    const rows = withAllowed(draft.rows, allowed);
    const previous = await previousOf({ guildId, userId: user.id }, rows, checks);
    const prepared = { ...draft, rows, previous };
    const count = rowsToSend(prepared).length;
    const edits = editsOf(prepared);
    if (count === 0) return { id, draft: prepared, room: { count }, canTryAgain: false, edits };
    const replaces = await records.replacedBy(guildId, id);
    const room = await checks.room({ guildId, userId: user.id, count, dailyQuota, replaces });
    const waits = room.count === 0 && room.held !== undefined ? room.held.until - Date.now() : Infinity;
    return { id, draft: prepared, room, canTryAgain: waits < DRAFT_LIVES_MS, edits };
  }

  /** Keeps what becomes of a draft, unless it was submitted or cancelled meanwhile. */
  async function change(
    by: Submitter,
    id: string,
    how: (draft: Draft) => Draft,
  ): Promise<Prepared | NoDraft> {
    const found = await records.findDraft(by, id);
    if (typeof found === 'string') return found;
    const prepared = await prepare(by, id, how(found.draft));
    return (await records.changeDraft(by, id, prepared.draft)) ? prepared : 'gone';
  }

  async function open(by: Submitter, id: string, read: Pick<Draft, 'source' | 'rows'>): Promise<Prepared> {
    const prepared = await prepare(by, id, { ...read, previous: [], includesPrevious: false });
    await records.saveDraft(by, id, prepared.draft);
    return prepared;
  }

  return {
    ...createTypedLists(records),
    /** Keeps a new draft. */
    open,
    /** As it is, counted against what is allowed now. */
    anew: (by: Submitter, id: string) => change(by, id, (draft) => draft),
    async find(by: Submitter, id: string): Promise<Draft | NoDraft> {
      const found = await records.findDraft(by, id);
      return typeof found === 'string' ? found : found.draft;
    },
    /** Gives the rows that lack a game this one. */
    chooseGame: (by: Submitter, id: string, alias: string) =>
      change(by, id, (draft) => ({ ...draft, rows: withGame(draft.rows, gameReading(games, alias)) })),
    togglePrevious: (by: Submitter, id: string) => change(by, id, toggled),
    /** Drops it, or says why there is nothing to drop. */
    async drop(by: Submitter, id: string): Promise<NoDraft | undefined> {
      const found = await records.findDraft(by, id);
      if (typeof found === 'string') return found;
      return (await records.dropDraft(by.guildId, id)) ? undefined : 'gone';
    },
    /**
     * Reads what has become of {@link linesToEdit} in place of those lines; what is not in it any more is dropped.
     * Where the draft is gone, what was typed is a new draft under the other id.
     * @param key what the service is asked with for a game that is not known; without one it is not
     */
    async edit(
      by: Submitter,
      { id, newId, typed, which }: Record<'id' | 'newId' | 'typed', string> & { readonly which: Editing },
      key: Secret | undefined,
    ): Promise<Prepared | (Prepared & { readonly instead: NoDraft }) | UnreadableList> {
      const { text, numbers } = withoutNumbers(typed);
      const list = await readWithGames({ content: text, game: '' }, games, key);
      if (list.kind !== 'rows') return list;
      const found = await records.findDraft(by, id);
      if (typeof found !== 'string') {
        const draft = withRead(found.draft, which, { rows: list.rows, numbers });
        const count = draft.rows.length;
        if (count > MAX_ROWS) return { kind: 'too-many', count, most: MAX_ROWS };
        const changed = await change(by, id, () => draft);
        if (typeof changed !== 'string') return changed;
      }
      const instead = await open(by, newId, { source: 'text', rows: onTheirOwn(list.rows, numbers) });
      return { ...instead, instead: typeof found === 'string' ? found : 'gone' };
    },
  };
}

const typedId = (id: string): string => `${id}-typed`;

/** The draft with the rows that were read in place of those that were edited. */
function withRead(
  draft: Draft,
  which: Editing,
  { rows, numbers }: { readonly rows: readonly Row[]; readonly numbers: readonly (number | undefined)[] },
): Draft {
  const replaced = new Set(linesToEdit(draft, which).rows);
  const edited = [...replaced].map(({ line }) => line);
  const last = Math.max(0, ...draft.rows.map(({ line }) => line));
  const read = renumbered(rows, { numbers, edited, last });
  return { ...draft, rows: withRepeats([...draft.rows.filter((row) => !replaced.has(row)), ...read]) };
}

/** The rows that were read, under the numbers that stood before them. */
function onTheirOwn(rows: readonly Row[], numbers: readonly (number | undefined)[]): readonly Row[] {
  const edited = numbers.flatMap((number) => number ?? []);
  return withRepeats(renumbered(rows, { numbers, edited, last: Math.max(0, ...edited) }));
}

const toggled = (draft: Draft): Draft => ({ ...draft, includesPrevious: !draft.includesPrevious });

/** Which of the rows the guild has submitted before. */
async function previousOf(
  by: Parameters<ListDraftsDeps['checks']['submittedBefore']>[0],
  rows: readonly Row[],
  { submittedBefore }: ListDraftsDeps['checks'],
): Promise<readonly PreviousRow[]> {
  const ready = rows.filter(isReady).map(({ submission }) => submission);
  const found = await submittedBefore(by, ready);
  return rows.flatMap((row, index) => {
    if (!row.ok) return [];
    const { server: host, port } = row.submission;
    const before = found.get(formatAddress({ host, port }));
    return before ? [{ ...before, row: index }] : [];
  });
}

/** The refused rows with the game that was meant for rows that name none, so that it is not lost with the others. */
export const withDefaultGame = (rows: readonly Row[], game: string): readonly Row[] =>
  rows.map((row) => {
    if (!isRefusedRow(row) || row.typed.game !== '' || UNREAD.has(row.problem.code)) return row;
    const typed = { ...row.typed, game };
    return { ...row, typed, text: rowText(typed) };
  });

/** Of these nothing is known of what stood where. */
const UNREAD: ReadonlySet<RefusedRow['problem']['code']> = new Set([
  'no-address',
  'line-too-long',
  'not-an-object',
]);

/** The rows with a game for those that lack one. */
const withGame = (rows: readonly Row[], games: GameReading): readonly Row[] =>
  withRepeats(
    rows.map((row) =>
      lacksGame(row) ? finishedRow({ line: row.line, text: row.text, typed: row.typed }, games) : row,
    ),
  );

/** The rows, of which those whose game may not be submitted here are refused; absent: all games may be. */
const withAllowed = (rows: readonly Row[], allowed: readonly string[] | undefined): readonly Row[] =>
  allowed === undefined
    ? rows
    : rows.map((row) =>
        'submission' in row && !allowed.includes(row.submission.game) ? forbidden(row) : row,
      );

/** One that repeats another too: that one is not sent either. */
function forbidden(row: Extract<Row, { readonly submission: unknown }>): RefusedRow {
  const { line, text, submission } = row;
  const typed = typedOf(row);
  const problem = { code: 'game-not-allowed', game: submission.game } as const;
  return { line, text: text || rowText(typed), ok: false, problem, typed };
}

/** Whether the preview of a list, made anew, shows what to do about it. */
export const isSeenInPreview = ({ code }: Refusal): boolean => SEEN_IN_PREVIEW.has(code);
const SEEN_IN_PREVIEW: ReadonlySet<Refusal['code']> = new Set([
  ...(['key-missing', 'key-unreadable', 'key-invalid'] as const),
  ...(['submitted-before', 'game-not-allowed', 'daily-quota', 'member-limit', 'guild-limit'] as const),
]);
