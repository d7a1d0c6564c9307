import { LIMITS } from '../../src/discord/limits.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { button, type Control, rows, select } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { Game } from '../../src/listing/contract.ts';
import { type AllowedGames, gamesAmong } from '../../src/listing/game-search.ts';
import type { NotRead } from '../../src/server-lists/list-parser.ts';
import type { UnreadableList } from '../../src/server-lists/read-list.ts';
import { meantAddress } from '../../src/server-lists/repair.ts';
import { hasUnknownGame, isInvalid, isReady, lacksGame, type Row } from '../../src/server-lists/row.ts';
import { type CheckedDraft, type HeldReason, keyProblemOf } from '../../src/submissions/check.ts';
import type { TooManyCandidates } from '../../src/submissions/choices.ts';
import { type Draft, markOfRows, onlyRow } from '../../src/submissions/draft.ts';
import {
  countToEdit,
  type EditResult,
  hasTwoPorts,
  type NotEntries,
  withUsualPort,
} from '../../src/submissions/draft-editor.ts';
import { gameOptions } from '../../src/words/games.ts';
import { keyText } from '../../src/words/keys.ts';
import { notSubmittedText } from '../../src/words/not-submitted.ts';
import { sentences } from '../../src/words/sentences.ts';
import { labelledAddress, withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { enterKey } from '../setkey.ts';
import { replyForUnavailable } from '../submissions/waiting.ts';
import { chooseControls, countAllServers, hasChoices, isAnyChosen } from './choices.ts';
import { nextStepsText } from './game-field.ts';
import { submitId } from './ids.ts';
import { countUnconfirmed, previewOf } from './preview.ts';
import { problemView } from './problem.ts';
import { guesser, someLines } from './problem-text.ts';
import { mineButton } from './repairs.ts';

export const unreadableText = (
  list: UnreadableList | TooManyCandidates | NotEntries | NotRead,
  t: Translate,
): string => t(`list.file.${list.kind}`, { ...list });

interface DraftAdditions {
  readonly notice?: string | undefined;
  readonly held?: HeldReason;
  /** Set if several games match the name that the member typed. */
  readonly choice?: { readonly lines: GamelessLines; readonly games: readonly Game[] };
  /** The page of the menu in which the member chooses servers, counted from 0. */
  readonly page?: number;
}

/**
 * Shows a draft before it is submitted: a single invalid line with its problem and fixes, or else the servers that would be
 * submitted. If the draft no longer exists, shows what happened to it.
 * @throws UserError if the draft would become too large
 */
export async function showDraft(
  context: Context,
  id: string,
  checked: EditResult,
  deps: CommandDeps,
  shown: DraftAdditions = {},
): Promise<Reply> {
  if (checked.kind === 'no-draft') return replyForUnavailable(context, { id, ...checked }, deps);
  if (checked.kind !== 'checked') throw new UserError(unreadableText(checked, context.t));
  const { draft, settings, allowance } = checked;
  const games = gamesAmong(deps.games, settings.games);
  const noKey = keyProblemOf(checked);
  const unable = checked.blocked ?? noKey;
  const row = hasChoices(checked) ? undefined : onlyRow(draft);
  const { held, notice } = shown;
  const notSubmitted = held?.code === 'changed' ? undefined : held;
  const isOfRow = row?.kind === 'invalid' && row.problem.code === notSubmitted?.code;
  // The preview already shows which lines are held back by a limit.
  const isOfLimit = notSubmitted !== undefined && notSubmitted.code === allowance.limited?.code && !row;
  const why = isOfRow || isOfLimit ? undefined : (notSubmitted ?? checked.blocked);
  const isLater = why !== undefined && 'isSoon' in why && !why.isSoon;
  const next = isLater && context.t('limit.continue', { submissions: context.mention('submissions') });
  const whyText = why && sentences(notSubmittedText(why, context, games), next || undefined);
  // Before the member submits the draft, the sign for "not sent" would be wrong.
  const keyNote = noKey && withSign('not-sent', keyText(noKey, context));
  const said = [whyText ?? keyNote, notice].filter((text) => text !== undefined);
  const keyButton = noKey !== undefined && enterKey(context, id);
  if (row && (row.kind === 'invalid' || notSubmitted)) {
    return problemView(context, draft, { row, notSubmitted: why, said, keyButton }, deps);
  }
  const nextSteps = nextStepsText(context, draft.panelChannelId, settings);
  return {
    ...previewOf(context, checked, games, { notice: said.join('\n\n'), nextSteps }),
    components: rows(
      ...draftControls(context, { checked, games, keyButton, canSubmit: unable === undefined, shown }),
    ),
  };
}

type ControlRow = readonly (Control | false | undefined)[];

interface ShownDraft {
  readonly checked: CheckedDraft;
  readonly games: AllowedGames;
  /** False without a key, and for blocked members. Without a key, `keyButton` lets an admin enter one. */
  readonly canSubmit: boolean;
  readonly keyButton: Control | false;
  readonly shown: DraftAdditions;
}

/** Builds the controls of a preview. Discord allows five rows, each with one menu or five buttons. */
function draftControls(
  { t }: Context,
  { checked, games, keyButton, canSubmit, shown }: ShownDraft,
): readonly ControlRow[] {
  const { menus, buttons } = gameControls(t, checked, games, shown.choice);
  const own = [keyButton, ...draftButtons(t, checked, { games, canSubmit })];
  if (!hasChoices(checked)) return [...menus.map((menu) => [menu]), buttons, own];
  const { menu, buttons: choosing } = chooseControls(t, checked, { games, page: shown.page ?? 0, canSubmit });
  // With the menu for choosing, only one menu for games fits. The other one follows once the first is used.
  const [gameMenu] = menus.filter((each) => each !== undefined);
  return [[menu], [gameMenu], [...choosing, ...buttons, ...own]];
}

/**
 * The kinds of lines for which one game is chosen together: lines without a game, and lines with an unknown game that isn't
 * similar to any known game. Lines with a suggested game are excluded.
 */
export type GamelessLines = 'missing' | 'unknown';

const SELECT_LABELS = { missing: 'selectGame', unknown: 'selectUnknown' } as const;
const ASK_LABELS = { missing: 'game', unknown: 'unknownGame' } as const;

/**
 * Builds the controls that set the game for lines without a known game. Each kind of line gets a select menu, plus a button
 * for a modal if the menu can't show all games. Another button applies the suggested games.
 */
function gameControls(
  t: Translate,
  { draft }: CheckedDraft,
  games: AllowedGames,
  choice: DraftAdditions['choice'],
): { readonly menus: ControlRow; readonly buttons: ControlRow } {
  const { id } = draft;
  const guesses = gameGuesses(games);
  const meant = draft.rows.flatMap((row) => guesses.meant(row)?.name ?? []);
  const addresses = draft.rows.flatMap((row) => meantAddress(row) ?? []);
  const use = (value: string | number) => t('again.use', { value });
  const choices = (['missing', 'unknown'] as const).map((lines) => {
    const rows = draft.rows.filter(guesses.isAmong(lines));
    const count = rows.length;
    if (count === 0) return {};
    const all = gameOptions(choice?.lines === lines ? choice.games : games.all);
    const options = all.slice(0, LIMITS.choices);
    const isAll = options.length > 0 && options.length === all.length;
    const placeholder =
      draft.source === 'text'
        ? t('list.button.gameOfLines', someLines(t, rows))
        : t(`list.button.${SELECT_LABELS[lines]}`, { count });
    return {
      choice: select({ id: submitId('game', id, lines), placeholder, options }),
      ask: !isAll && button(submitId('askgame', id, lines), t(`list.button.${ASK_LABELS[lines]}`)),
    };
  });
  return {
    menus: choices.map(({ choice }) => choice),
    buttons: [
      fixButton(submitId('take', id), meant, (games, game) =>
        games === 1 ? use(game) : t('list.button.meantGames', { count: meant.length }),
      ),
      fixButton(submitId('letters', id), addresses, (count, address) =>
        count === 1 ? use(labelledAddress(String(address))) : t('list.button.meantAddresses', { count }),
      ),
      ...choices.map(({ ask }) => ask),
    ],
  };
}

/**
 * Builds the button that fixes each line in the same way, such as giving it its suggested game.
 * @param values the value that each line gets
 * @param label builds the label from the number of different values. `first` is the value if there is only one
 */
function fixButton(
  id: string,
  values: readonly (string | number)[],
  label: (different: number, first: string | number) => string,
): Control | false {
  const different = new Set(values);
  const [first] = different;
  return first !== undefined && button(id, label(different.size, first), 'primary');
}

/** @param canSubmit if false, the submit button isn't prominent */
function draftButtons(
  t: Translate,
  checked: CheckedDraft,
  { games, canSubmit }: Pick<ShownDraft, 'games' | 'canSubmit'>,
): readonly (Control | false)[] {
  const { draft, allowance, alreadySubmitted } = checked;
  const { id } = draft;
  const { count } = allowance;
  const isAnyWaiting = draft.rows.some((row) => isInvalid(row) && row.problem.code === 'waiting-already');
  const toFix = countToEdit(draft);
  const label = submitLabel(t, checked);
  const sent = submitId('send', id, count, ...(hasChoices(checked) ? [markOfRows(draft)] : []));
  const unconfirmed = countUnconfirmed(alreadySubmitted);
  const usualPorts = draft.rows.filter((row) => withUsualPort(games)(row) !== undefined).length;
  const ports = draft.rows.filter(hasTwoPorts).map(({ problem }) => problem.port);
  const canTryAgain = count === 0 && allowance.limited?.isSoon === true;
  return [
    canSubmit && count > 0 && button(sent, label, 'success'),
    (canSubmit ? canTryAgain : checked.ready.length > 0) && button(submitId('send', id), label),
    usualPorts > 0 && button(submitId('ports', id), t('list.button.usualPorts', { count: usualPorts })),
    fixButton(submitId('query', id), ports, (different, port) =>
      t(`list.button.${different === 1 ? 'queryPort' : 'queryPorts'}`, { port, count: ports.length }),
    ),
    toFix > 0 && button(submitId('edit', id), t('again.fix', { count: toFix })),
    isAnyWaiting && mineButton(t),
    ...includeButtons(t, draft, { unconfirmed, confirmed: alreadySubmitted.size - unconfirmed }),
    (toFix === 0 || draft.rows.some(isReady)) && button(submitId('edit', id, 'all'), t('again.edit')),
    button(submitId('cancel', id), t('button.cancel')),
  ];
}

/** Builds the buttons that include or skip servers that were already submitted, the unconfirmed ones first. */
function includeButtons(
  t: Translate,
  { id, includesAlreadySubmitted: hasAll, includesUnconfirmed }: Draft,
  { unconfirmed, confirmed }: { readonly unconfirmed: number; readonly confirmed: number },
): readonly (Control | false)[] {
  const toggle = (
    wanted: 'on' | 'off' | 'unconfirmed',
    key: 'include' | 'leave' | 'includeUnconfirmed' | 'leaveUnconfirmed',
    count: number,
  ) => count > 0 && button(submitId('include', id, wanted), t(`list.button.${key}`, { count }));
  if (hasAll && confirmed > 0) return [toggle(unconfirmed > 0 ? 'unconfirmed' : 'off', 'leave', confirmed)];
  if (unconfirmed === 0) return [toggle('on', 'include', confirmed)];
  if (hasAll || includesUnconfirmed)
    return [toggle('off', 'leaveUnconfirmed', unconfirmed), toggle('on', 'include', confirmed)];
  return [toggle('unconfirmed', 'includeUnconfirmed', unconfirmed)];
}

function submitLabel(t: Translate, checked: CheckedDraft): string {
  const { needsModerator, allowance, ready } = checked;
  // If a limit holds back all the servers, the button submits them once the limit allows it.
  const count = allowance.count || ready.length;
  const total = hasChoices(checked) ? countAllServers(checked) : count;
  const isPart = hasChoices(checked) && isAnyChosen(checked);
  if (!isPart)
    return needsModerator
      ? t('list.button.submitForApproval', { count })
      : t('list.button.submit', { count });
  return t(needsModerator ? 'choices.submitPartForApproval' : 'choices.submitPart', { count, total });
}

export function gameGuesses(games: AllowedGames) {
  const guess = guesser(games);
  return {
    meant(row: Row): Game | undefined {
      if (hasUnknownGame(row)) return guess(row.problem.game)?.[0];
      const game = lacksGame(row) && row.near !== undefined ? games.find(row.near) : undefined;
      return game && games.isAllowed(game) ? game : undefined;
    },
    isAmong:
      (lines: GamelessLines) =>
      (row: Row): boolean =>
        lines === 'missing' ? lacksGame(row) : hasUnknownGame(row) && guess(row.problem.game)?.length === 0,
  };
}

export const allowedGames = async ({ guildId }: Context, { games, settings }: CommandDeps) =>
  gamesAmong(games, (await settings.getOrThrow(guildId)).games);
