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
  ButtonStyle,
  type ChannelType,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import { LIMITS } from '../discord/limits.ts';
import { shorten, shortenMarkup } from '../words/escape.ts';

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

/** @param id see `customId` */
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
  /** It is chosen already. */
  readonly default?: boolean;
}

export interface SelectOptions {
  readonly id: string;
  readonly placeholder: string;
  /** At most 25. */
  readonly options: readonly SelectOption[];
  /** Any number of the options may be chosen, and at least so many; absent: exactly one. */
  readonly least?: 0 | 1;
}

/** `undefined` without options, since Discord takes no such select. */
export function select({ id, placeholder, options, least }: SelectOptions): Control | undefined {
  if (options.length === 0) return undefined;
  const one = {
    type: ComponentType.StringSelect as const,
    ...emptySelect(id, placeholder),
    options: [...options],
  };
  return least === undefined ? one : { ...one, min_values: least, max_values: options.length };
}

export const channelSelect = (id: string, placeholder: string, types: readonly ChannelType[]): Control => ({
  type: ComponentType.ChannelSelect,
  ...emptySelect(id, placeholder),
  channel_types: [...types],
});

/** One role of the guild; @everyone is offered too. */
export const roleSelect = (id: string, placeholder: string): Control => ({
  type: ComponentType.RoleSelect,
  ...emptySelect(id, placeholder),
});

const emptySelect = (id: string, placeholder: string) => ({
  custom_id: newId(id),
  placeholder: shorten(placeholder, LIMITS.selectPlaceholder),
});

/** Buttons in a row (Discord docs: Component Reference, Action Row). */
const MOST_BUTTONS = 5;

/**
 * Rows of controls, each of buttons or one select. What is absent is left out, and more than five buttons take another
 * row.
 */
export function rows(...lines: readonly (readonly (Control | false | undefined)[])[]): readonly ActionRow[] {
  return lines.flatMap((line) => {
    const controls = line.filter((control) => control !== undefined && control !== false);
    const count = Math.ceil(controls.length / MOST_BUTTONS);
    return Array.from({ length: count }, (_, index) => ({
      type: ComponentType.ActionRow as const,
      components: controls.slice(index * MOST_BUTTONS, (index + 1) * MOST_BUTTONS),
    }));
  });
}

/** What every field of a modal has. */
interface LabelledField {
  /** What the handler asks for its content by. */
  readonly id: string;
  readonly label: string;
  readonly hint: string;
}

export interface TextField extends LabelledField {
  readonly kind?: 'text';
  readonly example?: string;
  /** What stands in it already. */
  readonly value?: string;
  /** Characters; `least` is 1 for a field that may not be left empty. */
  readonly least?: number;
  readonly most: number;
  /** More than one line. */
  readonly long?: boolean;
}

/** One option is chosen, at most. */
export interface SelectField extends LabelledField {
  readonly kind: 'select';
  readonly placeholder: string;
  /** From 1 to 25. */
  readonly options: readonly SelectOption[];
  readonly required: boolean;
}

/** One file is uploaded, at most; none has to be. */
export interface FileField extends LabelledField {
  readonly kind: 'file';
  /** The names of files end so. */
  readonly types: readonly `.${string}`[];
}

export type Field = TextField | SelectField | FileField;

export interface ModalOptions {
  readonly id: string;
  readonly title: string;
  /** What is to be known before anything is typed. */
  readonly text?: string;
  readonly fields: readonly Field[];
  /** What was typed is not shown again in another modal. */
  readonly isSecret?: true;
}

/**
 * A modal with fields to fill in; members read "form". A phone shows again what it has shown for the same custom id. The id of
 * an empty modal is the same while the modal shows the same, so that what was typed is still there when it was closed by accident.
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
  description: shorten(field.hint, LIMITS.fieldHint),
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
        // Without it Discord takes 1, also where nothing has to be chosen.
        min_values: field.required ? 1 : 0,
        required: field.required,
      };
    case 'file':
      return {
        type: ComponentType.FileUpload,
        custom_id: field.id,
        file_types: [...field.types],
        min_values: 0,
        max_values: 1,
        required: false,
      };
    default:
      return textInput(field);
  }
}

const textInput = ({ id, example, value = '', least = 0, most, long }: TextField): APITextInputComponent => ({
  type: ComponentType.TextInput,
  custom_id: id,
  style: long ? TextInputStyle.Paragraph : TextInputStyle.Short,
  ...(example !== undefined && { placeholder: shorten(example, LIMITS.fieldExample) }),
  ...(value !== '' && { value }),
  min_length: least,
  max_length: most,
  required: least > 0,
});

/** The custom id of a component or modal: which command and action it belongs to, and the state it carries. */
export function customId(command: string, action: string, argument = ''): string {
  return `${command}:${action}:${argument}`;
}

/** Whether Discord takes a custom id. */
export const isCustomId = (id: string): boolean => id.length <= LIMITS.customId;

const NEW_MARK = /#[0-9a-f]{6}$/;

/**
 * A custom id that is another one each time, since Discord remembers by it. A select sends nothing when the value that it shows
 * is chosen again, also after an edit of its message (discord-api-docs#4801, #7765): with another id it is another select,
 * which shows none. On a phone a modal shows what its id showed first (discord-api-docs#7554).
 */
const newId = (id: string): string => withMark(id, randomBytes(3).toString('hex'));

const withMark = (id: string, mark: string): string => `${id.replace(NEW_MARK, '')}#${mark}`;

/** A short mark of a text: as good as certainly another one for another text. */
export const markOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 6);

/** Components of a message as they are, but for selects, in which everything can be chosen again. */
export function renewed(components: readonly unknown[]): readonly unknown[] {
  const renew = (key: string, value: unknown) =>
    key === 'custom_id' && NEW_MARK.test(String(value)) ? newId(String(value)) : value;
  return JSON.parse(JSON.stringify(components, renew));
}

/** The custom ids of a message's controls. */
export const customIdsOf = (components: readonly unknown[]): readonly string[] =>
  components
    .flatMap((row) => Object(row).components ?? [])
    .flatMap((control) => Object(control).custom_id ?? []);

/** The reverse of {@link customId}; the argument may contain colons. */
export function parseCustomId(id: string): { command: string; action: string; argument: string } {
  const [command = '', action = '', ...rest] = id.replace(NEW_MARK, '').split(':');
  return { command, action, argument: rest.join(':') };
}
