import { LIMITS } from '../../src/discord/limits.ts';
import { button, type Control, select } from '../../src/interactions/controls.ts';
import type { AllowedGames } from '../../src/listing/game-search.ts';
import type { ReadRows } from '../../src/server-lists/read-list.ts';
import {
  addressOf,
  gameOf,
  isReady,
  isRepeated,
  lineLabel,
  type TypedRow,
} from '../../src/server-lists/row.ts';
import type { CheckedDraft } from '../../src/submissions/check.ts';
import { type Choices, unchosenIn } from '../../src/submissions/choices.ts';
import { markOfRows } from '../../src/submissions/draft.ts';
import { rowOfCandidate } from '../../src/submissions/draft-editor.ts';
import { shorten, visibleLine } from '../../src/text/one-line.ts';
import { gameNamed, labelledAddress, serverLabel, typedAddress } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import { submitId } from './ids.ts';

export type DraftToChoose = CheckedDraft & { readonly choices: Choices };

export const hasChoices = (checked: CheckedDraft): checked is DraftToChoose =>
  checked.choices !== undefined && checked.choices.candidates.length > 0;

/**
 * Returns the member's choices in a text.
 * @param game the alias of the game for addresses without one
 */
export const choicesIn = (
  { shape, unchosen }: Pick<ReadRows, 'shape' | 'unchosen'>,
  game = '',
): Choices | undefined =>
  shape === 'list' || unchosen.length === 0 ? undefined : { shape, candidates: unchosen, game };

export function choicesText(t: Translate, { choices, draft }: CheckedDraft): string {
  const texts = [draft.isUnchosenGone && t('choices.gone')];
  if (choices) {
    const count = unchosenIn(choices, draft.rows).length;
    texts.unshift(
      choices.shape === 'people' ? t('choices.people') : count > 0 && t('choices.unsure', { count }),
    );
  }
  return texts.filter(Boolean).join('\n');
}

export const countAllServers = ({ choices, draft }: DraftToChoose): number =>
  draft.rows.filter((row) => !isRepeated(row)).length + unchosenIn(choices, draft.rows).length;

export const isAnyChosen = ({ choices, draft }: DraftToChoose): boolean =>
  unchosenIn(choices, draft.rows).length < choices.candidates.length;

export const candidateRange = (page: number): readonly [start: number, end: number] => [
  page * LIMITS.choices,
  (page + 1) * LIMITS.choices,
];

/**
 * Builds the menu in which the member chooses servers, and a button for its next page. If there is only one address, a
 * button replaces the menu. The button sends the server if it's complete.
 * @param canSubmit whether the guild has an API key and the member isn't blocked
 */
export function chooseControls(
  t: Translate,
  { draft, choices }: DraftToChoose,
  {
    games,
    page: wanted,
    canSubmit,
  }: { readonly games: AllowedGames; readonly page: number; readonly canSubmit: boolean },
): { readonly menu: Control | undefined; readonly buttons: readonly Control[] } {
  const { candidates } = choices;
  const [only] = candidates;
  if (only && candidates.length === 1 && draft.rows.length === 0) {
    return { menu: undefined, buttons: [onlyButton(t, { draft, choices }, { games, canSubmit })] };
  }
  const pages = Math.ceil(candidates.length / LIMITS.choices);
  const page = Math.min(Math.max(wanted, 0), pages - 1);
  const next = (page + 1) % pages;
  const chosen = new Set(draft.rows.map(lineLabel));
  const [from, to] = candidateRange(page);
  const options = candidates.slice(from, to).map((candidate, index) => ({
    label: candidateLabel(candidate.typed, games),
    value: String(from + index),
    description: shorten(visibleLine(candidate.words), LIMITS.choiceName),
    default: chosen.has(lineLabel(candidate)),
  }));
  const numbers = { page: page + 1, pages };
  const placeholder = pages === 1 ? t('choices.choose') : t('choices.chooseOnPage', numbers);
  const menu = select({ id: submitId('choose', draft.id, page), placeholder, options, minChosen: 0 });
  const nextPage = button(submitId('page', draft.id, next), t('pager.page', { page: next + 1, pages }));
  return { menu, buttons: pages === 1 ? [] : [nextPage] };
}

/** Leaves room for a game. */
const MAX_ADDRESS_LENGTH = 70;

/** Formats the address and the game of a candidate, without the game that the member chose for the list. */
function candidateLabel(typed: TypedRow, games: AllowedGames): string {
  const game = typed.game === '' ? [] : [gameNamed(gameOf(typed.game, games) ?? typed.game, games).name];
  const address = labelledAddress(typedAddress(typed), MAX_ADDRESS_LENGTH);
  return shorten(visibleLine([address, ...game].join(' · ')), LIMITS.choiceName);
}

/** Builds the button for the only address in a text. It names the game that would be sent. */
function onlyButton(
  t: Translate,
  { draft, choices }: Pick<DraftToChoose, 'draft' | 'choices'>,
  { games, canSubmit }: { readonly games: AllowedGames; readonly canSubmit: boolean },
): Control {
  const rows = choices.candidates.map((candidate) => rowOfCandidate(candidate, choices.game, games));
  const [row] = rows.filter(isReady);
  const game = row && games.find(row.submission.game);
  if (row && game && games.isAllowed(game) && canSubmit) {
    const label = t('choices.submit', serverLabel(addressOf(row.submission), game.name));
    return button(submitId('sendone', draft.id, markOfRows({ rows })), label, 'success');
  }
  const address = labelledAddress(choices.candidates.map(({ typed }) => typedAddress(typed)).join());
  return button(submitId('choose', draft.id, 0, 0), t('choices.use', { address }), 'primary');
}
