import { hash, randomBytes } from 'node:crypto';
import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIChannelSelectComponent,
  type APIComponentInLabel,
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  type APIRoleSelectComponent,
  type APIStringSelectComponent,
  type APITextInputComponent,
  type APIUserSelectComponent,
  ButtonStyle,
  type ChannelType,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import { LIMITS } from '../discord/limits.ts';
import { shorten } from '../text/one-line.ts';
import { shortenMarkup } from '../words/escape.ts';

export type Control =
  | APIButtonComponent
  | APIStringSelectComponent
  | APIChannelSelectComponent
  | APIRoleSelectComponent
  | APIUserSelectComponent;
export type ActionRow = APIActionRowComponent<Control>;
export type Modal = APIModalInteractionResponseCallbackData;

const STYLES = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  success: ButtonStyle.Success,
  danger: ButtonStyle.Danger,
} as const;

export const button = (
  id: string,
  label: string,
  style: keyof typeof STYLES = 'secondary',
): APIButtonComponent => ({
  type: ComponentType.Button,
  custom_id: id,
  label: shorten(label, LIMITS.buttonLabel),
  style: STYLES[style],
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
  /** Small text below the label; may be empty. */
  readonly description?: string;
  readonly default?: boolean;
}

export interface SelectOptions {
  readonly id: string;
  readonly placeholder: string;
  /** Up to 25 options. */
  readonly options: readonly SelectOption[];
  /** By default, exactly one option has to be chosen. With this minimum, any higher number can be chosen. */
  readonly minChosen?: 0 | 1;
}

/** Returns `undefined` without options, because Discord would reject the select. */
export function select({ id, placeholder, options, minChosen }: SelectOptions): Control | undefined {
  if (options.length === 0) return undefined;
  const one = {
    type: ComponentType.StringSelect as const,
    ...emptySelect(id, placeholder),
    options: options.map(({ description = '', ...option }) =>
      description === '' ? option : { ...option, description },
    ),
  };
  return minChosen === undefined ? one : { ...one, min_values: minChosen, max_values: options.length };
}

export const channelSelect = (id: string, placeholder: string, types: readonly ChannelType[]): Control => ({
  type: ComponentType.ChannelSelect,
  ...emptySelect(id, placeholder),
  channel_types: [...types],
});

/** Includes @everyone. */
export const roleSelect = (id: string, placeholder: string): Control => ({
  type: ComponentType.RoleSelect,
  ...emptySelect(id, placeholder),
});

export const userSelect = (id: string, placeholder: string): Control => ({
  type: ComponentType.UserSelect,
  ...emptySelect(id, placeholder),
});

const emptySelect = (id: string, placeholder: string) => ({
  custom_id: newId(id),
  placeholder: shorten(placeholder, LIMITS.selectPlaceholder),
});

/** Discord docs: Component Reference, Action Row. */
const MAX_BUTTONS_PER_ROW = 5;

/** Builds action rows from lines, each with buttons or one select. Omits absent controls, and wraps after five buttons. */
export function rows(...lines: readonly (readonly (Control | false | undefined)[])[]): readonly ActionRow[] {
  return lines.flatMap((line) => {
    const controls = line.filter((control) => control !== undefined && control !== false);
    const count = Math.ceil(controls.length / MAX_BUTTONS_PER_ROW);
    return Array.from({ length: count }, (_, index) => ({
      type: ComponentType.ActionRow as const,
      components: controls.slice(index * MAX_BUTTONS_PER_ROW, (index + 1) * MAX_BUTTONS_PER_ROW),
    }));
  });
}

interface LabelledField {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

export interface TextField extends LabelledField {
  readonly kind?: 'text';
  readonly example?: string;
  readonly value?: string;
  /** A minimum of 1 or more makes the field required. */
  readonly minLength?: number;
  readonly maxLength: number;
  readonly isMultiline?: boolean;
}

/** A select in which at most one option can be chosen. */
export interface SelectField extends LabelledField {
  readonly kind: 'select';
  readonly placeholder: string;
  /** 1 to 25 options. */
  readonly options: readonly SelectOption[];
  readonly required: boolean;
}

export interface FileField extends LabelledField {
  readonly kind: 'file';
  readonly extensions: readonly `.${string}`[];
}

export type Field = TextField | SelectField | FileField;

export interface ModalOptions {
  readonly id: string;
  readonly title: string;
  /** Text shown above the fields. */
  readonly text?: string;
  readonly fields: readonly Field[];
  /** Whether the typed text must never be shown again in a later modal. */
  readonly isSecret?: true;
}

/**
 * Builds a modal (called a "form" in messages to members). On phones, Discord shows the previous text and input again if a
 * modal has the same custom id. An empty modal keeps its custom id until its content changes, so members who close it by
 * accident don't lose their input.
 */
export function modal({ id, title, text = '', fields, isSecret }: ModalOptions): Modal {
  const shown = {
    title: shorten(title, LIMITS.modalTitle),
    components: [
      ...(text === ''
        ? []
        : [{ type: ComponentType.TextDisplay as const, content: shortenMarkup(text, LIMITS.modalText) }]),
      ...fields.map(labelled),
    ],
  };
  const isNew = isSecret || fields.some(isFilled);
  return { custom_id: isNew ? newId(id) : withMark(id, markOf(JSON.stringify(shown))), ...shown };
}

function isFilled(field: Field): boolean {
  if (field.kind === 'file') return false;
  if (field.kind === 'select') return field.options.some((option) => option.default);
  return field.value !== undefined && field.value !== '';
}

const labelled = (field: Field): APILabelComponent => ({
  type: ComponentType.Label,
  label: shorten(field.label, LIMITS.fieldLabel),
  ...(field.hint !== undefined && { description: shorten(field.hint, LIMITS.fieldHint) }),
  component: componentOf(field),
});

function componentOf(field: Field): APIComponentInLabel {
  switch (field.kind) {
    case 'select':
      return {
        type: ComponentType.StringSelect,
        custom_id: field.id,
        placeholder: shorten(field.placeholder, LIMITS.selectPlaceholder),
        options: [...field.options],
        // Discord's default is 1, even for an optional select.
        min_values: field.required ? 1 : 0,
        required: field.required,
      };
    case 'file':
      return {
        type: ComponentType.FileUpload,
        custom_id: field.id,
        file_types: [...field.extensions],
        min_values: 0,
        max_values: 1,
        required: false,
      };
    default:
      return textInput(field);
  }
}

const textInput = ({
  id,
  example,
  value = '',
  minLength = 0,
  maxLength,
  isMultiline,
}: TextField): APITextInputComponent => ({
  type: ComponentType.TextInput,
  custom_id: id,
  style: isMultiline ? TextInputStyle.Paragraph : TextInputStyle.Short,
  ...(example !== undefined && { placeholder: shorten(example, LIMITS.fieldExample) }),
  ...(value !== '' && { value }),
  min_length: minLength,
  max_length: maxLength,
  required: minLength > 0,
});

export function customId(command: string, action: string, argument = ''): string {
  return `${command}:${action}:${argument}`;
}

export const isCustomId = (id: string): boolean => id.length <= LIMITS.customId;

const NEW_MARK = /#[0-9a-f]{6}$/;

/**
 * Builds a custom id that is different each time, because Discord remembers choices and typed text by custom id.
 * - Choosing an option that is already selected doesn't send an interaction, even after the message has been edited
 *   (discord-api-docs#4801, #7765). A select with a new id starts empty.
 * - On phones, a modal shows the first content that was displayed under its id (discord-api-docs#7554).
 */
const newId = (id: string): string => withMark(id, randomBytes(3).toString('hex'));

const withMark = (id: string, mark: string): string => `${id.replace(NEW_MARK, '')}#${mark}`;

export const markOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 6);

/** Returns a message's components with new ids for its selects, so that every option can be chosen again. */
export function renewed(components: readonly unknown[]): readonly unknown[] {
  const renew = (key: string, value: unknown) =>
    key === 'custom_id' && NEW_MARK.test(String(value)) ? newId(String(value)) : value;
  return JSON.parse(JSON.stringify(components, renew));
}

export const customIdsOf = (components: readonly unknown[]): readonly string[] =>
  components
    .flatMap((row) => Object(row).components ?? [])
    .flatMap((control) => Object(control).custom_id ?? []);

/** The argument may contain colons. */
export function parseCustomId(id: string): { command: string; action: string; argument: string } {
  const [command = '', action = '', ...rest] = id.replace(NEW_MARK, '').split(':');
  return { command, action, argument: rest.join(':') };
}
