import type { Context, Reply } from '../../src/interactions/command.ts';
import { button, type Control, rows } from '../../src/interactions/controls.ts';
import type { Game } from '../../src/listing/contract.ts';
import { isSwapped } from '../../src/server-lists/repair.ts';
import { type InvalidRow, type Row, readRow, typedOf } from '../../src/server-lists/row.ts';
import type { NotSubmitted } from '../../src/submissions/check.ts';
import { type Draft, isSubmittedImmediately, skippedIn } from '../../src/submissions/draft.ts';
import { MAX_SUGGESTED_GAMES } from '../../src/words/games.ts';
import { notReadyText, unsubmittedLineText } from '../../src/words/problem.ts';
import { describeServer, gameNamed, serverEmbed, typedLine, withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { submitId } from './ids.ts';
import { skippedText } from './preview.ts';
import { problemLines } from './problem-text.ts';
import {
  editButton,
  gameControls,
  MAX_GAME_BUTTONS,
  mineButton,
  notSubmittedButtons,
  repairButtons,
} from './repairs.ts';

interface OnlyLine {
  readonly row: Row;
  readonly notSubmitted: NotSubmitted | undefined;
  readonly said: readonly string[];
  readonly keyButton: Control | false;
}

/** Shows the line of a single-line draft and the next steps if the line is invalid or can't be sent now. */
export async function problemView(
  context: Context,
  draft: Draft,
  { row, notSubmitted, said, keyButton }: OnlyLine,
  deps: CommandDeps,
): Promise<Reply> {
  const { t } = context;
  const { id } = draft;
  const isAsked = isSubmittedImmediately(draft) || notSubmitted !== undefined;
  const format = isAsked ? notReadyText : unsubmittedLineText;
  const help =
    row.kind === 'invalid' ? await problemWithControls(context, draft, { row, format }, deps) : undefined;
  const buttons = help?.buttons ?? (notSubmitted ? notSubmittedButtons(t, id, notSubmitted) : []);
  const texts = [...said, ...(help?.lines ?? []), skippedText(t, draft.source, skippedIn(draft))];
  const line =
    row.kind === 'invalid'
      ? typedLine(t, typedOf(row), deps.games)
      : describeServer(t, row.submission, deps.games);
  return {
    content: texts.filter(Boolean).join('\n'),
    embeds: [serverEmbed(t, 'not-sent', [line])],
    components: rows(
      [help?.choice],
      [
        keyButton,
        ...buttons,
        !isSubmittedImmediately(draft) && button(submitId('cancel', id), t('button.cancel')),
      ],
    ),
    ...(isAsked && {
      isUserError: true,
      refusal: row.kind === 'invalid' ? row.problem.code : notSubmitted?.code,
    }),
  };
}

async function problemWithControls(
  context: Context,
  draft: Draft,
  { row, format }: { readonly row: InvalidRow; readonly format: typeof notReadyText },
  deps: CommandDeps,
) {
  const { t } = context;
  const { games } = deps;
  if (isSwapped(row.typed, games)) {
    const short = t('problem.short.swapped');
    return {
      lines: [withSign('not-sent', format({ short }, t))],
      choice: undefined,
      buttons: [...repairButtons(t, draft, row, games), editButton(t, draft.id)],
    };
  }
  const near = await gamesNear(context, row, deps);
  const choice = { near: near ?? [], games: near ? await otherGames(context, draft, row, near, deps) : [] };
  const controls = gameControls(t, draft, row, choice, games);
  const isWaiting = row.problem.code === 'waiting-already';
  return {
    lines: problemLines(
      context,
      row,
      { near: choice.near, isListKnown: games.isFresh(), hasButtons: true },
      format,
    ),
    choice: controls.choice,
    buttons: [
      isWaiting && mineButton(t),
      ...controls.buttons,
      ...repairButtons(t, draft, row, games),
      editButton(t, draft.id),
    ],
  };
}

/**
 * Returns the games to offer in addition to those that the member may have meant. Empty if one of those fixes the line, or
 * if the service doesn't have the entered game, because no other game would then be right. In text, an unknown name might
 * not be a game at all.
 */
async function otherGames(
  { guildId }: Context,
  draft: Draft,
  { typed, problem }: InvalidRow,
  near: readonly Game[],
  { suggestions }: CommandDeps,
): Promise<readonly Game[]> {
  const [only, ...more] = near;
  if (only && more.length === 0 && readRow({ ...typed, game: only.alias }, only.alias).ok) return [];
  const all = await suggestions.games(guildId, '');
  const isEntered =
    isSubmittedImmediately(draft) &&
    problem.code === 'game-unknown' &&
    problem.game !== '' &&
    near.length === 0;
  return isEntered && all.length > MAX_GAME_BUTTONS ? [] : all;
}

/** Finds games that the member may have meant. Returns `undefined` if the problem isn't about the game. */
export async function gamesNear(
  { guildId }: Context,
  { problem, near }: InvalidRow,
  { games, suggestions }: CommandDeps,
): Promise<readonly Game[] | undefined> {
  const similarTo = async (name: string) =>
    (await suggestions.games(guildId, name)).slice(0, MAX_SUGGESTED_GAMES);
  switch (problem.code) {
    case 'game-missing': {
      const allowed = near === undefined ? [] : await suggestions.games(guildId, near);
      return allowed.filter(({ alias }) => alias === near);
    }
    case 'game-unknown':
      return problem.game === '' ? [] : similarTo(problem.game);
    case 'game-not-allowed':
      return similarTo(gameNamed(problem.game, games).name);
    default:
      return undefined;
  }
}
