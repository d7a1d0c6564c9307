import { LIMITS } from '../../src/discord/limits.ts';
import type { ApiKeys } from '../../src/guilds/api-keys.ts';
import type { GuildSettings } from '../../src/guilds/settings.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { button, type Control, rows, select } from '../../src/interactions/controls.ts';
import type { Game } from '../../src/listing/contract.ts';
import { type AllowedGames, gamesAmong } from '../../src/listing/game-search.ts';
import type { Games } from '../../src/listing/games.ts';
import type { NotRead } from '../../src/server-lists/list-reader.ts';
import type { UnreadableList } from '../../src/server-lists/read-list.ts';
import { lacksGame, needsGame, type RefusedRow, type Row } from '../../src/server-lists/row.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import type { ListDrafts, Prepared } from '../../src/submissions/list-drafts.ts';
import { UserError } from '../../src/user-error.ts';
import { gameOptions, unusableGameText } from '../../src/words/games.ts';
import { refusalText } from '../../src/words/refusal.ts';
import type { Reader, Translate } from '../../src/words/words.ts';
import { enterKey } from '../setkey.ts';
import { guesser } from './files.ts';
import { previewOf } from './preview.ts';
import { listId, submitId } from './windows.ts';

/** What a draft is opened with and shown. */
export interface DraftDeps {
  readonly lists: ListDrafts;
  readonly games: Games;
  readonly settings: Pick<GuildSettings, 'get'>;
  readonly keys: Pick<ApiKeys, 'usable' | 'problem'>;
}

/** Keeps a new draft under the interaction's id, and shows what it would submit, below the notice if there is one. */
export const openDraft = async (
  context: Context,
  { notice, ...read }: Pick<Draft, 'source' | 'rows' | 'noise'> & Pick<Shown, 'notice'>,
  deps: DraftDeps,
): Promise<Reply> =>
  showDraft(context, await deps.lists.open(context, context.interactionId, read), deps, { notice });

/** Why a text cannot be read as a list at all, or a list cannot be kept. */
export const unreadableText = (list: UnreadableList | NotRead, t: Translate): string =>
  t(`list.file.${list.kind}`, { ...list });

/** What was typed as the game of a whole list. If it cannot be used: what to say, and the game that is nearest to it. */
export function gameOfList(reader: Reader, typed: string, games: AllowedGames) {
  const found = games.find(typed);
  if (found && games.isAllowed(found)) return { usable: found };
  const [near] = found ? [] : games.search(typed, 1);
  return { notice: unusableGameText(reader, typed, games), near };
}

/** Notes in rows without a game that they may mean this game: its name is nearly what was typed for all of them. */
export const withNear = (rows: readonly Row[], game: Game | undefined): readonly Row[] =>
  rows.map((row) => (game !== undefined && lacksGame(row) ? { ...row, near: row.near ?? game.alias } : row));

export interface Shown {
  /** Something to say first. */
  readonly notice?: string | undefined;
  /** The games to choose from, if not all of them. */
  readonly choice?: readonly Game[];
}

/**
 * What a draft would submit now.
 * @throws UserError when it would become too large
 */
export async function showDraft(
  context: Context,
  shown: Prepared | UnreadableList,
  deps: DraftDeps,
  { notice, choice }: Shown = {},
): Promise<Reply> {
  const { t } = context;
  if ('kind' in shown) throw new UserError(unreadableText(shown, t));
  const games = await allowedGames(context, deps);
  const noKey = await deps.keys.problem(context.guildId);
  const notices = [noKey && refusalText(noKey, context, games), notice].filter(Boolean).join('\n\n');
  return {
    ...previewOf(context, shown, games, notices),
    components: rows(...gameControls(t, shown, games, choice), [
      noKey && enterKey(context, shown.id),
      ...draftButtons(t, shown, noKey === undefined),
    ]),
  };
}

/** What gives a game to the lines that lack one: a select, a modal if the select does not take all, and what they may mean. */
function gameControls(
  t: Translate,
  { id, draft }: Prepared,
  games: AllowedGames,
  choice: readonly Game[] = games.all,
): readonly (readonly (Control | false | undefined)[])[] {
  const lacking = draft.rows.filter(needsGame);
  if (lacking.length === 0) return [];
  const gameMeant = gamesMeant(games);
  const meant = lacking.flatMap((row) => gameMeant(row) ?? []);
  const all = gameOptions(choice);
  const options = all.slice(0, LIMITS.choices);
  const isAll = options.length > 0 && options.length === all.length;
  return [
    [select({ id: listId('game', id), placeholder: t('list.button.selectGame'), options })],
    [meantButton(t, id, meant), !isAll && button(listId('askgame', id), t('list.button.game'))],
  ];
}

/** Takes the game that each line may mean. */
function meantButton(t: Translate, id: string, meant: readonly Game[]): Control | undefined {
  const [game, ...others] = new Set(meant);
  if (game === undefined) return undefined;
  const label =
    others.length === 0
      ? t('again.use', { value: game.name })
      : t('list.button.meantGames', { count: meant.length });
  return button(listId('take', id), label, 'primary');
}

/** What can be done with a draft. @param hasKey without a key nothing can be submitted, but tried again */
function draftButtons(
  t: Translate,
  { id, draft, room, alreadySubmitted, edits, usualPorts, canTryAgain }: Prepared,
  hasKey: boolean,
): readonly (Control | false)[] {
  const submits = { count: room.count };
  const earlier = { count: alreadySubmitted.size };
  return [
    hasKey && room.count > 0 && button(submitId(id, room.count), t('list.button.submit', submits), 'success'),
    (canTryAgain || !hasKey) && button(submitId(id), t('again.tryAgain')),
    usualPorts > 0 && button(listId('ports', id), t('list.button.usualPorts', { count: usualPorts })),
    edits.refused + edits.lacking > 0 && button(listId('edit', id), t('again.edit')),
    earlier.count > 0 &&
      (draft.includesAlreadySubmitted
        ? button(listId('include', `off:${id}`), t('list.button.leave', earlier))
        : button(listId('include', `on:${id}`), t('list.button.include', earlier))),
    button(listId('cancel', id), t('button.cancel')),
  ];
}

/** The allowed game that a line may mean which names no game, or an unknown one. */
export function gamesMeant(games: AllowedGames): (row: RefusedRow) => Game | undefined {
  const guess = guesser(games);
  return ({ near, problem }) => {
    if (problem.code === 'game-unknown') return guess(problem.game)[0];
    const game = near === undefined ? undefined : games.find(near);
    return game && games.isAllowed(game) ? game : undefined;
  };
}

/** The games that may be submitted in the guild. */
export const allowedGames = async ({ guildId }: Context, { games, settings }: DraftDeps) =>
  gamesAmong(games, (await settings.get(guildId)).games);
