import { LIMITS } from '../../src/discord/limits.ts';
import { announcedIn, needsApproval, type Settings } from '../../src/guilds/settings.ts';
import type { Context, Reply } from '../../src/interactions/command.ts';
import { type Field, type Modal, rows, type TextField } from '../../src/interactions/controls.ts';
import { cut } from '../../src/text/one-line.ts';
import { escapeName } from '../../src/words/escape.ts';
import { gameHint, gameOption, isSelectable } from '../../src/words/games.ts';
import { keyText } from '../../src/words/keys.ts';
import { namedText, sentences } from '../../src/words/sentences.ts';
import { withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { enterKey } from '../setkey.ts';

/**
 * Opens the modal for a panel's button. Without a readable key, explains who can set one instead. The modal still opens if
 * the key was rejected, because the service might accept it again.
 */
export async function fromPanel(
  context: Context,
  { keys }: CommandDeps,
  open: () => Promise<Modal>,
): Promise<Modal | Reply> {
  const noKey = await keys.problem(context.guildId);
  if (noKey === undefined || noKey.code === 'key-invalid') return open();
  return {
    content: withSign('not-sent', keyText(noKey, context)),
    components: rows([enterKey(context)]),
    isUserError: true,
  };
}

/**
 * Explains whether a submission needs approval and where it will be announced.
 * @param panelChannelId the channel of the panel used for the submission
 */
export function nextStepsText(
  context: Context,
  panelChannelId: string | undefined,
  settings: Settings,
): string {
  const { t, channelId } = context;
  const waits = needsApproval(settings, context);
  const where = announcedIn(settings, { channelId: waits ? undefined : channelId, panelChannelId });
  return sentences(
    waits ? t('modal.moderator') : undefined,
    where === undefined ? undefined : t('modal.announced', { channelId: where }),
  );
}

/** Applies if a select menu can't show all the allowed games. */
const MAX_GAMES_NAMED = 10;

/** `hint` is only used for a select menu. A text field's hint names games instead. */
interface GameField extends Pick<TextField, 'label' | 'hint'> {
  readonly typed: string;
  readonly required: boolean;
  /** Whether a select menu also offers `typed` if it isn't an allowed game. */
  readonly keepsTyped?: boolean;
  /** A moderator's correction doesn't submit anything. */
  readonly isCorrection?: boolean;
}

/**
 * Builds the field for the game: a select menu, or a text field if a select menu can't show all the games.
 * @returns the field, the allowed games, and text to show above the field: whether a key is missing, which games are
 * allowed, and what happens to the submission
 */
export async function gamePart(context: Context, wanted: GameField, deps: CommandDeps) {
  const { t, guildId } = context;
  const { games, suggestions, keys } = deps;
  const allowed = await suggestions.allowed(guildId);
  const noKey = await keys.problem(guildId);
  const settings = await deps.settings.getOrUnreadable(guildId);
  const hasExcludedGames = allowed.length < games.all.length;
  const { label, hint, typed, required } = wanted;
  const chosen = games.find(typed) ?? { alias: typed, name: typed };
  const isLost = wanted.keepsTyped === true && !allowed.some(({ alias }) => alias === chosen.alias);
  const kept = isLost ? [{ ...chosen, name: t('panel.gameNotAllowed', { game: chosen.name }) }] : [];
  const options = [...allowed, ...kept].filter(isSelectable).map(gameOption);
  const isSelect =
    (hasExcludedGames || games.isFresh()) && allowed.length > 0 && options.length <= LIMITS.choices;
  const field: Field = isSelect
    ? {
        kind: 'select',
        id: 'game',
        label,
        hint,
        placeholder: t('list.button.selectGame'),
        options: options.map((option) => ({ ...option, default: option.value === chosen.alias })),
        required,
      }
    : {
        id: 'game',
        label,
        hint: gameHint(t, allowed),
        value: cut(typed, LIMITS.choiceValue),
        minLength: required ? 1 : 0,
        maxLength: LIMITS.choiceValue,
      };
  const names = allowed.slice(0, MAX_GAMES_NAMED).map(({ name }) => escapeName(name));
  const texts = [
    noKey && keyText(noKey, context),
    hasExcludedGames && !isSelect && t('modal.someGames', { games: namedText(t, names, allowed.length) }),
    wanted.isCorrection !== true &&
      settings !== 'unreadable' &&
      nextStepsText(context, context.panelChannelId, settings),
  ];
  return { allowed, field, text: texts.filter(Boolean).join('\n\n') };
}
