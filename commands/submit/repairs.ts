import { hash } from 'node:crypto';
import { LIMITS } from '../../src/discord/limits.ts';
import { button, type Control, customId, isCustomId, select } from '../../src/interactions/controls.ts';
import type { Game, Outcome } from '../../src/listing/contract.ts';
import { gameRepair, type Repair, repairsOf } from '../../src/server-lists/repair.ts';
import type { ServerProblem, TypedRow } from '../../src/server-lists/row.ts';
import type { Refusal } from '../../src/submissions/pipeline.ts';
import { shorten } from '../../src/words/escape.ts';
import { gameLabels, isSelectable } from '../../src/words/games.ts';
import type { Translate } from '../../src/words/words.ts';

/*
 * The buttons under the outcome of one server. `again` submits it as it is, `anyway` even if it was already submitted, `use`
 * with another value in a field, and `edit` opens what was typed in a modal.
 */

interface MeantServer {
  readonly typed: TypedRow;
  /** The games that may have been meant. */
  readonly near: readonly Game[];
  /** The address, if other words stand beside it. */
  readonly address: string | undefined;
}

export function buttonsAfterProblem(
  t: Translate,
  id: string,
  problem: ServerProblem,
  { typed, near, address }: MeantServer,
): readonly Control[] {
  const games = gameRepairs(t, typed, near).map(({ repair, label }) => useButton(id, repair, label));
  const found = address === undefined ? [] : addressButton(t, id, address);
  const repairs = repairsOf(problem).map((repair) => {
    const removes = repair.field === 'queryPort';
    const label = removes ? t('again.noQueryPort') : t('again.use', { value: repair.value });
    return useButton(id, repair, label);
  });
  return [...games, ...found, ...repairs, editButton(t, id)];
}

/** Repairs that put another game in place of the typed one, with its usual port if only the port is missing then. */
function gameRepairs(t: Translate, typed: TypedRow, games: readonly Game[]) {
  return gameLabels(games).map(({ label, alias }) => {
    const repair = gameRepair(typed, alias);
    const { port } = repair;
    return { repair, label: port === undefined ? label : t('again.gameAndPort', { game: label, port }) };
  });
}

/** No button if the address is too long for a custom id; it can still be edited. */
function addressButton(t: Translate, id: string, address: string): readonly Control[] {
  const repair: Repair = { field: 'server', value: address };
  const isShort = isCustomId(customId('addserver', 'use', `${id}:server:${address}`));
  return isShort ? [useButton(id, repair, t('again.use', { value: address }))] : [];
}

/** How many games are offered as buttons; more games are offered in a select. */
const MOST_GAME_BUTTONS = 4;

/** What can be submitted in place of a game that is not allowed: a button for each game, or a select. */
export function gameControls(
  t: Translate,
  id: string,
  typed: TypedRow,
  games: readonly Game[],
): readonly Control[] {
  const repairs = gameRepairs(t, typed, games.filter(isSelectable));
  if (repairs.length <= MOST_GAME_BUTTONS) {
    return repairs.map(({ repair, label }) => useButton(id, repair, label));
  }
  const options = repairs.slice(0, LIMITS.choices).map(({ repair, label }) => ({
    label: shorten(label, LIMITS.choiceName),
    value: argumentOf(id, repair),
  }));
  const chosen = select({
    id: customId('addserver', 'use', id),
    placeholder: t('list.button.selectGame'),
    options,
  });
  return chosen ? [chosen] : [];
}

export function buttonsAfterRefusal(t: Translate, id: string, refusal: Refusal): readonly Control[] {
  if (refusal.code === 'already-submitted') {
    if (refusal.servers[0]?.outcome.kind === 'unknown') return unconfirmedButtons(t, id);
    // Most often the game has to be corrected.
    return [editButton(t, id, 'changeGame'), anywayButton(t, id, 'submitAgain')];
  }
  return [...againButton(t, id, labelAfterRefusal(refusal)), editButton(t, id)];
}

