import { plainText, withoutPasswords, withoutPasswordWords } from '../addresses/pasted-text.ts';
import { type GuildSettings, isToWait } from '../guilds/settings.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { numberedLines, renumbered, withoutNumbers } from '../server-lists/edited-lines.ts';
import type { ListParser, NotRead } from '../server-lists/list-parser.ts';
import { finishedRow, MAX_ROWS, type UnreadableList, withRepeats } from '../server-lists/read-list.ts';
import {
  addressOf,
  gameOf,
  type InvalidRow,
  isInvalid,
  isReady,
  lacksGame,
  type Row,
  type RowProblem,
  rowText,
  sanitised,
  type TypedRow,
  typedOf,
} from '../server-lists/row.ts';
import type { Store } from '../storage/store.ts';
import type { EarlierSubmission } from './already-submitted.ts';
import { type Draft, type Editing, rowsToSend, type TypedText, withoutTyped, withRows } from './draft.ts';
import { inDrafts, type Submitter, type Unavailable } from './drafts.ts';
import type { Allowance } from './limits.ts';
import type { SubmissionStore } from './submission-store.ts';

export interface DraftEditorDeps extends SubmissionStore {
  readonly store: Pick<Store, 'inGuild'>;
  readonly settings: Pick<GuildSettings, 'getOrThrow'>;
  readonly games: GameIndex;
  readonly parser: ListParser;
}

/** A draft, and how much of it could be submitted now. */
export interface Prepared {
  readonly id: string;
  readonly draft: Draft;
  /** The rows of the draft that the guild has already submitted. */
  readonly alreadySubmitted: ReadonlyMap<Row, EarlierSubmission>;
  readonly allowance: Allowance;
  /** Whether what is submitted waits for a moderator. */
  readonly waits: boolean;
  /** How many lines can be edited together: of invalid lines, and of those that lack a game. */
  readonly edits: { readonly invalid: number; readonly lacking: number };
}

/** A draft as it was read. */
export type NewDraft = Pick<Draft, 'source' | 'rows' | 'noise' | 'panelChannelId'>;

/** A new draft of lines that were edited, and why there is none any more that they belong to. */
export type KeptApart = Prepared & { readonly instead: Unavailable };

/** What a paragraph field takes (Discord docs: Component Reference, Text Input), and so what can be edited together. */
export const MOST_TYPED = 4000;

/**
 * The most bytes of a list as it is stored, without a text that is kept beside it: a thousand servers with usual names take a
 * third of them.
 */
const MOST_BYTES = 400_000;

/** A list as it is now, or why it could not be changed. */
export type EditResult = Prepared | Unavailable | UnreadableList;

/** What is read in place of what was typed in a row; `undefined`: the row stays as it is. */
export type Correction = (row: Row) => TypedRow | undefined;

export interface Edit {
  /** The draft's id, and the id of a new draft in case that one is gone. */
  readonly id: string;
  readonly newId: string;
  readonly typed: string;
  readonly which: Editing;
  /** The draft's latest submission when the modal was opened. */
  readonly submissionId: string;
}

/** A draft that waits for a moderator as its member has edited it, which changes nothing yet. */
export interface EditedWaiting {
  readonly draft: Draft;
  /** What is wrong with it that was not before. */
  readonly wrong: readonly InvalidRow[];
}

export type DraftEditor = ReturnType<typeof createDraftEditor>;

/**
 * Changes drafts of lists until they are submitted. Each change is one transaction: read, change, save, count what could
 * be submitted.
 */
