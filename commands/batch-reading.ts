import type { Context, Reply } from '../src/discord/command.ts';
import type { Secret } from '../src/secret.ts';
import { type Bulk, parseBulk } from '../src/server-lists/read-list.ts';
import { UserError } from '../src/user-error.ts';
import { escapeText, LONGEST_NAME } from '../src/words/escape.ts';
import { nearestGames } from '../src/words/games.ts';
import { type DraftDeps, gameReading, openDraft } from './batch-opening.ts';

export interface ListInput {
  readonly content: string | Uint8Array;
  /** What was typed as the game of lines that name none; may be empty. */
  readonly game: string;
}

/**
 * Reads a list that was pasted or uploaded, and shows what would be submitted.
 * @throws UserError when it cannot be read as a list at all
 */
export async function openList(
  context: Context,
  { content, game, key }: ListInput & { readonly key: Secret },
  deps: DraftDeps,
): Promise<Reply> {
  const { games } = deps;
  const read = () => parseBulk(content, gameReading(games, games.find(game)?.alias));
  let bulk = await read();
  const isUnknown = () => game !== '' && !games.find(game);
  if (!games.list().fresh && (isUnknown() || namesUnknownGame(bulk))) {
    await games.refresh(key);
    bulk = await read();
  } else games.refreshSoon(key);
  const note = isUnknown() ? unknownGame(context, game, games) : undefined;
  return openDraft(context, { source: 'text', rows: rowsOf(context, bulk), note }, deps);
}

/** That a game is not known, with the nearest ones. */
export function unknownGame(
  { t }: Context,
  typed: string,
  games: Pick<DraftDeps['games'], 'search'>,
): string {
  const near = nearestGames(games, typed);
  const game = escapeText(typed, LONGEST_NAME);
  return near === '' ? t('bulk.unknownGame', { game }) : t('bulk.unknownGameNear', { game, near });
}

function namesUnknownGame(bulk: Bulk): boolean {
  return (
    bulk.kind === 'rows' && bulk.rows.some((row) => 'problem' in row && row.problem.code === 'game-unknown')
  );
}

function rowsOf({ t }: Context, bulk: Bulk) {
  switch (bulk.kind) {
    case 'binary':
      throw new UserError(t('bulk.file.binary'));
    case 'bad-json':
      throw new UserError(t('bulk.file.badJson', { line: bulk.line, column: bulk.column }));
    case 'too-many':
      throw new UserError(t('bulk.file.tooMany', { count: bulk.count, most: bulk.most }));
    case 'rows':
      if (bulk.rows.length === 0) throw new UserError(t('bulk.file.empty'));
      return bulk.rows;
  }
}
