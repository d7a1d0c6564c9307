import type { Call, Reply } from '../src/discord/command.ts';
import { escapeText, LONGEST_NAME } from '../src/discord/escape.ts';
import { withGame } from '../src/submissions/batch-rows.ts';
import { UserError } from '../src/user-error.ts';
import { type BatchDeps, gameReading, showBatch, withBatch } from './batch-opening.ts';
import { unknownGame } from './batch-reading.ts';

/** What was chosen in the select, or typed in, as the game of the rows that lack one. */
export function chooseGame(
  call: Call & { readonly argument: string },
  typed: string,
  deps: BatchDeps,
): Promise<Reply> {
  const { t, argument: id } = call;
  const { games } = deps;
  const found = games.find(typed);
  const matches = found ? [found] : games.search(typed);
  const [game, ...others] = matches;
  return withBatch(call, deps, async (batch) => {
    if (!game) throw new UserError(unknownGame(call, typed, games));
    if (others.length === 0) {
      const rows = withGame(batch.rows, gameReading(games, game.alias));
      return showBatch(call, { id, batch: { ...batch, rows } }, deps);
    }
    const note = t('bulk.severalGames', { game: escapeText(typed, LONGEST_NAME) });
    return showBatch(call, { id, batch, note, games: matches }, deps);
  });
}
