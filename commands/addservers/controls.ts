import { LIMITS } from '../../src/discord/limits.ts';
import type { Context } from '../../src/interactions/command.ts';
import {
  type ActionRow,
  button,
  type Control,
  customId,
  linkButton,
  type Modal,
  modal,
  rows,
  type SelectOption,
  select,
} from '../../src/interactions/controls.ts';
import type { Game } from '../../src/listing/contract.ts';
import { MAX_FILE_BYTES } from '../../src/server-lists/read-list.ts';
import { cut } from '../../src/words/escape.ts';
import { exampleLine, gameHint } from '../../src/words/games.ts';
import type { Translate } from '../../src/words/words.ts';
import { gameField, type ModalDeps, modalText } from '../server-modals.ts';

/** The files that are read. */
export const FILE_TYPES = ['.txt', '.csv', '.json'] as const;

/** The custom id of a control of a list: all of them belong to /addservers. */
export const listId = (action: string, id = ''): string => customId('addservers', action, id);

/**
 * The custom id of the button that submits a draft.
 * @param promised how many servers the button says that it submits; 0: it does not say
 */
export const submitId = (id: string, promised = 0): string => listId('submit', `${promised}:${id}`);

/** What {@link submitId} has put behind its action. Anybody could have written it. */
export function readSubmitId(argument: string) {
  const [promised = '', id = ''] = argument.split(':');
  return { id, promised: Number.parseInt(promised, 10) || undefined };
}

interface Words {
  readonly t: Translate;
}

interface PreviewControls {
  /** What has to be done first, if anything. */
  readonly first?: Control | false | undefined;
  /** The id of the draft. */
  readonly id: string;
  /** How many servers the button submits; 0: there is no such button. */
  readonly submits: number;
  /** Nothing may be submitted now, but something may be soon. */
  readonly canTryAgain: boolean;
  /** How many lines only lack a port, and can have the usual one. */
  readonly usualPorts: number;
  /** How many lines can be corrected. */
  readonly edits: number;
  /** How many servers were already submitted, and whether they are included. */
  readonly alreadySubmitted: number;
  readonly includesAlreadySubmitted: boolean;
  /** The games that lines may mean that name none for certain, one for each line. A press on the button takes them. */
  readonly meant: readonly Game[];
  /** The games for lines that lack one, if any does. A game can be typed if a select does not take all of them. */
  readonly games?: readonly SelectOption[];
}

/** What can be done with a list before it is submitted. */
export function previewRows(
  { t }: Words,
  {
    first,
    id,
    submits,
    canTryAgain,
    usualPorts,
    edits,
    alreadySubmitted,
    includesAlreadySubmitted,
    meant,
    games,
  }: PreviewControls,
): readonly ActionRow[] {
  const label = includesAlreadySubmitted ? 'list.button.leave' : 'list.button.include';
  // The button says what is wanted, so that a press that comes twice does no harm.
  const wanted = includesAlreadySubmitted ? 'off' : 'on';
  const options = games?.slice(0, LIMITS.choices) ?? [];
  const isAll = options.length > 0 && options.length === games?.length;
  return rows(
    [select({ id: listId('game', id), placeholder: t('list.button.selectGame'), options })],
    [
      meantButton(t, id, meant),
      games !== undefined && !isAll && button(listId('askgame', id), t('list.button.game')),
    ],
    [
      first,
      submits > 0 && button(submitId(id, submits), t('list.button.submit', { count: submits }), 'success'),
      canTryAgain && button(submitId(id), t('again.tryAgain')),
      usualPorts > 0 && button(listId('ports', id), t('list.button.usualPorts', { count: usualPorts })),
      edits > 0 && button(listId('edit', id), t('again.edit')),
      alreadySubmitted > 0 &&
        button(listId('include', `${wanted}:${id}`), t(label, { count: alreadySubmitted })),
      button(listId('cancel', id), t('button.cancel')),
    ],
  );
}

