import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIChannelSelectComponent,
  type APIModalInteractionResponseCallbackData,
  type APIRoleSelectComponent,
  type APIStringSelectComponent,
  ButtonStyle,
  type ChannelType,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import type { Secret } from '../../secret.ts';
import { shorten } from '../../words/words.ts';
import { LIMITS } from '../limits.ts';

/** A button, or a select of texts, channels or roles, as Discord takes it. */
export type Control =
  | APIButtonComponent
  | APIStringSelectComponent
  | APIChannelSelectComponent
  | APIRoleSelectComponent;
export type ActionRow = APIActionRowComponent<Control>;
export type Modal = APIModalInteractionResponseCallbackData;

const STYLES = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  success: ButtonStyle.Success,
  danger: ButtonStyle.Danger,
} as const;

export interface ButtonOptions {
  /** `secondary` unless it says otherwise. */
  readonly style?: keyof typeof STYLES;
  readonly disabled?: boolean;
}

/** @param id see `customId` */
export const button = (
  id: string,
  label: string,
  { style = 'secondary', disabled = false }: ButtonOptions = {},
): APIButtonComponent => ({
  type: ComponentType.Button,
  custom_id: id,
  label: shorten(label, LIMITS.buttonLabel),
  style: STYLES[style],
  ...(disabled && { disabled }),
});

export const linkButton = (url: string, label: string): APIButtonComponent => ({
  type: ComponentType.Button,
  url,
  label: shorten(label, LIMITS.buttonLabel),
  style: ButtonStyle.Link,
});

export interface SelectOption {
  readonly label: string;
  readonly value: string;
  /** It is chosen already. */
  readonly default?: boolean;
}

export interface SelectOptions {
  readonly id: string;
  readonly placeholder: string;
  /** At most 25. */
  readonly options: readonly SelectOption[];
  /** Any number of the options may be chosen, none too; without it one is. */
  readonly any?: boolean;
}

/** `undefined` without options, since Discord takes no such select. */
export function select({ id, placeholder, options, any = false }: SelectOptions): Control | undefined {
  if (options.length === 0) return undefined;
  return {
    type: ComponentType.StringSelect,
    custom_id: id,
    placeholder: shorten(placeholder, LIMITS.selectPlaceholder),
    options: [...options],
    ...(any && { min_values: 0, max_values: options.length }),
  };
}

export interface ChannelSelectOptions {
  readonly id: string;
  readonly placeholder: string;
  readonly types: readonly ChannelType[];
}

export const channelSelect = ({ id, placeholder, types }: ChannelSelectOptions): Control => ({
  type: ComponentType.ChannelSelect,
  custom_id: id,
  placeholder: shorten(placeholder, LIMITS.selectPlaceholder),
  channel_types: [...types],
});

/** One role of the guild; @everyone is offered too. */
export const roleSelect = ({
  id,
  placeholder,
}: Pick<ChannelSelectOptions, 'id' | 'placeholder'>): Control => ({
  type: ComponentType.RoleSelect,
  custom_id: id,
  placeholder: shorten(placeholder, LIMITS.selectPlaceholder),
});

/**
 * Rows of controls, each row up to five buttons or one select. What is absent is left out, and so is a row without
 * anything.
 */
export function rows(...lines: readonly (readonly (Control | false | undefined)[])[]): readonly ActionRow[] {
  return lines
    .map((line) => line.filter((control) => control !== undefined && control !== false))
    .filter((line) => line.length > 0)
    .map((components) => ({ type: ComponentType.ActionRow, components }));
}

/** A field to type in. */
export interface FieldOptions {
  /** What the handler asks for its text by. */
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly example?: string;
  /** What stands in it already. */
  readonly value?: string;
  /** Characters; `least` is 1 for a field that may not be left empty. */
  readonly least?: number;
  readonly most: number;
  /** More than one line. */
  readonly long?: boolean;
}

export interface ModalOptions {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly FieldOptions[];
}

/** A window with fields to type in. */
export const modal = ({ id, title, fields }: ModalOptions): Modal => ({
  custom_id: id,
  title: shorten(title, LIMITS.modalTitle),
  components: fields.map(({ id, label, hint, example, value = '', least = 0, most, long = false }) => ({
    type: ComponentType.Label,
    label: shorten(label, LIMITS.fieldLabel),
    description: shorten(hint, LIMITS.fieldHint),
    component: {
      type: ComponentType.TextInput,
      custom_id: id,
      style: long ? TextInputStyle.Paragraph : TextInputStyle.Short,
      ...(example !== undefined && { placeholder: shorten(example, LIMITS.fieldExample) }),
      ...(value !== '' && { value }),
      ...(least > 0 && { min_length: least }),
      max_length: most,
      required: least > 0,
    },
  })),
});

/** The custom id of a component or modal: which command and action it belongs to, and the state it carries. */
export function customId(command: string, action: string, argument = ''): string {
  return `${command}:${action}:${argument}`;
}

/** Whether a custom id leaves room for its seal. */
export const isCustomId = (id: string): boolean => id.length + SEAL_LENGTH <= LIMITS.customId;

/** The reverse of {@link customId}; the argument may contain colons. */
export function parseCustomId(id: string): { command: string; action: string; argument: string } {
  const [command = '', action = '', ...rest] = id.split(':');
  return { command, action, argument: rest.join(':') };
}

/** Whom a button, select or modal is for: a guild, and one member of it unless everyone there may use it. */
export interface Owner {
  readonly guildId: string;
  readonly userId?: string;
}

/** Custom ids with a seal, so that a component works only where, and for whom, this bot has put it. */
export interface SignedIds {
  /** @throws RangeError when a custom id leaves no room for the seal */
  seal(customId: string, owner: Owner): string;
  /**
   * The custom id as the command gave it; `undefined` when it is forged, of another guild or member, or from before the
   * bot token was reset. Which of these it is cannot be told, so what members read must be true of all of them.
   */
  open(customId: string, by: Required<Owner>): string | undefined;
}

/** 48 bits in base64url: guessing one takes 2^47 presses of a button. */
const SEAL_BYTES = 6;
const SEAL_LENGTH = 8;

/** @param secret survives a restart, so that buttons do; when it changes (a token reset), all older ones are refused */
export function createSignedIds(secret: Secret): SignedIds {
  function sealOf(id: string, { guildId, userId = '' }: Owner): string {
    const message = JSON.stringify(['custom id', guildId, userId, id]);
    return createHmac('sha256', secret.reveal())
      .update(message)
      .digest()
      .subarray(0, SEAL_BYTES)
      .toString('base64url');
  }

  return {
    seal(id, owner) {
      const sealed = id + sealOf(id, owner);
      if (sealed.length > LIMITS.customId)
        throw new RangeError(`the custom id ${id} is too long to be sealed`);
      return sealed;
    },
    open(customId, { guildId, userId }) {
      const id = customId.slice(0, -SEAL_LENGTH);
      const seal = Buffer.from(customId.slice(-SEAL_LENGTH));
      return [{ guildId, userId }, { guildId }].some((owner) => {
        const right = Buffer.from(sealOf(id, owner));
        return seal.length === right.length && timingSafeEqual(seal, right);
      })
        ? id
        : undefined;
    },
  };
}
