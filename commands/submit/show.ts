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
import { needsGame, type RefusedRow } from '../../src/server-lists/row.ts';
import { onlyRow } from '../../src/submissions/draft.ts';
import type { Changed, Prepared } from '../../src/submissions/list-drafts.ts';
import type { Refusal } from '../../src/submissions/pipeline.ts';
import type { Suggestions } from '../../src/submissions/suggestions.ts';
import { UserError } from '../../src/user-error.ts';
import { gameOptions } from '../../src/words/games.ts';
import { refusalText } from '../../src/words/refusal.ts';
import type { Translate } from '../../src/words/words.ts';
import { enterKey } from '../setkey.ts';
import { becameOf, type WaitingDeps } from '../submissions/waiting.ts';
import { comesText } from './game-field.ts';
import { submitId } from './ids.ts';
import { previewOf } from './preview.ts';
import { problemView } from './problem.ts';
import { guesser } from './problem-text.ts';

/** What a document is shown with. */
export interface ShowDeps extends WaitingDeps {
  readonly games: Games;
  readonly settings: Pick<GuildSettings, 'getOrThrow' | 'getOrUnreadable'>;
  readonly keys: Pick<ApiKeys, 'problem'>;
  readonly suggestions: Suggestions;
}

/** Why a text cannot be read as a list at all, or a list cannot be kept. */
export const unreadableText = (list: UnreadableList | NotRead, t: Translate): string =>
  t(`list.file.${list.kind}`, { ...list });

export interface Shown {
  /** Something to say first. */
  readonly notice?: string | undefined;
  /** Why nothing was sent. */
  readonly refusal?: Refusal;
  /** The games to choose from, if not all of them. */
  readonly choice?: readonly Game[];
}

/**
 * A document before it is submitted: what is wrong with its only line, with what helps; otherwise what it would submit now. If
 * there is none any more, what became of it.
 * @throws UserError when it would become too large
 */
export async function showDocument(
  context: Context,
  id: string,
  document: Changed,
  deps: ShowDeps,
  shown: Shown = {},
): Promise<Reply> {
  if (typeof document === 'string') return becameOf(context, { id, why: document }, deps);
  if ('kind' in document) throw new UserError(unreadableText(document, context.t));
  const games = await allowedGames(context, deps);
  const noKey = await deps.keys.problem(context.guildId);
  const row = onlyRow(document.draft);
  const { refusal, notice } = shown;
  const isOfRow = row?.kind === 'refused' && row.problem.code === refusal?.code;
  const why = isOfRow ? undefined : (refusal ?? noKey);
  const said = [why && refusalText(why, context, games), notice].filter((text) => text !== undefined);
  const keyButton = noKey !== undefined && enterKey(context, document.id);
  if (row && (row.kind === 'refused' || refusal)) {
    return problemView(context, document, { row, refusal: why, said, keyButton }, deps);
  }
  const comes = await comesText(context, document.draft.panelChannelId, deps);
  return {
    ...previewOf(context, document, games, { notice: said.join('\n\n'), comes }),
    components: rows(...gameControls(context.t, document, games, shown.choice), [
      keyButton,
      ...documentButtons(context.t, document, noKey === undefined),
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
    [select({ id: submitId('game', id), placeholder: t('list.button.selectGame'), options })],
    [meantButton(t, id, meant), !isAll && button(submitId('askgame', id), t('list.button.game'))],
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
  return button(submitId('take', id), label, 'primary');
}

/** @param hasKey without a key nothing can be submitted, but tried again */
function documentButtons(
  t: Translate,
  { id, draft, room, alreadySubmitted, edits, usualPorts, canTryAgain }: Prepared,
  hasKey: boolean,
): readonly (Control | false)[] {
  const { count } = room;
  const submit = button(submitId('send', id, count), t('list.button.submit', { count }), 'success');
  const earlier = { count: alreadySubmitted.size };
  const isIncluded = draft.includesAlreadySubmitted;
  const include = t(`list.button.${isIncluded ? 'leave' : 'include'}`, earlier);
  return [
    hasKey && count > 0 && submit,
    (canTryAgain || !hasKey) && button(submitId('send', id), t('again.tryAgain')),
    usualPorts > 0 && button(submitId('ports', id), t('list.button.usualPorts', { count: usualPorts })),
    edits.refused + edits.lacking > 0 && button(submitId('edit', id), t('again.edit')),
    earlier.count > 0 && button(submitId('include', id, isIncluded ? 'off' : 'on'), include),
    button(submitId('cancel', id), t('button.cancel')),
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
export const allowedGames = async (
  { guildId }: Context,
  { games, settings }: Pick<ShowDeps, 'games' | 'settings'>,
) => gamesAmong(games, (await settings.getOrThrow(guildId)).games);
