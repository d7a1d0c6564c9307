import type { Game, Outcome } from '../listing/contract.ts';
import { type Repair, repairsOf } from '../server-lists/repairs.ts';
import type { ServerProblem } from '../server-lists/row.ts';
import type { Refusal } from '../submissions/checks.ts';
import { DRAFT_LIVES_MS } from '../submissions/record.ts';
import { gameLabels } from './games.ts';
import type { Translate } from './words.ts';

/** A button under what became of one server, for what can be done next. */
export interface Offer {
  /** `again`: it is sent as it is. `use`: with something else in a field. `edit`: what was typed opens in a window. */
  readonly action: 'again' | 'use' | 'edit';
  readonly repair?: Repair;
  readonly label: string;
}

/** What can be done about a problem of what was typed; `near`: the games that may have been meant. */
export const offersForProblem = (
  t: Translate,
  problem: ServerProblem,
  near: readonly Game[],
): readonly Offer[] => [
  ...offersOfGames(near),
  ...repairsOf(problem).map((repair): Offer => {
    const label =
      repair.field === 'queryPort' ? t('again.noQueryPort') : t('again.use', { value: repair.value });
    return { action: 'use', repair, label };
  }),
  edit(t),
];

/** What can be done after a refusal of ours; `near`: games that may be submitted in place of the refused one. */
export const offersAfterRefusal = (
  t: Translate,
  refusal: Refusal,
  near: readonly Game[],
): readonly Offer[] => [...offersOfGames(near), ...again(t, labelAfterRefusal(refusal)), edit(t)];

/** What can be done once a server has ended. */
export const offersAfter = (t: Translate, outcome: Outcome): readonly Offer[] =>
  outcome.kind === 'accepted' ? [] : [...again(t, labelAfter(outcome)), edit(t)];

type Again = 'submitAgain' | 'sendAgain' | 'tryAgain';

const edit = (t: Translate): Offer => ({ action: 'edit', label: t('again.edit') });

const again = (t: Translate, label: Again | undefined): readonly Offer[] =>
  label === undefined ? [] : [{ action: 'again', label: t(`again.${label}`) }];

const offersOfGames = (games: readonly Game[]): readonly Offer[] =>
  gameLabels(games).map(({ label, alias }) => ({
    action: 'use',
    repair: { field: 'game', value: alias },
    label,
  }));

/** What never arrived can go again as it is; what was refused, or perhaps received, has to be looked at first. */
function labelAfter(outcome: Outcome): Again | undefined {
  if (outcome.kind === 'rejected') return outcome.known === 'invalidKey' ? 'sendAgain' : undefined;
  if (outcome.kind !== 'not-sent') return undefined;
  return outcome.reason === 'key' || outcome.reason === 'key-dropped' ? 'sendAgain' : 'tryAgain';
}

function labelAfterRefusal(refusal: Refusal): Again | undefined {
  switch (refusal.code) {
    case 'submitted-before':
      return 'submitAgain';
    case 'key-missing':
    case 'key-unreadable':
    case 'key-invalid':
      return 'sendAgain';
    case 'member-limit':
    case 'guild-limit':
      // What was typed is kept no longer.
      return refusal.until - Date.now() < DRAFT_LIVES_MS ? 'tryAgain' : undefined;
    case 'in-flight':
    case 'service-down':
    case 'daily-quota':
      return 'tryAgain';
    case 'game-not-allowed':
      return undefined;
  }
}