function meantButton(t: Translate, id: string, meant: readonly Game[]): Control | undefined {
  const [game, ...others] = new Set(meant);
  if (game === undefined) return undefined;
  const label =
    others.length === 0
      ? t('again.use', { value: game.name })
      : t('list.button.meantGames', { count: meant.length });
  return button(listId('take', id), label, 'primary');
}

interface ReportControls extends Pick<PreviewControls, 'first'> {
  /** The id of the draft of what remains, if there is one. */
  readonly id: string | undefined;
  readonly canGoAgain: boolean;
  /** Whether the outcome of some server is unknown. */
  readonly isUnconfirmed: boolean;
  /** The page on which unknown outcomes can be looked up. */
  readonly page: string | undefined;
}

/** What can be done with what remains, and where unknown outcomes can be looked up. */
export const reportRows = (
  { t }: Words,
  { first, id, canGoAgain, isUnconfirmed, page }: ReportControls,
): readonly ActionRow[] =>
  rows([
    first,
    id !== undefined &&
      canGoAgain &&
      button(submitId(id), t('again.submitAgain'), first ? 'secondary' : 'primary'),
    id !== undefined && isUnconfirmed && button(listId('anyway', id), t('again.notListed')),
    id !== undefined && button(listId('editall', id), t('again.edit')),
    page !== undefined && linkButton(page, t('listing.check')),
  ]);

interface Typed {
  /** The custom id. */
  readonly id: string;
  /** UTF-16 units. */
  readonly most: number;
}

/** Under a list that could not be read: opens it as it was typed. */
export const retypeRows = ({ t }: Words, id: string): readonly ActionRow[] =>
  rows([button(listId('retype', id), t('again.edit'))]);

interface EditedList extends Typed {
  readonly text: string;
  /** What is wrong with the lines, above them. */
  readonly reasons: string;
}

/** The modal in which lines are corrected. */
export const editModal = ({ t }: Words, { id, text, reasons, most }: EditedList): Modal =>
  modal({
    id,
    title: t('again.edit'),
    ...(reasons !== '' && { text: reasons }),
    fields: [
      {
        id: 'servers',
        label: t('list.modal.servers'),
        hint: t('list.hint'),
        value: text,
        most,
        long: true,
      },
    ],
  });

/**
 * The modal in which a game is typed in, for lists of games that are too long for a select.
 * @param games what may be submitted
 */
export const gameModal = ({ t }: Words, id: string, games: readonly Game[]): Modal =>
  modal({
    id,
    title: t('list.button.selectGame'),
    fields: [
      {
        id: 'game',
        label: t('addserver.field.game'),
        hint: gameHint(t, games),
        least: 1,
        most: LIMITS.choiceValue,
      },
    ],
  });

interface EnteredList extends Typed {
  readonly text: string;
  readonly game: string;
}

/** The modal into which a list is pasted, or uploaded as a file. */
export async function listModal(
  context: Context,
  { id, text, game, most }: EnteredList,
  deps: ModalDeps,
): Promise<Modal> {
  const { t, guildId } = context;
  const allowed = await deps.suggestions.allowed(guildId);
  return modal({
    id,
    title: t('list.modal.title'),
    ...(await modalText(context, allowed, deps)),
    fields: [
      {
        id: 'servers',
        label: t('list.modal.servers'),
        hint: t('list.modal.serversHint'),
        example: exampleLine(allowed),
        value: cut(text, most),
        most,
        long: true,
      },
      {
        kind: 'file',
        id: 'file',
        label: t('list.modal.file'),
        hint: t('list.modal.fileHint', { kib: MAX_FILE_BYTES / 1024 }),
        types: FILE_TYPES,
      },
      gameField(
        context,
        allowed,
        {
          label: t('list.modal.game'),
          typed: game,
          hint: t('commands.addservers.options.game.description'),
          required: false,
        },
        deps,
      ),
    ],
  });
}
