import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  LabelBuilder,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { type Context, customId, type Reply } from '../src/discord/command.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type { Game } from '../src/listing/contract.ts';
import { KNOWN_GAMES } from '../src/listing/known-games.ts';
import { type Draft, lacksGame, rowsToSend } from '../src/submissions/draft.ts';
import { gameOption, isSelectable } from '../src/words/games.ts';
import { shorten } from '../src/words/shorten.ts';

/** The command that all buttons of a draft belong to, whichever way it came in. */
const OWNER = 'addservers';

type Components = NonNullable<Reply['components']>;

export interface PreviewComponentsOptions {
  readonly id: string;
  readonly draft: Draft;
  readonly games: readonly Game[];
}

/** The select or the button for the game where rows lack one, and the buttons to submit, include and cancel. */
export function previewComponents(
  context: Context,
  { id, draft, games }: PreviewComponentsOptions,
): Components {
  const { t } = context;
  const ready = rowsToSend(draft).length;
  const missing = draft.rows.some(lacksGame);
  const former = draft.former.length;
  const formerAction = draft.includesFormer ? 'bulk.button.leave' : 'bulk.button.include';
  const buttons = [
    ...(ready > 0
      ? [button('submit', id, t('bulk.button.submit', { count: ready })).setStyle(ButtonStyle.Success)]
      : []),
    ...(former > 0 ? [button('former', id, t(formerAction, { count: former }))] : []),
  ];
  if (buttons.length === 0 && !missing) return [];
  const last = row(...buttons, button('cancel', id, t('bulk.button.cancel')));
  return missing ? [...gameRows(context, id, games), last] : [last];
}

/** The button of a report for what was not sent. */
export function restComponents({ t }: Context, id: string, count: number): Components {
  return [row(button('submit', id, t('bulk.button.rest', { count })).setStyle(ButtonStyle.Success))];
}

/** The window in which a game is typed in, for lists of games that are too long for a select. */
export function gameModal({ t }: Context, id: string): ModalBuilder {
  const input = new TextInputBuilder()
    .setCustomId('game')
    .setStyle(TextInputStyle.Short)
    .setMinLength(1)
    .setMaxLength(LIMITS.choiceValue)
    .setRequired(true);
  const label = new LabelBuilder()
    .setLabel(t('bulk.chooseModal.game'))
    .setDescription(t('bulk.chooseModal.hint'))
    .setTextInputComponent(input);
  return new ModalBuilder()
    .setCustomId(customId(OWNER, 'game', id))
    .setTitle(t('bulk.chooseModal.title'))
    .addLabelComponents(label);
}

/** A select has room for 25 games: the usual ones first, and a button to type in any other. */
function gameRows({ t }: Context, id: string, games: readonly Game[]): Components {
  const usual = new Set(KNOWN_GAMES.map(({ alias }) => alias));
  const [first, others] = [games.filter(isIn(usual)), games.filter((game) => !isIn(usual)(game))];
  const choices = [...first, ...others].filter(isSelectable);
  const other = row(button('askgame', id, t('bulk.button.game')));
  // Discord takes no select without options.
  if (choices.length === 0) return [other];
  const select = new StringSelectMenuBuilder()
    .setCustomId(customId(OWNER, 'game', id))
    .setPlaceholder(t('bulk.button.selectGame'))
    .addOptions(choices.slice(0, LIMITS.choices).map(gameOption));
  const rows = [new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(select)];
  if (choices.length <= LIMITS.choices) return rows;
  return [...rows, other];
}

const isIn =
  (aliases: ReadonlySet<string>) =>
  ({ alias }: Game) =>
    aliases.has(alias);

function button(action: string, id: string, label: string): ButtonBuilder {
  return new ButtonBuilder()
    .setCustomId(customId(OWNER, action, id))
    .setLabel(shorten(label, LIMITS.buttonLabel))
    .setStyle(ButtonStyle.Secondary);
}

const row = (...buttons: readonly ButtonBuilder[]) =>
  new ActionRowBuilder<ButtonBuilder>().addComponents(...buttons);
