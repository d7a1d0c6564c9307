import type { ApiKeys } from '../../src/guilds/api-keys.ts';
import type { GuildSettings } from '../../src/guilds/settings.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import type { Game } from '../../src/listing/contract.ts';
import { type AllowedGames, gamesAmong } from '../../src/listing/game-search.ts';
import type { Games } from '../../src/listing/games.ts';
import { lacksGame, needsGame, type RefusedRow, type Row } from '../../src/server-lists/row.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import type { NoDraft } from '../../src/submissions/drafts.ts';
import type { ListDrafts, Prepared } from '../../src/submissions/list-drafts.ts';
import { gameOptions } from '../../src/words/games.ts';
import { refusalText } from '../../src/words/refusal.ts';
import { noDraft } from '../no-draft.ts';
import { enterKey } from '../setkey.ts';
import { previewRows } from './controls.ts';
import { guesser } from './files.ts';
import { previewOf } from './preview.ts';

/** What a draft is opened with and shown. */
export interface DraftDeps {
  readonly lists: ListDrafts;
  readonly games: Games;
  readonly settings: Pick<GuildSettings, 'get'>;
  readonly keys: Pick<ApiKeys, 'problem' | 'rememberedProblem'>;
}

/** Keeps a new draft under the interaction's id, and shows what it would submit, below the notice if there is one. */
export const openDraft = async (
  context: Context,
  { notice, ...read }: Pick<Draft, 'source' | 'rows' | 'noise'> & Pick<Shown, 'notice'>,
  deps: DraftDeps,
): Promise<Reply> =>
  showDraft(context, await deps.lists.open(context, context.interactionId, read), { notice }, deps);

/** Notes in rows without a game that they may mean this game: its name is nearly what was typed for all of them. */
export const withNear = (rows: readonly Row[], game: Game | undefined): readonly Row[] =>
  rows.map((row) => (game !== undefined && lacksGame(row) ? { ...row, near: row.near ?? game.alias } : row));

interface Shown {
  /** Something to say first. */
  readonly notice?: string | undefined;
  /** The games to choose from, if not all of them. */
  readonly choice?: readonly Game[];
}

/**
 * What a draft would submit now.
 * @throws UserError when it was submitted or cancelled meanwhile
 */
export async function showDraft(
  context: Context,
  prepared: Prepared | NoDraft,
  { notice, choice }: Shown,
  deps: DraftDeps,
): Promise<Reply> {
  if (typeof prepared === 'string') throw noDraft(prepared, context.t, 'addservers');
  const some = await allowedGames(context, deps);
  const gameMeant = gamesMeant(some);
  const { id, draft, alreadySubmitted, room, edits, usualPorts, canTryAgain } = prepared;
  const noKey = await deps.keys.problem(context.guildId);
  const notices = [noKey && refusalText(noKey, context, some), notice].filter(Boolean).join('\n\n');
  return {
    ...previewOf(context, prepared, some, notices),
    components: previewRows(context, {
      id,
      first: noKey && enterKey(context, id),
      submits: noKey ? 0 : room.count,
      edits: edits.refused + edits.lacking,
      usualPorts,
      canTryAgain: canTryAgain || noKey !== undefined,
      alreadySubmitted: alreadySubmitted.size,
      includesAlreadySubmitted: draft.includesAlreadySubmitted,
      meant: draft.rows.filter(needsGame).flatMap((row) => gameMeant(row) ?? []),
      ...(draft.rows.some(needsGame) && { games: gameOptions(choice ?? some.all) }),
    }),
  };
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
