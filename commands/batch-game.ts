import type { Context, Reply } from '../src/discord/command.ts';
import { withGame } from '../src/submissions/draft.ts';
import { UserError } from '../src/user-error.ts';
import { escapeText, LONGEST_NAME } from '../src/words/escape.ts';
import { type DraftDeps, draftOf, gameReading, showDraft } from './batch-opening.ts';
import { unknownGame } from './batch-reading.ts';

/** What was chosen in the select, or typed in, as the game of the rows that lack one. */
export async function chooseGame(
  context: Context & { readonly argument: string },
  typed: string,
  deps: DraftDeps,
): Promise<Reply> {
  const { t, argument: id } = context;
  const { games } = deps;
  const found = games.find(typed);
  const matches = found ? [found] : games.search(typed);
  const [game, ...others] = matches;
  const draft = await draftOf(context, deps);
  if (!game) throw new UserError(unknownGame(context, typed, games));
  if (others.length === 0) {
    const rows = withGame(draft.rows, gameReading(games, game.alias));
    return showDraft(context, { id, draft: { ...draft, rows } }, deps);
  }
  const note = t('bulk.severalGames', { game: escapeText(typed, LONGEST_NAME) });
  return showDraft(context, { id, draft, note, games: matches }, deps);
}
