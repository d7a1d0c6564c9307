import type { KeyStatus } from '../../src/guilds/api-keys.ts';
import type { Panel } from '../../src/guilds/panels.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import type { Context, PressContext, Reply, SubmitContext } from '../../src/interactions/command.ts';
import {
  type Control,
  customId,
  type ModalOptions,
  markOf,
  parseCustomId,
} from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { Game } from '../../src/listing/contract.ts';
import { LOOK } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';

export interface SettingsView {
  /** Contains the guild's current Discord locale. */
  readonly now: Settings;
  /** Whether the stored settings can't be read. If so, `now` contains the defaults. */
  readonly isLost: boolean;
  readonly key: KeyStatus | undefined;
  readonly games: readonly Game[];
  readonly waitingCount: number;
  readonly panels: readonly Panel[];
  readonly blocks: number;
}

export interface Change {
  /**
   * Returns the new settings. Runs in the guild's transaction.
   * @throws UserError if the change isn't possible
   */
  readonly make: (before: Settings) => Settings | Promise<Settings>;
  readonly textAbove?: string;
  readonly reopen?: Reopen;
  /** `undefined` if the change left the panels unchanged. */
  readonly panels?: readonly Panel[];
  /** Describes the change for the log channel, if it didn't change the settings. */
  readonly logged?: (t: Translate) => string;
}

export class UnconfirmedError extends UserError {
  /** The confirmation button's `change` argument for {@link changeId}, and its label. */
  readonly confirmation: { readonly change: string; readonly label: string };
  constructor(message: string, confirmation: UnconfirmedError['confirmation']) {
    super(message);
    this.confirmation = confirmation;
  }
}

/** Adds a button to the page that opens a form with the rejected input. */
export class RejectedInputError extends UserError {
  readonly reopen: Reopen;
  constructor(message: string, reopen: Reopen) {
    super(message);
    this.reopen = reopen;
  }
}

export interface Reopen {
  readonly control: Control;
  /** Shows input that is too long for a custom id. The modal reads it from the message. */
  readonly embeds?: Reply['embeds'];
}

/** `false` and `undefined` are skipped. */
type Controls = readonly (Control | false | undefined)[];

export interface Setting {
  /** An id without colons, for use in custom ids. */
  readonly id: string;
  name(t: Translate): string;
  /** Formats the value with a status icon, for the overview, the setting's page, and the log channel after a change. */
  line(t: Translate, shown: Pick<SettingsView, 'now' | 'key' | 'games' | 'panels' | 'blocks'>): string;
  /** The line in the overview, if only the setting's page can show the value, because it asks Discord for it. */
  overviewLine?(t: Translate, shown: Pick<SettingsView, 'now' | 'panels'>): string;
  /** Describes the setting's purpose, shown at the top of its page. */
  about(context: Context, now: Settings): string;
  /** Names the parts of a value that a change added and removed, in place of the line in the log channel. */
  difference?(t: Translate, before: SettingsView, after: SettingsView): string | undefined;
  /** Whether the setting only works with a log channel. Its page then also shows the log channel. */
  readonly needsLog?: boolean;
  /** Describes the setting's parts, with a status icon each, below the value on its page and in the log channel if changed. */
  states?(t: Translate, shown: Pick<SettingsView, 'now'>): Readonly<Record<string, string>>;
  /** Returns the page's last lines. */
  notes?(context: Context, shown: SettingsView, wanted: number): readonly string[];
  /**
   * Returns the controls on the setting's page. Discord allows five rows: up to four select menus and one row of buttons,
   * which ends with "All settings".
   * @param wanted the page number, starting at 1, if there is more than one page; can be forged
   */
  controls(
    context: Context,
    shown: SettingsView,
    wanted: number,
  ): { readonly selects?: Controls; readonly buttons?: Controls };
  /**
   * Handlers for the setting's buttons and select menus, keyed by the name that was passed to {@link changeId}.
   * @param now the settings when the control was used; `make` gets the current settings
   * @param about the part of the custom id after the name
   */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly modal?: SettingModal;
  /** Shows a list in place of the setting's page. */
  list?(context: Context): Promise<Reply>;
  /** Asks Discord for changes when an admin opens the page. Discord allows 3 seconds for the reply. */
  opened?(context: Context, now: Settings): Promise<Partial<Pick<Change, 'textAbove' | 'panels'>>>;
  /** Rechecks a known problem when an admin opens /settings. Returns `undefined` without a known problem. */
  retry?(context: Context, now: Settings): Promise<Change> | undefined;
  /** After a change, updates everything else that depends on the setting. */
  changed?(context: Context & Partial<Pick<PressContext, 'progress'>>): Promise<Omit<Change, 'make'>>;
  /** Reports a change, in place of the usual line in the log channel. */
  report?(context: Context, before: Settings, now: Settings): Promise<void>;
}

