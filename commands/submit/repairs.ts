import { LIMITS } from '../../src/discord/limits.ts';
import { button, type Control, customId, isCustomId, select } from '../../src/interactions/controls.ts';
import type { Game } from '../../src/listing/contract.ts';
import type { Games } from '../../src/listing/games.ts';
import { readOne } from '../../src/server-lists/read-one.ts';
import { gameRepair, isSwapped, type Repair, repaired, repairsOf } from '../../src/server-lists/repair.ts';
import { gameOf, type InvalidRow, isReady, readRow, type TypedRow } from '../../src/server-lists/row.ts';
import type { NotSubmitted } from '../../src/submissions/check.ts';
import { type Draft, isSubmittedImmediately } from '../../src/submissions/draft.ts';
import type { ServerOutcome } from '../../src/submissions/outcome.ts';
import { shorten } from '../../src/text/one-line.ts';
import { gameLabels, isSelectable } from '../../src/words/games.ts';
import { gameNamed, labelledAddress, serverLabel, typedAddress } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import { submitId } from './ids.ts';

type KnownGames = Pick<Games, 'find' | 'isFresh'>;

const isSubmittedOnceFixed = (draft: Draft, typed: TypedRow, repair: Repair, games: KnownGames): boolean =>
  isSubmittedImmediately(draft) && isReady(readOne(repaired(typed, repair), [], games));

/** Only buttons that submit the line are labelled as such. */
export function repairButtons(
  t: Translate,
  draft: Draft,
  row: InvalidRow,
  games: KnownGames,
): readonly Control[] {
  const { problem, address, typed } = row;
  const sends = (repair: Repair) => isSubmittedOnceFixed(draft, typed, repair, games);
  if (isSwapped(typed, games)) {
    const swap: Repair = { field: 'swap', value: '' };
    const swapped = repaired(typed, swap);
    const named = { ...swap, value: typedAddress(swapped) };
    const name = gameNamed(swapped.game, games).name;
    return useButton(draft, swap, repairLabel(t, named, sends(swap) && name));
  }
  const meant: readonly Repair[] = address === undefined ? [] : [{ field: 'server', value: address }];
  return [...meant, ...repairsOf(problem, gameOf(typed.game, games), typed.queryPort)].flatMap((repair) =>
    useButton(draft, repair, repairLabel(t, repair, sends(repair) && gameNamed(typed.game, games).name)),
  );
}

function repairLabel(t: Translate, { field, value, port }: Repair, submittedGame: string | false): string {
  switch (field) {
    case 'queryPort':
      if (port !== undefined && submittedGame)
        return t('again.submitPorts', { value: port, queryPort: value });
      if (port !== undefined) return t('list.button.queryPort', { port: value, count: 1 });
      return t(submittedGame ? 'again.submitNoQueryPort' : 'again.noQueryPort');
    case 'port':
      return t(submittedGame ? 'again.submitPort' : 'again.use', { value });
    default:
      return submittedGame
        ? t('choices.submit', serverLabel(value, submittedGame))
        : t('again.use', { value: labelledAddress(value) });
  }
}

/** A button's label is limited to 80, and also names the game's port. */
const MAX_VALUE_LENGTH = 60;
/** More games get a select menu with up to 25 options. */
export const MAX_GAME_BUTTONS = 4;

/**
 * Builds controls that replace the typed game, and add the new game's default port if only a port is missing. A few games
 * each get a button. Otherwise, a select menu offers all games, and only games that the member may have meant get buttons.
 * If the typed game is known but not allowed, few games are offered in the menu, too: the server runs a different game.
 */
