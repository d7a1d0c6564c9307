import type { Context, Reply } from '../../src/interactions/command.ts';
import { button, rows } from '../../src/interactions/controls.ts';
import { findOrFetchGame } from '../../src/server-lists/read-one.ts';
import { lacksGame, type Row } from '../../src/server-lists/row.ts';
import type { Choices } from '../../src/submissions/choices.ts';
import { unusableGameText } from '../../src/words/games.ts';
import { sentences } from '../../src/words/sentences.ts';
import { withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { submitId } from './ids.ts';
import { allowedGames } from './show.ts';

/** Finds the game typed for lines without a game. If it can't be used, returns a notice and the most similar game. */
export async function gameOfAll(context: Context, typed: string, deps: CommandDeps) {
  if (typed === '') return {};
  const found = await findOrFetchGame(typed, deps.games, context.guildId);
  const allowed = await allowedGames(context, deps);
  if (found && allowed.isAllowed(found)) return { usable: found.alias };
  const [near] = found ? [] : allowed.search(typed, 1);
  return { whyUnusable: unusableGameText(context, typed, allowed), nearestAlias: near?.alias };
}

export const withNear = (rows: readonly Row[], near: string | undefined): readonly Row[] =>
  rows.map((row) => (near !== undefined && lacksGame(row) ? { ...row, near: row.near ?? near } : row));

export const isListGameUsed = (rows: readonly Row[], choices: Choices | undefined): boolean =>
  rows.some(lacksGame) || choices?.candidates.some(({ typed }) => typed.game === '') === true;

/** Explains why a list can't be read, and offers a button that reopens the modal with the typed text. */
export async function keepTyped(
  context: Context,
  { text, game, why, isFileLost }: Record<'text' | 'game' | 'why', string> & { readonly isFileLost: boolean },
  { draftEditor }: CommandDeps,
): Promise<Reply> {
  const { t, interactionId: id, panelChannelId } = context;
  await draftEditor.keepTyped(context, id, { text, game, modal: 'paste' }, panelChannelId);
  return {
    isUserError: true,
    content: withSign('not-sent', sentences(why, isFileLost ? t('list.reopen') : undefined)),
    components: rows([button(submitId('edit', id), t('again.edit'))]),
  };
}