type Handler = (context: PressContext, now: Settings, about: string) => Change | Promise<Change>;

interface OpenModal extends Omit<ModalOptions, 'id'> {
  /** The `about` argument for `change`. Defaults to the `about` argument of `open`. */
  readonly about?: string;
}

/** `about` is part of a custom id and can be forged. */
interface SettingModal {
  open(context: PressContext, about: string): OpenModal | Promise<OpenModal>;
  /** @throws UserError if the input isn't valid, or RejectedInputError if the admin can edit it */
  change(context: SubmitContext, about: string): Change | Promise<Change>;
}

/**
 * Builds the custom id of a control that makes a change.
 * @param page the setting to show afterwards, or '' for the overview
 */
export const changeId = (setting: string, change: string, page = setting, number = 1): string =>
  customId('settings', 'change', writePage(number, [page, setting, change].join(':')));

/**
 * Builds the custom id of a control that opens a setting's modal.
 * @param number the page number to show afterwards, for settings with more than one page
 */
export const modalId = (setting: string, about: string, number = 1): string =>
  customId('settings', 'type', writePage(number, `${setting}:${about}`));

export const FINE = LOOK.accepted.sign;
export const BROKEN = LOOK.rejected.sign;
export const INCOMPLETE = LOOK['not-sent'].sign;
export const OFF = '➖';

export const hasLog = ({ logChannelId, logTrouble }: Settings): boolean =>
  logChannelId !== undefined && logTrouble === undefined;

/**
 * Returns the options that an admin switched in a menu, and whether each is on now. Leaves out every option that is the same
 * as in the menu's message: another admin may have switched it since.
 */
export function switchedOptions({
  argument,
  shown,
  values,
}: Pick<PressContext, 'argument' | 'shown' | 'values'>): ReadonlyMap<string, boolean> {
  const options = shown.components
    .flatMap((row) => Object(row).components ?? [])
    .filter((control) => parseCustomId(String(Object(control).custom_id)).argument === argument)
    .flatMap((control) => Object(control).options ?? [])
    .map((option) => ({ value: String(Object(option).value), wasOn: Object(option).default === true }));
  return new Map(
    options
      .filter(({ value, wasOn }) => values.includes(value) !== wasOn)
      .map(({ value, wasOn }) => [value, !wasOn]),
  );
}

export function withSwitched(
  list: readonly string[],
  switched: ReadonlyMap<string, boolean>,
): readonly string[] {
  const added = [...switched].flatMap(([value, isOn]) => (isOn ? value : []));
  return [...new Set([...list.filter((value) => switched.get(value) !== false), ...added])];
}

/**
 * Returns the value to store after an admin submitted a form. Another admin may have changed the stored value since the form
 * was opened.
 * @param mark the {@link markOf} the value that the form showed
 * @returns `undefined` if both admins changed the value
 */
export function valueAfterForm(mark: string, typed: string, stored: string): string | undefined {
  if (markOf(typed) === mark) return stored;
  return markOf(stored) === mark || typed === stored ? typed : undefined;
}

/** @throws UserError if Discord doesn't confirm that the chosen channel or role belongs to the guild */
export function chosenId({ t, values: [id] }: Pick<PressContext, 't' | 'values'>): string {
  if (id === undefined) throw new UserError(t('settings.choiceGone'));
  return id;
}

/**
 * Checks that a removal button still applies to the role or channel shown on the page.
 * @param shownId the id in the button's custom id; empty in version 0.4.0
 * @throws UserError with the message if another admin has chosen a different one since
 */
export function checkShown(shownId: string, chosen: string | undefined, message: string): void {
  if (shownId !== '' && chosen !== undefined && chosen !== shownId) throw new UserError(message);
}

/**
 * Creates the handler of a button that removes the role or channel that the page showed. See {@link checkShown}.
 * @param withoutRelated removes what belongs to the role or channel from the other settings
 */
export const removal =
  (
    name: 'notifyRoleId' | 'trustedRoleId' | 'approvalRoleId' | 'announceChannelId',
    message: 'settings.otherChosen' | 'settings.otherChannelChosen',
    withoutRelated = (others: Settings): Settings => others,
  ): Handler =>
  ({ t }, _now, shownId) => ({
    make({ [name]: chosen, ...others }) {
      checkShown(shownId, chosen, t(message));
      return withoutRelated(others);
    },
  });