export function gameControls(
  t: Translate,
  draft: Draft,
  { typed, problem }: InvalidRow,
  { near, games }: { readonly near: readonly Game[]; readonly games: readonly Game[] },
  known: KnownGames,
): { readonly buttons: readonly Control[]; readonly choice: Control | undefined } {
  // Keyed by alias, because `near` and `games` contain different objects if the games were fetched again in between.
  const byAlias = new Map([...near, ...games].map((game) => [game.alias, game]));
  const offered = [...byAlias.values()].filter(isSelectable);
  const isFew = offered.length <= MAX_GAME_BUTTONS && problem.code !== 'game-not-allowed';
  const repairs = (some: readonly Game[]) =>
    gameLabels(some).map(({ label, alias }) => {
      const repair = gameRepair(typed, alias);
      const { port } = repair;
      const sends = isSubmittedOnceFixed(draft, typed, repair, known);
      if (port !== undefined) return { repair, sends, label: t('again.gameAndPort', { game: label, port }) };
      const read = readRow(repaired(typed, repair), alias);
      const lacksPort = !read.ok && read.problem.code === 'port-missing';
      return { repair, sends, label: lacksPort ? t('again.needsPort', { game: label }) : label };
    });
  const buttons = repairs(isFew ? offered : near);
  const choices = repairs(
    isFew ? [] : offered.filter(({ alias }) => !near.some((game) => game.alias === alias)),
  );
  const options = choices.map(({ repair, label }) => ({
    label: shorten(label, LIMITS.choiceName),
    value: writeRepair(repair),
  }));
  const fitting = options.filter(({ value }) => value.length <= LIMITS.choiceValue);
  const submits = choices.some(({ sends }) => sends);
  return {
    buttons: buttons.flatMap(({ repair, sends, label: value }) =>
      useButton(
        draft,
        repair,
        t(sends ? 'again.submitAs' : 'again.use', { value: shorten(value, MAX_VALUE_LENGTH) }),
      ),
    ),
    choice: select({
      id: submitId(actionOf(draft), draft.id),
      placeholder: t(submits ? 'list.button.submitAsGame' : 'list.button.selectGame'),
      options: fitting.slice(0, LIMITS.choices),
    }),
  };
}

export function notSubmittedButtons(t: Translate, id: string, reason: NotSubmitted): readonly Control[] {
  switch (reason.code) {
    case 'already-submitted':
      return anywayOrEdit(t, id);
    case 'daily-quota':
    case 'member-limit':
    case 'guild-limit':
      return againOrEdit(t, id, reason.isSoon ? 'primary' : undefined);
    case 'member-waiting':
    case 'guild-waiting':
      return [mineButton(t), ...againOrEdit(t, id, 'primary')];
    // The guild's rules hold back a draft until the member edits it, and a problem with the key until an admin fixes it.
    case 'waiting-already':
      return [mineButton(t), editButton(t, id)];
    case 'game-not-allowed':
      return [editButton(t, id)];
    // The member can't change anything that would help.
    case 'member-blocked':
      return [];
    case 'key-missing':
    case 'key-unreadable':
    case 'key-invalid':
      return againOrEdit(t, id, 'secondary');
    default:
      return againOrEdit(t, id, 'primary');
  }
}

export const mineButton = (t: Translate): Control => button(customId('submissions', 'mine'), t('panel.mine'));

export const outcomeButtons = (t: Translate, id: string, outcome: ServerOutcome): readonly Control[] =>
  outcome.kind === 'unknown' ? anywayOrEdit(t, id) : againOrEdit(t, id, outcomeStyle(outcome));

const anywayOrEdit = (t: Translate, id: string): readonly Control[] => [
  button(submitId('anyway', id), t('again.sendAnyway')),
  editButton(t, id),
];

export const editButton = (t: Translate, id: string): Control =>
  button(submitId('edit', id), t('again.edit'));

/** *Submit again* isn't the primary button if something else has to be fixed first. */
type AgainStyle = 'primary' | 'secondary';

function againOrEdit(t: Translate, id: string, style: AgainStyle | undefined): readonly Control[] {
  const edit = editButton(t, id);
  if (style === undefined) return [edit];
  return [button(submitId('send', id), t('again.submitAgain'), style), edit];
}

const actionOf = (draft: Draft) => (isSubmittedImmediately(draft) ? 'use' : 'repair');

/** Returns an empty list if the value is too long for a custom id. */
function useButton(draft: Draft, repair: Repair, label: string): readonly Control[] {
  const id = submitId(actionOf(draft), draft.id, writeRepair(repair));
  return isCustomId(id) ? [button(id, label, 'primary')] : [];
}

/** A server that wasn't sent can be sent again unchanged, but a rejected server has to be corrected first. */
function outcomeStyle(outcome: ServerOutcome): AgainStyle | undefined {
  if (outcome.kind === 'rejected') return outcome.known === 'invalidKey' ? 'secondary' : undefined;
  if (outcome.kind !== 'not-sent') return undefined;
  return outcome.reason === 'key' ? 'secondary' : 'primary';
}

const writeRepair = ({ field, value, port }: Repair): string =>
  `${port === undefined ? field : `${field}-${port}`}:${value}`;

const FIELDS = ['server', 'game', 'port', 'queryPort', 'swap'] as const;

/**
 * Parses a value written by {@link writeRepair}. Returns `undefined` if the value doesn't name a field.
 * @param written can be forged
 */
export function readRepair(written: string): Repair | undefined {
  const [fieldName = '', ...value] = written.split(':');
  const [name, port] = fieldName.split('-');
  const field = FIELDS.find((known) => known === name);
  return field && { field, value: value.join(':'), ...(port !== undefined && { port }) };
}
