import { LIMITS } from '../src/discord/limits.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { Context } from '../src/interactions/command.ts';
import type { Field, ModalOptions, TextField } from '../src/interactions/controls.ts';
import type { Game } from '../src/listing/contract.ts';
import type { Games } from '../src/listing/games.ts';
import type { Suggestions } from '../src/submissions/suggestions.ts';
import { cut, escapeName } from '../src/words/escape.ts';
import { gameHint, gameOption, isSelectable } from '../src/words/games.ts';
import { keyText } from '../src/words/keys.ts';
import { namedText } from '../src/words/sentences.ts';

/* What all modals for game servers have in common. */

export interface ModalDeps {
  readonly games: Games;
  readonly suggestions: Pick<Suggestions, 'allowed'>;
  readonly keys: Pick<ApiKeys, 'rememberedProblem'>;
}

/** How many games are named if a select has no room for all that may be submitted. */
const MOST_NAMED = 10;

/** What is to be known before anything is entered: that there is no key, and which games may be submitted. */
export async function modalText(
  context: Context,
  allowed: readonly Game[],
  deps: ModalDeps,
): Promise<Pick<ModalOptions, 'text'>> {
  const { t, guildId } = context;
  const noKey = await deps.keys.rememberedProblem(guildId);
  const isToTell = isLimited(allowed, deps) && optionsOf(allowed, deps) === undefined;
  const names = allowed.slice(0, MOST_NAMED).map(({ name }) => escapeName(name));
  const texts = [
    noKey && keyText(noKey, context),
    isToTell && t('window.someGames', { games: namedText(t, names, allowed.length) }),
  ].filter(Boolean);
  return texts.length === 0 ? {} : { text: texts.join('\n\n') };
}

/** The hint is that of a select; for a text it names games. */
interface GameField extends Pick<TextField, 'label' | 'hint'> {
  /** What the field shows at first, as somebody typed it. */
  readonly typed: string;
  readonly required: boolean;
}

/** A field to choose the game, or to type it if a select has no room for all games. */
export function gameField(
  { t }: Context,
  allowed: readonly Game[],
  { label, hint, typed, required }: GameField,
  deps: ModalDeps,
): Field {
  const options = optionsOf(allowed, deps);
  if (options === undefined) {
    return {
      id: 'game',
      label,
      hint: gameHint(t, allowed),
      value: cut(typed, LIMITS.choiceValue),
      least: required ? 1 : 0,
      most: LIMITS.choiceValue,
    };
  }
  const chosen = deps.games.find(typed)?.alias;
  return {
    kind: 'select',
    id: 'game',
    label,
    hint,
    placeholder: t('list.button.selectGame'),
    options: options.map((option) => ({ ...option, default: option.value === chosen })),
    required,
  };
}

/** Whether the admins have chosen some of the games. */
const isLimited = (allowed: readonly Game[], { games }: ModalDeps): boolean =>
  allowed.length < games.all.length;

/**
 * The games as options of a select. `undefined` if a select has no room for them, there are none, or the service's own list
 * is not known: then any alias can be typed.
 */
function optionsOf(allowed: readonly Game[], deps: ModalDeps) {
  const options = allowed.filter(isSelectable).map(gameOption);
  const areAll = deps.games.isFresh() || isLimited(allowed, deps);
  return areAll && options.length > 0 && options.length <= LIMITS.choices ? options : undefined;
}
