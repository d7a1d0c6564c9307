import { LIMITS } from '../../src/discord/limits.ts';
import type { Context } from '../../src/interactions/command.ts';
import { type Modal, modal } from '../../src/interactions/controls.ts';
import type { Game } from '../../src/listing/contract.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { linesWithNames } from '../../src/server-lists/edited-lines.ts';
import { MAX_FILE_BYTES, MAX_TYPED_LENGTH } from '../../src/server-lists/read-list.ts';
import { isInvalid, isRepeated, type TypedRow, withPortApart } from '../../src/server-lists/row.ts';
import type { Draft, Editing } from '../../src/submissions/draft.ts';
import { emptyLines, linesToEdit } from '../../src/submissions/draft-editor.ts';
import { cut } from '../../src/text/one-line.ts';
import { exampleLine, gameHint } from '../../src/words/games.ts';
import { firstItems } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { gamePart } from './game-field.ts';
import { submitId, withShownPort } from './ids.ts';
import { skippedText } from './preview.ts';
import { reasonItem } from './problem-text.ts';

export const FILE_TYPES = ['.txt', '.csv', '.json'] as const;

export const MAX_ADDRESS_FIELD_LENGTH = 500;
const MAX_PORT_FIELD_LENGTH = 20;

/** @param isCorrection whether a moderator is correcting a waiting submission */
export async function fieldsModal(
  context: Context,
  id: string,
  typed: TypedRow,
  deps: CommandDeps,
  isCorrection = false,
): Promise<Modal> {
  const { t } = context;
  const { game, server, port, queryPort } = withPortApart(typed);
  const gameField = {
    label: t('addserver.field.game'),
    typed: game,
    hint: t('addserver.gameSelect'),
    required: true,
    isCorrection,
  };
  const title = server === '' ? t('panel.server') : t('addserver.edit');
  const part = await gamePart(context, gameField, deps);
  const field = (name: 'server' | 'port' | 'query_port', value: string, maxLength: number) => ({
    id: name,
    label: t(`addserver.field.${name}`),
    hint: t(`commands.addserver.options.${name}.description`),
    value: cut(value, maxLength),
    maxLength,
  });
  return modal({
    id: withShownPort(id, port),
    title: isCorrection ? t('approval.correct') : title,
    text: part.text,
    fields: [
      part.field,
      { ...field('server', server, MAX_ADDRESS_FIELD_LENGTH), minLength: 1 },
      field('port', port, MAX_PORT_FIELD_LENGTH),
      field('query_port', queryPort, MAX_PORT_FIELD_LENGTH),
    ],
  });
}

/** Lists any problems with the lines above the input. */
export function linesModal(t: Translate, id: string, draft: Draft, which: Editing, games: GameIndex): Modal {
  // Unreadable text is shown exactly as typed.
  const { typed } = draft;
  const { above, lines } =
    typed && typed.modal !== 'fields' && typed.modal === which
      ? { above: '', lines: typed.text }
      : editableLines(t, draft, which, games);
  return modal({
    id,
    title: t('again.edit'),
    text: above,
    fields: [
      {
        id: 'servers',
        label: t('list.modal.servers'),
        hint: t('list.hint'),
        value: lines,
        maxLength: MAX_TYPED_LENGTH,
        isMultiline: true,
      },
    ],
  });
}

/**
 * Formats the lines for the input, with game names if they fit, and lists the problems in the lines. The numbers of left-out
 * lines follow, so that the member can type these lines again.
 */
function editableLines(t: Translate, draft: Draft, which: Editing, games: GameIndex) {
  const { text, rows } = linesToEdit(draft, which);
  const isPart = which === 'all' && rows.length < draft.rows.filter((row) => !isRepeated(row)).length;
  const reasons = firstItems(t, rows.filter(isInvalid), MAX_PROBLEMS_LISTED, (row) =>
    reasonItem(t, row, games),
  );
  const leftOut = skippedText(t, draft.source, { leftOut: draft.leftOut });
  const above = [isPart && t('list.editFits', { count: rows.length }), ...reasons, leftOut];
  const named = linesWithNames(rows, games);
  const lines = named.length <= MAX_TYPED_LENGTH ? named : text;
  const empty = emptyLines(draft)
    .slice(0, MAX_EMPTY_LINES)
    .map((label) => `${label}. `);
  const all = [...(lines === '' ? [] : [lines]), ...empty].join('\n');
  return {
    above: above.filter(Boolean).join('\n'),
    lines: all.length <= MAX_TYPED_LENGTH ? all : lines,
  };
}

/** The reply's files contain all the problems. */
const MAX_PROBLEMS_LISTED = 20;
/** More left-out lines are rather text around a list than game servers. */
const MAX_EMPTY_LINES = 20;

/**
 * Builds the modal with a text field for the game, for use if a select menu can't show all the games.
 * @param games the allowed games
 */
export const gameModal = ({ t }: Context, id: string, games: readonly Game[]): Modal =>
  modal({
    id,
    title: t('list.button.selectGame'),
    fields: [
      {
        id: 'game',
        label: t('addserver.field.game'),
        hint: gameHint(t, games),
        minLength: 1,
        maxLength: LIMITS.choiceValue,
      },
    ],
  });

interface EnteredList {
  /** `retyped` to update the message that the modal was opened from. */
  readonly action?: 'paste' | 'retyped';
  readonly id?: string;
  readonly text?: string;
  readonly game?: string;
}

export async function listModal(
  context: Context,
  { action = 'paste', id = '', text = '', game = '' }: EnteredList,
  deps: CommandDeps,
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
    id: submitId(action, id),
    title: t('list.modal.title'),
    text: part.text,
    fields: [
      {
        id: 'servers',
        label: t('list.modal.servers'),
        hint: t('list.modal.serversHint'),
        example: exampleLine(part.allowed),
        value: cut(text, MAX_TYPED_LENGTH),
        maxLength: MAX_TYPED_LENGTH,
        isMultiline: true,
      },
      {
        kind: 'file',
        id: 'file',
        label: t('list.modal.file'),
        hint: t('list.modal.fileHint', { kib: MAX_FILE_BYTES / 1024 }),
        extensions: FILE_TYPES,
      },
      part.field,
    ],
  });
}
