import type { Context } from '../src/discord/command.ts';
import {
  button,
  type Control,
  type Modal,
  modal,
  type Row,
  rows,
  select,
} from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import { LIMITS } from '../src/discord/limits.ts';
import { type Game, KNOWN_GAMES } from '../src/listing/contract.ts';
import { type Draft, lacksGame, rowsToSend } from '../src/submissions/draft.ts';
import { gameOption, isSelectable } from '../src/words/games.ts';

/** The command that all buttons of a draft belong to, whichever way it came in. */
const OWNER = 'addservers';

export interface PreviewComponentsOptions {
  readonly id: string;
  readonly draft: Draft;
  readonly games: readonly Game[];
}

/** The select or the button for the game where rows lack one, and the buttons to submit, include and cancel. */
export function previewComponents(
  context: Context,
  { id, draft, games }: PreviewComponentsOptions,
): readonly Row[] {
  const { t } = context;
  const ready = rowsToSend(draft).length;
  const missing = draft.rows.some(lacksGame);
  const former = draft.former.length;
  const formerAction = draft.includesFormer ? 'bulk.button.leave' : 'bulk.button.include';
  const main = [
    ready > 0 && button(idOf('submit', id), t('bulk.button.submit', { count: ready }), { style: 'success' }),
    former > 0 && button(idOf('former', id), t(formerAction, { count: former })),
  ];
  if (ready === 0 && former === 0 && !missing) return [];
  const last = [...main, button(idOf('cancel', id), t('bulk.button.cancel'))];
  return rows(...(missing ? gameLines(context, id, games) : []), last);
}

/** The button of a report for what was not sent. */
export function restComponents({ t }: Context, id: string, count: number): readonly Row[] {
  return rows([button(idOf('submit', id), t('bulk.button.rest', { count }), { style: 'success' })]);
}

/** The window in which a game is typed in, for lists of games that are too long for a select. */
export const gameModal = ({ t }: Context, id: string): Modal =>
  modal({
    id: idOf('game', id),
    title: t('bulk.chooseModal.title'),
    fields: [
      {
        id: 'game',
        label: t('bulk.chooseModal.game'),
        hint: t('bulk.chooseModal.hint'),
        least: 1,
        most: LIMITS.choiceValue,
      },
    ],
  });

/** A select has room for 25 games: the usual ones first, and a button to type in any other. */
function gameLines(
  { t }: Context,
  id: string,
  games: readonly Game[],
): readonly (readonly (Control | undefined)[])[] {
  const usual = new Set(KNOWN_GAMES.map(({ alias }) => alias));
  const [first, others] = [games.filter(isIn(usual)), games.filter((game) => !isIn(usual)(game))];
  const choices = [...first, ...others].filter(isSelectable);
  const some = select({
    id: idOf('game', id),
    placeholder: t('bulk.button.selectGame'),
    options: choices.slice(0, LIMITS.choices).map(gameOption),
  });
  const isAll = choices.length > 0 && choices.length <= LIMITS.choices;
  return [[some], isAll ? [] : [button(idOf('askgame', id), t('bulk.button.game'))]];
}

const isIn =
  (aliases: ReadonlySet<string>) =>
  ({ alias }: Game) =>
    aliases.has(alias);

const idOf = (action: string, id: string): string => customId(OWNER, action, id);
