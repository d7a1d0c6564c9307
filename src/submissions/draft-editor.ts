import { isDeepStrictEqual } from 'node:util';
import { plainText, withoutPasswords, withoutPasswordWords } from '../addresses/pasted-text.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { createPlacing, type EditedText, editedText, numberedLines } from '../server-lists/edited-lines.ts';
import type { ListParser, NotRead } from '../server-lists/list-parser.ts';
import { namedGame } from '../server-lists/named-game.ts';
import {
  finishedRow,
  LINE_BREAK,
  MAX_ROWS,
  MAX_TYPED_LENGTH,
  type ReadRows,
  type UnreadableList,
  withKnownHosts,
  withRepeats,
} from '../server-lists/read-list.ts';
import { repaired, usualPortRepair } from '../server-lists/repair.ts';
import {
  type Candidate,
  type InvalidRow,
  inOrderOfPlaces,
  isInvalid,
  isReady,
  isRepeated,
  lacksGame,
  lineLabel,
  onLine,
  placeLabelled,
  type Row,
  type RowPlace,
  rowText,
  rowWithoutPasswords,
  sanitised,
  typedOf,
} from '../server-lists/row.ts';
import type { Store } from '../storage/store.ts';
import { type Check, type CheckedDraft, type Correction, reread } from './check.ts';
import {
  type Choices,
  type TooManyCandidates,
  unchosenIn,
  whyTooManyCandidates,
  withChosen,
} from './choices.ts';
import {
  asEdited,
  type Draft,
  type Editing,
  type TypedFields,
  type TypedText,
  withoutTyped,
  withRows,
} from './draft.ts';
import type { NoDraft, Submitter, Unavailable } from './drafts.ts';
import { labelsIn, withNumbers, withoutNumbers } from './line-numbers.ts';
import type { SubmissionStore } from './submission-store.ts';

export interface DraftEditorDeps extends SubmissionStore {
  readonly store: Pick<Store, 'inGuild'>;
  readonly check: Pick<Check, 'draft'>;
  readonly games: GameIndex;
  readonly parser: ListParser;
  /** Fills in missing values of rows, if the operator has enabled server lookups. */
  readonly completeRows: (rows: readonly Row[]) => Promise<readonly Row[]>;
}

/** If this is a new draft, `whySeparate` is the reason why the original draft is no longer available. */
type EditedDraft = CheckedDraft & { readonly whySeparate?: Unavailable };

/** A thousand typical servers take up a third of this. */
const MAX_DRAFT_BYTES = 400_000;
/**
 * The part of {@link MAX_DRAFT_BYTES} that is left free for text that can't be parsed: {@link MAX_TYPED_LENGTH} characters and a
 * game.
 */
const BYTES_FOR_TYPED_TEXT = 13_000;
const LONGEST_UNCONFIRMED_OUTCOME = { kind: 'unknown', reason: 'server-error' } as const;

const SUBMITTED: NoDraft = { kind: 'no-draft', why: 'submitted' };

export type EditResult = CheckedDraft | NoDraft | UnreadableList | TooManyCandidates;

export interface Edit {
  /** The draft's id. `newId` is for a new draft if the original is no longer available. */
  readonly id: string;
  readonly newId: string;
  readonly typed: string;
  readonly which: Editing;
  /** The latest submission when the modal was opened. */
  readonly submissionId: string;
}

/** A waiting draft can't offer candidates. `line` is the label of the first one. */
export interface NotEntries {
  readonly kind: 'not-entries';
  readonly line: string;
}

export interface WaitingEdit {
  readonly kind: 'edited';
  readonly draft: Draft;
  readonly newlyInvalid: readonly InvalidRow[];
}

/**
 * Edits drafts before they are submitted. Each edit is one transaction that reads, changes, checks and saves the draft.
 */