export function createDraftEditor(deps: DraftEditorDeps) {
  const {
    store,
    drafts,
    submissions,
    waitingSubmissions,
    alreadySubmitted,
    limits,
    settings,
    games,
    parser,
  } = deps;

  function reread(draft: Draft, corrected: Correction): Draft {
    const rows = draft.rows.map((row) => {
      const typed = corrected(row);
      return typed ? finishedRow({ line: row.line, typed }, games) : row;
    });
    return withRows(draft, withRepeats(rows));
  }

  async function prepare(by: Submitter, id: string, draft: Draft): Promise<Prepared> {
    const who = { guildId: by.guildId, userId: by.user.id };
    const chosen = await settings.getOrThrow(by.guildId);
    const { games: allowed, dailyQuota } = chosen;
    const waiting = chosen.approval ? await waitingSubmissions.ownAddresses(by) : new Set<string>();
    // An admin may have allowed games since, a moderator may have decided, and the service may have told its games.
    const read = reread(draft, (row) => (mayBeRightNow(row, games) ? row.typed : undefined));
    const prepared = withRows(read, withHeldBack(read.rows, { allowed, waiting, games }));
    const before = await alreadySubmitted.find(who, prepared.rows);
    const count = rowsToSend(prepared, before).length;
    const now = count === 0 ? { count } : await limits.allowance({ ...who, count, dailyQuota });
    // What waits for a moderator waits whole: limits count when it is approved.
    const waits = isToWait(chosen, by);
    const allowance = waits && now.count > 0 ? { count } : now;
    return { id, draft: prepared, alreadySubmitted: before, allowance, waits, edits: editsOf(prepared) };
  }

  /** Saves a list, unless it is too large or not the member's. */
  async function prepareAndSave(by: Submitter, id: string, draft: Draft): Promise<EditResult> {
    const prepared = await prepare(by, id, draft);
    return whyTooMany(prepared.draft) ?? (await drafts.save(by, id, prepared.draft)) ?? prepared;
  }

  /** Reads lines that stood in a modal, with the numbers before them. */
  async function readLines({ guildId }: Submitter, typed: string) {
    const { text, numbers } = withoutNumbers(typed);
    return { list: await parser.read({ guildId, texts: [text], game: '' }), numbers };
  }

  /** Changes a draft, unless it was submitted or cancelled meanwhile. */
  const change = (by: Submitter, id: string, how: (draft: Draft) => Draft) =>
    inDrafts(store, by, async () => {
      const found = await drafts.find(by, id);
      return typeof found === 'string' ? found : prepareAndSave(by, id, how(found));
    });

  return {
    /** Keeps a new draft, or what is now in its place. */
    open: (by: Submitter, id: string, read: NewDraft): Promise<EditResult> =>
      inDrafts(store, by, () => prepareAndSave(by, id, { ...read, includesAlreadySubmitted: false })),
    /** The draft as it is, checked anew for what could be submitted of it now, and kept for another 15 minutes. */
    recheck: (by: Submitter, id: string): Promise<EditResult> => change(by, id, (draft) => draft),
    /** Checks each row anew for which there is a correction. */
    correct: (by: Submitter, id: string, corrected: Correction): Promise<EditResult> =>
      change(by, id, (draft) => reread(draft, corrected)),
    includeAlreadySubmitted: (by: Submitter, id: string, isWanted: boolean): Promise<EditResult> =>
      change(by, id, (draft) => ({ ...draft, includesAlreadySubmitted: isWanted })),
    /**
     * Replaces the {@link linesToEdit} by what the member has made of them; a line that the member took out is dropped. If
     * the draft is gone, the typed lines become a new draft, and `instead` says why.
     */
    async edit(
      by: Submitter,
      { id, newId, typed, which, submissionId }: Edit,
    ): Promise<EditResult | KeptApart | NotRead> {
      const { list, numbers } = await readLines(by, typed);
      if (list.kind !== 'rows') return list;
      const { rows, noise } = list;
      const edited = await inDrafts(store, by, async () => {
        const found = await drafts.find(by, id);
        if (typeof found === 'string') return found;
        // A submission since then has taken lines out of the draft, or left others in it.
        if ((await submissions.latestId(id)) !== submissionId) return 'submitted';
        const draft = withRead(withoutTyped(found), which, rows, numbers);
        const read = { ...draft, noise: (found.noise ?? 0) + noise };
        return prepareAndSave(by, id, read);
      });
      if (typeof edited !== 'string') return edited;
      const apart = { ...NO_ROWS, rows: onTheirOwn(rows, numbers), noise };
      const opened = await inDrafts(store, by, () => prepareAndSave(by, newId, apart));
      return typeof opened === 'string' || 'kind' in opened ? opened : { ...opened, instead: edited };
    },
    /** What the member has made of all lines of their draft that waits for a moderator. */
    async editWaiting(
      by: Submitter,
      { id, typed, submissionId }: Pick<Edit, 'id' | 'typed' | 'submissionId'>,
    ): Promise<EditedWaiting | Unavailable | UnreadableList | NotRead> {
      const { list, numbers } = await readLines(by, typed);
      if (list.kind !== 'rows') return list;
      const found = await waitingSubmissions.draft(by, id);
      if (typeof found === 'string') return found;
      if ((await submissions.latestId(id)) !== submissionId) return 'submitted';
      const draft = withRead(withoutTyped(found), 'all', list.rows, numbers);
      const before = new Set(found.rows.filter(isInvalid).map((row) => rowText(row.typed)));
      const wrong = draft.rows.filter(isInvalid).filter((row) => !before.has(rowText(row.typed)));
      return whyTooMany(draft) ?? { draft, wrong };
    },
    /**
     * Keeps a text that could not be read as a list in its draft, which may wait for a moderator, or in a new draft.
     * @param panelChannelId the channel of the panel that the new one is entered with
     */
    async keepTyped(
      by: Submitter,
      id: string,
      { text, game, modal }: TypedText,
      panelChannelId?: string,
    ): Promise<void> {
      const typed = { text: keptText(text), game: sanitised(game), modal };
      await inDrafts(store, by, async () => {
        const waiting = await waitingSubmissions.draft(by, id);
        if (typeof waiting !== 'string') return drafts.keep(id, { ...waiting, typed });
        const found = await drafts.find(by, id);
        const draft = typeof found === 'string' ? { ...NO_ROWS, panelChannelId } : found;
        await drafts.save(by, id, { ...draft, typed });
      });
    },
  };
}

