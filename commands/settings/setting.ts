import type { KeyStatus } from '../../src/guilds/api-keys.ts';
import type { Panel } from '../../src/guilds/panels.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import type { Context, PressContext, SubmitContext } from '../../src/interactions/command.ts';
import { type Control, customId, type ModalOptions } from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import type { Game } from '../../src/listing/contract.ts';
import { UserError } from '../../src/user-error.ts';
import { LOOK } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';

/** Everything that /settings shows. */
export interface SettingsView {
  /** The guild's settings, with the language that Discord now reports for it. */
  readonly now: Settings;
  /** Whether the stored settings can't be read, in which case `now` contains the defaults. */
  readonly isLost: boolean;
  /** The status of the guild's key; `undefined` if there is no key. */
  readonly key: KeyStatus | undefined;
  /** The service's list of games. */
  readonly games: readonly Game[];
  /** How many submissions are waiting for a moderator. */
  readonly waiting: number;
  /** The panels that can be changed. */
  readonly panels: readonly Panel[];
}

/** A change that a button, a select or a modal makes. */
export interface Change {
  /**
   * Returns the new settings. Runs in the guild's transaction.
   * @throws UserError if the change isn't possible
   */
  readonly make: (before: Settings) => Settings | Promise<Settings>;
  /** An additional text above the page. */
  readonly said?: string;
  /** The panels, if they have changed. */
  readonly panels?: readonly Panel[];
}

/** Thrown to ask the admin to confirm a change with a button. */
export class UnconfirmedError extends UserError {
  /** The name of the handler that makes the change anyway, and the button's label. */
  readonly confirmation: { readonly change: string; readonly label: string };
  constructor(message: string, confirmation: UnconfirmedError['confirmation']) {
    super(message);
    this.confirmation = confirmation;
  }
}

/** Controls of a page; `false` and `undefined` are skipped. */
type Controls = readonly (Control | false | undefined)[];

/** One of the settings that /settings shows. */
export interface Setting {
  /** Used in custom ids, so it doesn't contain a colon. */
  readonly id: string;
  /** Returns its name in the list of settings to change. */
  name(t: Translate): string;
  /** Returns its value with a sign. Used in the overview, on its page, and in the log channel after a change. */
  line(t: Translate, shown: Pick<SettingsView, 'now' | 'games' | 'panels'>): string;
  /** Describes its purpose at the top of its page. */
  about(context: Context, now: Settings): string;
  /** Returns the lines below its value on its page. */
  notes?(context: Context, shown: SettingsView, wanted: number): readonly string[];
  /**
   * Returns the controls of its page. Discord allows five rows: four selects and the buttons, the last of which is "All
   * settings".
   * @param wanted the page number, starting at 1, if there are several pages; can be forged
   */
  controls(
    context: Context,
    shown: SettingsView,
    wanted: number,
  ): { readonly selects?: Controls; readonly buttons?: Controls };
  /**
   * The actions of its buttons and selects, by the name that was passed to {@link changeId}.
   * @param now the settings when the control was used; `make` gets the settings when the change is made
   * @param about the part of the custom id after the name
   */
  readonly handlers: Readonly<
    Record<string, (context: PressContext, now: Settings, about: string) => Change | Promise<Change>>
  >;
  /** The modal that {@link modalId} opens. */
  readonly modal?: SettingModal;
  /** Checks whether a problem has been solved; `undefined` if there is no problem. Called when an admin opens /settings. */
  retry?(context: Context, now: Settings): Promise<Change> | undefined;
  /** Updates everything else that depends on the setting. */
  changed?(context: Context & Partial<Pick<PressContext, 'progress'>>): Promise<Omit<Change, 'make'>>;
  /** Notifies others of a change. Replaces the line in the log channel. */
  report?(context: Context, before: Settings, now: Settings): Promise<void>;
}

interface OpenModal extends Omit<ModalOptions, 'id'> {
  /** Passed to `change`. If absent, `change` gets the same `about` as `open`. */
  readonly about?: string;
}

/** The modal of a setting. `about` is part of a custom id and can be forged. */
export interface SettingModal {
  open(context: PressContext, about: string): OpenModal | Promise<OpenModal>;
  /** @throws UserError if the input can't be accepted */
  change(context: SubmitContext, about: string): Change | Promise<Change>;
  /** Builds a button that reopens the modal with the rejected input. */
  retry?(context: SubmitContext): Control;
}

/**
 * Builds the custom id of a control that makes a change.
 * @param page the setting whose page is shown afterwards; if empty, all settings
 */
export const changeId = (setting: string, change: string, page = setting, number = 1): string =>
  customId('settings', 'change', writePage(number, [page, setting, change].join(':')));

/**
 * Builds the custom id of a control that opens the modal of a setting.
 * @param number the number of the page that is shown afterwards, if there are several
 */
export const modalId = (setting: string, about: string, number = 1): string =>
  customId('settings', 'type', writePage(number, `${setting}:${about}`));

/** The signs for the status of a setting. */
export const FINE = LOOK.accepted.sign;
export const BROKEN = LOOK.rejected.sign;
export const INCOMPLETE = LOOK['not-sent'].sign;
export const OFF = '➖';

/** Whether there is a log channel that accepts messages, as far as the bot knows. */
export const hasLog = ({ logChannelId, logTrouble }: Settings): boolean =>
  logChannelId !== undefined && logTrouble === undefined;

/**
 * Returns the chosen channel or role.
 * @throws UserError if it doesn't belong to the guild, according to Discord
 */
export function chosenId({ t, values: [id] }: Pick<PressContext, 't' | 'values'>): string {
  if (id === undefined) throw new UserError(t('settings.gone'));
  return id;
}
