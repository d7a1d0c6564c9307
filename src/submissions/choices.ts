import { type Candidate, lineLabel, type Row, type RowPlace } from '../server-lists/row.ts';
import type { Draft } from './draft.ts';
import type { Submitter } from './drafts.ts';
import { withNumbers } from './line-numbers.ts';
import type { SubmissionStoreBase } from './store-deps.ts';

/**
 * Addresses in a member's text that might not be game servers. They aren't rows of the draft, so they can't be submitted.
 * Choosing one copies it into the draft.
 */
export interface Choices {
  /** `people` if the text is a log or a list of people, so that the bot didn't choose anything. */
  readonly shape: 'unsure' | 'people';
  readonly candidates: readonly Candidate[];
  /** The alias of the game for candidates whose text doesn't name one; can be ''. */
  readonly game: string;
}

/** Three pages of a select menu. */
export const MAX_CANDIDATES = 75;

export interface TooManyCandidates {
  readonly kind: 'too-many-candidates';
  readonly most: number;
}

export const whyTooManyCandidates = (choices: Choices | undefined): TooManyCandidates | undefined =>
  choices && choices.candidates.length > MAX_CANDIDATES
    ? { kind: 'too-many-candidates', most: MAX_CANDIDATES }
    : undefined;

export function unchosenIn(
  { candidates }: Pick<Choices, 'candidates'>,
  rows: readonly RowPlace[],
): readonly Candidate[] {
  const chosen = new Set(rows.map(lineLabel));
  return candidates.filter((candidate) => !chosen.has(lineLabel(candidate)));
}

/** Notes the numbers of the addresses that the member didn't choose, because the addresses are deleted with submitting. */
export const withNotChosen = (draft: Draft, choices: Choices | undefined): Draft =>
  choices
    ? {
        ...draft,
        notChosen: withNumbers(draft.notChosen, unchosenIn(choices, draft.rows).map(lineLabel)),
      }
    : draft;

/**
 * Adds chosen candidates to a draft's rows, and removes those that the member no longer chooses. A row that was already
 * chosen stays as it is, because the member may have corrected it.
 * @param shown the candidates that the member chose from
 * @param chosen the rows of the chosen candidates
 */
export function withChosen(
  rows: readonly Row[],
  shown: readonly RowPlace[],
  chosen: readonly Row[],
): readonly Row[] {
  const places = new Set(shown.map(lineLabel));
  const wanted = new Map(chosen.map((row) => [lineLabel(row), row]));
  const stay = rows.filter((row) => !places.has(lineLabel(row)) || wanted.delete(lineLabel(row)));
  return [...stay, ...wanted.values()];
}

export type ChoicesStore = ReturnType<typeof createChoices>;

/** Stores the choices of drafts. They are deleted together with the draft, or as soon as it is submitted or cancelled. */
export function createChoices({ store: { tables } }: Pick<SubmissionStoreBase, 'store'>) {
  return {
    async find(draftId: string): Promise<Choices | undefined> {
      const row = await tables()
        .selectFrom('choices')
        .select('candidates')
        .where('draft_id', '=', draftId)
        .executeTakeFirst();
      return row && JSON.parse(row.candidates);
    },
    async save({ guildId, user }: Submitter, draftId: string, choices: Choices): Promise<void> {
      const candidates = JSON.stringify(choices);
      await tables()
        .insertInto('choices')
        .values({ draft_id: draftId, guild_id: guildId, user_id: user.id, candidates })
        .onConflict((conflict) => conflict.column('draft_id').doUpdateSet({ candidates }))
        .execute();
    },
    async drop(draftIds: readonly string[]): Promise<void> {
      await tables().deleteFrom('choices').where('draft_id', 'in', draftIds).execute();
    },
  };
}
