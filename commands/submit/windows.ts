import { LIMITS } from '../../src/discord/limits.ts';
import type { Context } from '../../src/interactions/command.ts';
import {
  type ActionRow,
  button,
  customId,
  type Modal,
  modal,
  rows,
} from '../../src/interactions/controls.ts';
import type { Game } from '../../src/listing/contract.ts';
import { MAX_FILE_BYTES } from '../../src/server-lists/read-list.ts';
import { MOST_TYPED } from '../../src/submissions/list-drafts.ts';
import { cut } from '../../src/words/escape.ts';
import { exampleLine, gameHint } from '../../src/words/games.ts';
import { gamePart, type ModalDeps } from './game-field.ts';

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

/** Under a list that could not be read: opens it as it was typed. */
export const retypeRows = ({ t }: Context, id: string): readonly ActionRow[] =>
  rows([button(listId('retype', id), t('again.edit'))]);

interface EditedList {
  /** The custom id. */
  readonly id: string;
  readonly text: string;
  /** What is wrong with the lines, above them. */
  readonly reasons: string;
}

/** The modal in which lines are corrected. */
export const editModal = ({ t }: Context, { id, text, reasons }: EditedList): Modal =>
  modal({
    id,
    title: t('again.edit'),
    text: reasons,
    fields: [
      {
        id: 'servers',
        label: t('list.modal.servers'),
        hint: t('list.hint'),
        value: text,
        most: MOST_TYPED,
        long: true,
      },
    ],
  });

/**
 * The modal in which a game is typed in, for lists of games that are too long for a select.
 * @param id of the draft
 * @param games what may be submitted
 */
export const gameModal = ({ t }: Context, id: string, games: readonly Game[]): Modal =>
  modal({
    id: listId('game', id),
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

interface EnteredList {
  /** `retyped` for a modal that was opened from the message that it changes. */
  readonly action?: 'paste' | 'retyped';
  readonly text?: string;
  readonly game?: string;
}

/** The modal into which a list is pasted, or uploaded as a file. */
export async function listModal(
  context: Context,
  { action = 'paste', text = '', game = '' }: EnteredList,
  deps: ModalDeps,
): Promise<Modal> {
  const { t } = context;
  const gameField = {
    label: t('list.modal.game'),
    typed: game,
    hint: t('commands.addservers.options.game.description'),
    required: false,
  };
  const part = await gamePart(context, gameField, deps);
  return modal({
    id: listId(action),
    title: t('list.modal.title'),
    text: part.text,
    fields: [
      {
        id: 'servers',
        label: t('list.modal.servers'),
        hint: t('list.modal.serversHint'),
        example: exampleLine(part.allowed),
        value: cut(text, MOST_TYPED),
        most: MOST_TYPED,
        long: true,
      },
      {
        kind: 'file',
        id: 'file',
        label: t('list.modal.file'),
        hint: t('list.modal.fileHint', { kib: MAX_FILE_BYTES / 1024 }),
        types: FILE_TYPES,
      },
      part.field,
    ],
  });
}