export function createDraftEditor(deps: DraftEditorDeps) {
  const { store, drafts, submissions, waitingSubmissions, check, games, parser, completeRows } = deps;

  /**
   * Saves a draft unless it is too large or belongs to another member.
   * @param added choices that replace the stored ones
   */
  async function checkAndSave(by: Submitter, draft: Draft, added?: Choices): Promise<EditResult> {
    const checked = await check.draft(by, added ? { ...draft, hasChoices: true } : draft, added);
    const saved = checked.draft;
    const tooMany = whyTooMany(saved) ?? whyTooManyCandidates(checked.choices);
    if (tooMany) return tooMany;
    const unavailable = await drafts.save(by, saved);
    if (unavailable) return unavailable;
    if (added) await deps.choices.save(by, draft.id, added);
    return checked;
  }

  /**
   * Parses the lines that a member changed or added in a modal.
   * @param before the draft that the modal showed, if it's still available
   */
  async function readEdited({ guildId }: Submitter, typed: string, before: Draft | NoDraft, which: Editing) {
    const opened = before.kind === 'no-draft' ? [] : linesToEdit(before, which).rows;
    const empty = before.kind === 'no-draft' ? [] : emptyLines(before);
    const edited = editedText(typed, opened, games);
    const list = await parser.read({ guildId, sources: [edited.text], defaultGame: '' });
    if (list.kind !== 'rows') return list;
    const rows = await completeRows(withKnownHosts(list.rows, opened, games));
    return { ...list, ...edited, opened, empty, rows };
  }

  /** Suggests a game for an address if the words next to it are a misspelt name. A single word is often something else. */
  function withNear(candidate: Candidate): Candidate {
    const { words } = candidate;
    const isName = words.includes(' ') && namedGame(words, games) === undefined;
    const [near] = isName ? games.search(words, 1) : [];
    return near ? { ...candidate, near: near.alias } : candidate;
  }

  /** Changes a draft unless it has already been submitted or, if `undoes` is false, cancelled. */
  const change = (by: Submitter, id: string, how: (draft: Draft) => Draft, undoes = false) =>
    store.inGuild(by.guildId, async () => {
      const found = await drafts.find(by, id, undoes);
      if (found.kind === 'no-draft') return found;
      const changed = how(found);
      return checkAndSave(by, changed === found ? found : asEdited(changed));
    });

  return {
    open: (by: Submitter, draft: Draft, choices?: Choices): Promise<EditResult> =>
      store.inGuild(by.guildId, () => checkAndSave(by, draft, choices)),
    /**
     * Rechecks how much of an unchanged draft could be submitted, and keeps the draft for another day.
     * @param undoes whether to restore the draft if the member has just cancelled it
     */
    recheck: (by: Submitter, id: string, undoes?: boolean): Promise<EditResult> =>
      change(by, id, (draft) => draft, undoes),
    /** Corrects and revalidates rows. Looks up game servers before the transaction starts. */
    async correct(by: Submitter, id: string, corrected: Correction): Promise<EditResult> {
      const found = await drafts.find(by, id);
      if (found.kind === 'no-draft') return found;
      const rows = await completeRows(reread(found, corrected, games).rows);
      // Ignores the looked-up values if the draft changed during the lookup.
      return change(by, id, (draft) =>
        isDeepStrictEqual(draft, found) ? withRows(draft, rows) : reread(draft, corrected, games),
      );
    },
    /**
     * Replaces the member's choice among some candidates of the draft. Looks up game servers before the transaction starts.
     */
    async choose(
      by: Submitter,
      id: string,
      [from, to]: readonly [from: number, toExclusive: number],
      chosenIndices: ReadonlySet<number>,
    ): Promise<EditResult> {
      const found = await drafts.find(by, id);
      if (found.kind === 'no-draft') return found;
      // An edit can replace a candidate or add some at the end, but never changes their indices.
      const choices = found.hasChoices ? await deps.choices.find(id) : undefined;
      const shown = choices?.candidates.slice(from, to) ?? [];
      const rows = shown
        .filter((_, index) => chosenIndices.has(from + index))
        .map((candidate) => rowOfCandidate(withNear(candidate), choices?.game ?? '', games));
      const completed = await completeRows(rows);
      return change(by, id, (draft) =>
        withRows(draft, withRepeats(unrepeated(withChosen(draft.rows, shown, completed)))),
      );
    },
    includeAlreadySubmitted: (
      by: Submitter,
      id: string,
      included: Pick<Draft, 'includesAlreadySubmitted' | 'includesUnconfirmed'>,
    ): Promise<EditResult> => change(by, id, (draft) => ({ ...draft, ...included })),
    /**
     * Replaces the lines shown in the modal (see {@link linesToEdit}) with the member's edited version. Unchanged lines stay
     * as they are, and lines that the member deleted are dropped. If the draft is no longer available, the edited lines become a new
     * draft, and `whySeparate` gives the reason.
     */
    async edit(
      by: Submitter,
      { id, newId, typed, which, submissionId }: Edit,
    ): Promise<EditedDraft | Exclude<EditResult, CheckedDraft> | NotRead> {
      const before = await submissions.editableDraft(by, id);
      const read = await readEdited(by, typed, before, which);
      if (read.kind !== 'rows') return read;
      const edited = await store.inGuild(by.guildId, async () => {
        const found = await submissions.editableDraft(by, id);
        if (found.kind === 'no-draft') return found;
        // A later submission has already removed or changed some lines.
        if ((await submissions.latestId(id)) !== submissionId) return SUBMITTED;
        const choices = found.hasChoices ? await deps.choices.find(id) : undefined;
        const { draft, candidates } = withRead(asEdited(withoutTyped(found)), read, choices?.candidates);
        return checkAndSave(by, draft, withCandidates(draft, choices, candidates));
      });
      if (edited.kind !== 'no-draft') return edited;
      const alone = await readEdited(by, typed, edited, which);
      if (alone.kind !== 'rows') return alone;
      // In a separate list, each line has its number in the text.
      const opened = alone.labels.map((_, index) => ({ line: index + 1 }));
      const { draft, candidates } = withRead(
        { id: newId, source: 'text', rows: [] },
        { ...alone, opened, labels: opened.map(lineLabel) },
      );
      const separate = await store.inGuild(by.guildId, () =>
        checkAndSave(by, draft, withCandidates(draft, undefined, candidates)),
      );
      return separate.kind === 'checked' ? { ...separate, whySeparate: edited.why } : separate;
    },
    /** Parses a waiting draft's lines, as edited by the member (see {@link linesToEdit}), without storing them. */
    async editWaiting(
      by: Submitter,
      { id, typed, which, submissionId }: Omit<Edit, 'newId'>,
    ): Promise<WaitingEdit | NoDraft | UnreadableList | NotEntries | NotRead> {
      const found = await waitingSubmissions.draft(by, id);
      if (found.kind === 'no-draft') return found;
      const read = await readEdited(by, typed, found, which);
      if (read.kind !== 'rows') return read;
      if ((await submissions.latestId(id)) !== submissionId) return SUBMITTED;
      const { draft, candidates } = withRead(withoutTyped(found), read);
      const [candidate] = candidates;
      if (candidate) return { kind: 'not-entries', line: lineLabel(candidate) };
      const before = new Set(found.rows.filter(isInvalid).map((row) => rowText(row.typed)));
      const newlyInvalid = draft.rows.filter(isInvalid).filter((row) => !before.has(rowText(row.typed)));
      return whyTooMany(draft) ?? { kind: 'edited', draft, newlyInvalid };
    },
    /**
     * Stores typed text that the bot didn't accept. It is added to the member's draft, even if the draft is waiting for a
     * moderator. If there is no draft, one is created.
     * @param panelChannelId only stored in a new draft
     */
    async keepTyped(
      by: Submitter,
      id: string,
      entered: TypedText | TypedFields,
      panelChannelId?: string,
    ): Promise<void> {
      const typed: Draft['typed'] =
        entered.modal === 'fields'
          ? { ...entered, row: rowWithoutPasswords(entered.row) }
          : { ...entered, text: keptText(entered.text), game: sanitised(entered.game) };
      await store.inGuild(by.guildId, async () => {
        const waiting = await waitingSubmissions.draft(by, id);
        if (waiting.kind !== 'no-draft') return drafts.keep({ ...waiting, typed });
        const found = await drafts.find(by, id);
        const draft: Draft =
          found.kind === 'no-draft' ? { id, source: 'text', rows: [], panelChannelId } : found;
        await drafts.save(by, { ...draft, typed });
      });
    },
  };
}