export function buttonsAfterOutcome(t: Translate, id: string, outcome: Outcome): readonly Control[] {
  if (outcome.kind === 'unknown') return unconfirmedButtons(t, id);
  return [...againButton(t, id, labelAfterOutcome(outcome)), editButton(t, id)];
}

/** A server that may have arrived has to be looked up in the list before it is sent again. */
const unconfirmedButtons = (t: Translate, id: string): readonly Control[] => [
  anywayButton(t, id, 'notListed'),
  editButton(t, id),
];

/** A button that submits a server that was already submitted. */
const anywayButton = (t: Translate, id: string, label: 'submitAgain' | 'notListed'): Control =>
  button(customId('addserver', 'anyway', id), t(`again.${label}`));

const editButton = (t: Translate, id: string, label: 'edit' | 'changeGame' = 'edit'): Control =>
  button(customId('addserver', 'edit', id), t(`again.${label}`));

type AgainLabel = 'submitAgain' | 'tryAgain';

/** The style of a button that helps only after something else was done: not the one to press first. */
function againButton(t: Translate, id: string, label: AgainLabel | undefined): readonly Control[] {
  if (label === undefined) return [];
  const style = label === 'tryAgain' ? 'primary' : 'secondary';
  return [button(customId('addserver', 'again', id), t(`again.${label}`), style)];
}

const useButton = (id: string, repair: Repair, label: string): Control =>
  button(customId('addserver', 'use', argumentOf(id, repair)), label, 'primary');

/** A server that was not sent can be sent again as it is; a rejected one has to be corrected first. */
function labelAfterOutcome(outcome: Outcome): AgainLabel | undefined {
  if (outcome.kind === 'rejected') return outcome.known === 'invalidKey' ? 'submitAgain' : undefined;
  if (outcome.kind !== 'not-sent') return undefined;
  return outcome.reason === 'key' ? 'submitAgain' : 'tryAgain';
}

function labelAfterRefusal(refusal: Exclude<Refusal, { code: 'already-submitted' }>): AgainLabel | undefined {
  switch (refusal.code) {
    case 'key-missing':
    case 'key-unreadable':
    case 'key-invalid':
      return 'submitAgain';
    case 'member-limit':
    case 'guild-limit':
    case 'daily-quota':
      // By then the draft is gone.
      return refusal.isSoon ? 'tryAgain' : undefined;
    case 'in-flight':
    case 'member-waiting':
    case 'guild-waiting':
      return 'tryAgain';
    case 'game-not-allowed':
    case 'waiting-already':
      return undefined;
    default:
      return refusal satisfies never;
  }
}

/** The draft of a button, and what it puts into a field; for an alias that is too long for a custom id, a hash of it. */
function argumentOf(id: string, { field, value, port }: Repair): string {
  const argument = `${id}:${port === undefined ? field : `${field}-${port}`}:${value}`;
  if (isCustomId(customId('addserver', 'use', argument))) return argument;
  return `${id}:hash:${hash('sha256', value, 'base64url').slice(0, 22)}`;
}

const FIELDS = ['server', 'game', 'port', 'queryPort'] as const;

/**
 * What a `use` button, or an option of the select of games, puts into a field of a draft.
 * @param argument anybody could have written it
 * @returns no repair when it names none, or a game that the list no longer has
 */
export function readUse(
  argument: string,
  games: readonly Game[],
): { readonly id: string; readonly repair: Repair | undefined } {
  const [id = '', fieldName, ...rest] = argument.split(':');
  const [name, port] = fieldName?.split('-') ?? [];
  const field = FIELDS.find((known) => known === name);
  if (field) return { id, repair: { field, value: rest.join(':'), ...(port !== undefined && { port }) } };
  const ofGames = games.map(({ alias }): Repair => ({ field: 'game', value: alias }));
  return { id, repair: ofGames.find((repair) => argumentOf(id, repair) === argument) };
}
