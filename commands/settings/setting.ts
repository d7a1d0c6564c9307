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

/** How everything is that /settings shows. */
export interface SettingsView {
  /** What the guild has chosen, with Discord's name of its language as it is now. */
  readonly now: Settings;
  /** Whether what was chosen cannot be read any more, so that `now` is what every guild begins with. */
  readonly isLost: boolean;
  /** What is known of the guild's key; `undefined`: it has none. */
  readonly key: KeyStatus | undefined;
  /** The service's list. */
  readonly games: readonly Game[];
  /** How many submissions wait for a moderator. */
  readonly waiting: number;
  /** The panels that can be changed. */
  readonly panels: readonly Panel[];
}

/** What a button, a select or a modal changes. */
export interface Change {
  /** The settings afterwards. It runs in the transaction of the guild. @throws UserError to refuse */
  readonly make: (before: Settings) => Settings | Promise<Settings>;
  /** What the admin reads above the page besides. */
  readonly said?: string;
  /** The panels, if they have changed. */
  readonly panels?: readonly Panel[];
}

/** What is left out is `false` or `undefined`. */
type Controls = readonly (Control | false | undefined)[];

/** One setting, whole: /settings is made of these. */
export interface Setting {
  /** In custom ids; without a colon. */
  readonly id: string;
  /** What it is called in the list of what can be changed. */
  name(t: Translate): string;
  /** How it is, with a sign: among all settings, on its page, and in the log channel after a change. */
  line(t: Translate, shown: Pick<SettingsView, 'now' | 'games' | 'panels'>): string;
  /** What it is for: the beginning of its page. */
  about(context: Context, now: Settings): string;
  /** What its page says below its line, a line each. */
  notes?(context: Context, shown: SettingsView, wanted: number): readonly string[];
  /**
   * What its page changes it with. Discord takes five rows: four selects, and the buttons, behind which stands "All settings".
   * @param wanted the number of the page where there are several, from 1; anybody could have written it
   */
  controls(
    context: Context,
    shown: SettingsView,
    wanted: number,
  ): { readonly selects?: Controls; readonly buttons?: Controls };
  /**
   * What its buttons and selects do, by the name that {@link changeId} was given.
   * @param now as everything was when it was pressed; `make` sees what holds
   * @param about what stands behind the name
   */
  readonly handlers: Readonly<
    Record<string, (context: PressContext, now: Settings, about: string) => Change | Promise<Change>>
  >;
  /** The modal that {@link modalId} opens. */
  readonly modal?: SettingModal;
  /** Tries whether what is wrong with it is right by now; `undefined` where nothing is. Called when /settings is opened. */
  retry?(context: Context, now: Settings): Promise<Change> | undefined;
  /** Changes what else changes with it. */
  changed?(context: Context & Partial<Pick<PressContext, 'progress'>>): Promise<Omit<Change, 'make'>>;
  /** Tells others of a change, where the line in the log channel does not do. */
  tell?(context: Context, before: Settings, now: Settings): Promise<void>;
}

interface OpenModal extends Omit<ModalOptions, 'id'> {
  /** What `change` is given; absent: what its button says that it is about. */
  readonly about?: string;
}

/** The modal in which something is typed. What its button says that it is about, anybody could have written. */
export interface SettingModal {
  open(context: PressContext, about: string): OpenModal | Promise<OpenModal>;
  /** @throws UserError for what cannot be taken */
  change(context: SubmitContext, about: string): Change | Promise<Change>;
  /** A button that opens the modal again with what was refused. */
  retry?(context: SubmitContext): Control;
}

/**
 * The custom id of what makes a change.
 * @param page the setting whose page is shown afterwards; all settings for an empty one
 */
export const changeId = (setting: string, change: string, page = setting, number = 1): string =>
  customId('settings', 'change', writePage(number, [page, setting, change].join(':')));

/** The custom id of what opens the modal of a setting. @param number of the page that is shown afterwards, if there are several */
export const modalId = (setting: string, about: string, number = 1): string =>
  customId('settings', 'type', writePage(number, `${setting}:${about}`));

/** The signs of how a setting is. */
export const FINE = LOOK.accepted.sign;
export const BROKEN = LOOK.rejected.sign;
export const INCOMPLETE = LOOK['not-sent'].sign;
export const OFF = '➖';

/** Whether a log channel is chosen that takes messages, as far as is known. */
export const hasLog = ({ logChannelId, logTrouble }: Settings): boolean =>
  logChannelId !== undefined && logTrouble === undefined;

/** The channel or role that was chosen. @throws UserError where Discord says that it is none of the guild's */
export function chosenId({ t, values: [id] }: Pick<PressContext, 't' | 'values'>): string {
  if (id === undefined) throw new UserError(t('settings.gone'));
  return id;
}