/**
 * Returns an error if a list is too long to be stored: too many lines, or lines that are too long. Measures the draft as it
 * might be stored after a submission, because it can't be rejected then.
 */
export function whyTooMany(draft: Draft): UnreadableList | undefined {
  const count = draft.rows.length;
  const rows = draft.rows.map((row) =>
    isReady(row) ? { ...row, unconfirmed: row.unconfirmed ?? LONGEST_UNCONFIRMED_OUTCOME } : row,
  );
  const bytes = Buffer.byteLength(JSON.stringify(withoutTyped(withRows(draft, rows))));
  const most = Math.min(MAX_ROWS, Math.floor((count * (MAX_DRAFT_BYTES - BYTES_FOR_TYPED_TEXT)) / bytes));
  return count > most ? { kind: 'too-many', count, most } : undefined;
}

/**
 * Removes passwords from text before storage. In JSON, a password ends at the closing quote, otherwise at the end of the
 * line.
 */
function keptText(text: string): string {
  const plain = plainText(text);
  if (/^\s*[[{]/u.test(text)) return withoutPasswordWords(plain);
  return plain.split(LINE_BREAK).map(withoutPasswords).join('\n');
}

/** Returns as many lines as fit into a modal: invalid lines first, then lines without a game, then all others. */
export function linesToEdit(
  { rows }: Draft,
  which: Editing,
): { readonly text: string; readonly rows: readonly Row[] } {
  const invalid = rows.filter(isInvalid).filter((row) => !lacksGame(row));
  const others = which === 'all' ? rows.filter(isReady) : [];
  return numberedLines([...invalid, ...rows.filter(lacksGame), ...others], MAX_TYPED_LENGTH);
}

/** Returns the labels of left-out lines, which the modal shows as empty lines to fill in. */
export const emptyLines = ({ leftOut }: Draft): readonly string[] => (leftOut ? labelsIn(leftOut) : []);

export const countToEdit = (draft: Draft): number => linesToEdit(draft, 'invalid').rows.length;

interface ReadEdit extends EditedText, Pick<ReadRows, 'rows' | 'unchosen' | 'hidden' | 'leftOut'> {
  readonly opened: readonly RowPlace[];
  /** See {@link emptyLines}. */
  readonly empty: readonly string[];
}

/**
 * Replaces the rows opened for editing with the edited rows.
 * @returns the changed draft, and the candidates that are new or replace others with the same number
 */
function withRead(
  draft: Draft,
  { rows, unchosen, hidden, leftOut, opened, empty, ...edited }: ReadEdit,
  draftCandidates: readonly Candidate[] = [],
): { readonly draft: Draft; readonly candidates: readonly Candidate[] } {
  const replaced = new Set(opened.map(lineLabel));
  const others = draft.rows.filter((row) => !replaced.has(lineLabel(row)));
  // A line that is typed under the number of a candidate that the form didn't show replaces the candidate.
  const unshown = unchosenIn({ candidates: draftCandidates }, draft.rows);
  const named = new Set(unshown.map(lineLabel).filter((label) => edited.labels.includes(label)));
  const placing = createPlacing({
    labels: edited.labels,
    opened,
    others: [...others, ...edited.unchanged, ...unshown.filter((each) => !named.has(lineLabel(each)))],
    leftOut: [...empty, ...named],
  });
  const read: Row[] = [];
  const candidates: Candidate[] = [];
  for (const each of [...rows, ...unchosen].toSorted(inOrderOfPlaces)) {
    const place = placing.placeIn(each.line);
    if ('words' in each) candidates.push({ typed: each.typed, words: each.words, ...place });
    else read.push(onLine(each, place.line, place.part));
    if (!('words' in each) && named.has(lineLabel(place)))
      candidates.push({ typed: typedOf(each), words: '', ...place });
  }
  const filled = new Set([...read, ...candidates].map(({ line }) => String(line)));
  const alreadyLeftOut = new Set(draft.leftOut && empty);
  const labels = leftOut.map((label) => placing.labelOf(placeLabelled(label).line));
  const changed = {
    ...withRows(draft, withRepeats([...others, ...edited.unchanged, ...read])),
    hidden: (draft.hidden ?? 0) + hidden,
    leftOut: withNumbers(
      withoutNumbers(draft.leftOut, filled),
      labels.filter((label) => !alreadyLeftOut.has(label)),
    ),
  };
  return { draft: changed, candidates };
}

function withCandidates(
  { rows }: Draft,
  choices: Choices | undefined,
  added: readonly Candidate[],
): Choices | undefined {
  if (added.length === 0) return choices;
  const { shape, game, candidates } = choices ?? {
    shape: rows.length > 0 ? 'unsure' : 'people',
    game: '',
    candidates: [],
  };
  // A replaced candidate keeps its index, because menus refer to it.
  const byLabel = new Map([...candidates, ...added].map((each) => [lineLabel(each), each]));
  return { shape, game, candidates: [...byLabel.values()] };
}

/** Checks a candidate as if it were a row. @param game the alias of the game if the text doesn't name one; can be '' */
export const rowOfCandidate = (
  { words: _words, typed, ...place }: Candidate,
  game: string,
  games: GameIndex,
): Row => finishedRow({ ...place, typed: { ...typed, game: typed.game || game } }, games);

/** Turns repeated rows back into ready rows, so that they can be compared again. */
const unrepeated = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => (isRepeated(row) ? onLine(row, row.line, row.part) : row));

/** Creates a correction that uses the game's default port if the port is missing or impossible. */
export const withUsualPort =
  (games: Pick<GameIndex, 'find'>): Correction =>
  (row) => {
    if (row.kind !== 'invalid') return undefined;
    const repair = usualPortRepair(row, games);
    return repair && repaired(row.typed, repair);
  };

export const withQueryPort: Correction = (row) =>
  hasTwoPorts(row) ? { ...row.typed, port: '', queryPort: String(row.problem.port) } : undefined;

type RowWithTwoPorts = InvalidRow & { readonly problem: { readonly code: 'port-conflict' } };

export const hasTwoPorts = (row: Row): row is RowWithTwoPorts =>
  row.kind === 'invalid' && row.problem.code === 'port-conflict' && row.typed.queryPort === '';