const NO_ROWS: Draft = { source: 'text', rows: [], includesAlreadySubmitted: false };

/** Why a list is not kept: it has too many lines, or too long ones. */
function whyTooMany(draft: Draft): UnreadableList | undefined {
  const count = draft.rows.length;
  const bytes = Buffer.byteLength(JSON.stringify(withoutTyped(draft)));
  const most = Math.min(MAX_ROWS, Math.floor((count * MOST_BYTES) / bytes));
  return count > most ? { kind: 'too-many', count, most } : undefined;
}

/** A text without passwords, since it is stored. In JSON a password ends at its quotes; elsewhere at the end of the line. */
function keptText(text: string): string {
  const plain = plainText(text);
  if (/^\s*[[{]/u.test(text)) return withoutPasswordWords(plain);
  return plain
    .split(/\r\n?|\n/u)
    .map(withoutPasswords)
    .join('\n');
}

/** The lines of a draft to be edited, as many as fit: invalid lines first, then lines that lack a game, then the others. */
export function linesToEdit(
  { rows }: Draft,
  which: Editing,
): { readonly text: string; readonly rows: readonly Row[] } {
  const invalid = rows.filter(isInvalid).filter((row) => !lacksGame(row));
  const others = which === 'all' ? rows.filter(isReady) : [];
  return numberedLines([...invalid, ...rows.filter(lacksGame), ...others], MOST_TYPED);
}

function editsOf(draft: Draft): Prepared['edits'] {
  const { rows } = linesToEdit(draft, 'invalid');
  const lacking = rows.filter(lacksGame).length;
  return { invalid: rows.length - lacking, lacking };
}

/** The draft with the rows that were read instead of those that were edited. */
function withRead(
  draft: Draft,
  which: Editing,
  rows: readonly Row[],
  numbers: readonly (number | undefined)[],
): Draft {
  const replaced = new Set(linesToEdit(draft, which).rows);
  const edited = [...replaced].map(({ line }) => line);
  const last = Math.max(0, ...draft.rows.map(({ line }) => line));
  const read = renumbered(rows, { numbers, edited, last });
  return withRows(draft, withRepeats([...draft.rows.filter((row) => !replaced.has(row)), ...read]));
}

/** The rows that were read, with the line numbers that stood before them. */
function onTheirOwn(rows: readonly Row[], numbers: readonly (number | undefined)[]): readonly Row[] {
  const edited = numbers.flatMap((number) => number ?? []);
  return withRepeats(renumbered(rows, { numbers, edited, last: Math.max(0, ...edited) }));
}

/** The usual port of its game, in a row that lacks nothing else. */
export const withUsualPort: Correction = (row) =>
  hasUsualPort(row) ? { ...row.typed, port: String(row.problem.usual) } : undefined;

type RowWithoutPort = InvalidRow & {
  readonly problem: { readonly code: 'port-missing'; readonly usual: number };
};

const hasUsualPort = (row: Row): row is RowWithoutPort =>
  row.kind === 'invalid' && row.problem.code === 'port-missing' && row.problem.usual !== undefined;

/** Whether a row that was invalid before can be right by now. */
function mayBeRightNow(row: Row, games: GameIndex): row is InvalidRow {
  if (row.kind !== 'invalid') return false;
  const { code } = row.problem;
  if (code === 'game-unknown') return games.find(row.typed.game) !== undefined;
  return code === 'game-not-allowed' || code === 'waiting-already';
}

interface HeldBack {
  /** Aliases; absent: all games are allowed. */
  readonly allowed: readonly string[] | undefined;
  /** The addresses that wait for a moderator. */
  readonly waiting: ReadonlySet<string>;
  readonly games: GameIndex;
}

/**
 * Marks rows that can't be submitted now as invalid, and rows that repeat them. A game that is not allowed comes
 * before all else that is wrong, since no other correction would help.
 */
const withHeldBack = (rows: readonly Row[], held: HeldBack): readonly Row[] =>
  rows.map((row) => {
    const problem = whyHeldBack(row, held);
    return problem ? { kind: 'invalid', line: row.line, problem, typed: typedOf(row) } : row;
  });

function whyHeldBack(row: Row, { allowed, waiting, games }: HeldBack): RowProblem | undefined {
  const game = allowed && gameOfRow(row, games);
  if (game !== undefined && !allowed?.includes(game)) return { code: 'game-not-allowed', game };
  const isWaiting = row.kind !== 'invalid' && waiting.has(addressOf(row.submission));
  return isWaiting ? { code: 'waiting-already' } : undefined;
}

function gameOfRow(row: Row, games: GameIndex): string | undefined {
  if (row.kind !== 'invalid') return row.submission.game;
  return row.problem.code === 'game-unknown' ? undefined : gameOf(row.typed.game, games);
}
