import {
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  type APIModalSubmissionComponent,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import type { Upload } from '../contract.ts';
import { isFileAllowed, textComplaint } from './options.ts';
import type { ResolvedObjects } from './payload.ts';

type Modal = APIModalInteractionResponseCallbackData;

/** The user's input for each field, by custom id: text, the label or value of an option ('' for none), or a file. */
export type ModalInput = Readonly<Record<string, string | Upload>>;

/** A field of a modal, with everything that a client needs to show it. */
export type ModalField = NonNullable<ReturnType<typeof fieldOf>>;

/** Returns the fields of a modal, from top to bottom. */
export const modalFields = ({ components }: Modal): readonly ModalField[] =>
  components.flatMap((part) => (part.type === ComponentType.Label ? (fieldOf(part) ?? []) : []));

/** @returns `undefined` for components that this bot doesn't use */
function fieldOf({ label, description = '', component }: APILabelComponent) {
  const { custom_id: id } = component;
  const required: boolean = Object(component).required ?? true;
  const about = { id, label, description, required };
  switch (component.type) {
    case ComponentType.TextInput:
      return {
        ...about,
        kind: 'text' as const,
        placeholder: component.placeholder ?? '',
        /** Whether the field is multi-line. */
        isLong: component.style === TextInputStyle.Paragraph,
        /** The minimum length in characters. */
        least: component.min_length ?? 0,
        most: component.max_length ?? LONGEST,
        /** The text that the field contains when the modal opens. */
        value: component.value,
      };
    case ComponentType.StringSelect:
      return {
        ...about,
        kind: 'select' as const,
        placeholder: component.placeholder ?? '',
        offers: component.options.map((option) => ({ label: option.label, value: option.value })),
        /** The option that is selected when the modal opens. */
        value: component.options.find((option) => option.default)?.value,
      };
    case ComponentType.FileUpload:
      return {
        ...about,
        kind: 'file' as const,
        types: component.file_types ?? [],
        value: undefined,
      };
    default:
      return undefined;
  }
}

/** Returns the text blocks above the fields of a modal. */
export const modalTexts = ({ components }: Modal): readonly string[] =>
  components.flatMap((part) => (part.type === ComponentType.TextDisplay ? [part.content] : []));

/** The maximum length of a text input (Discord docs: Component Reference, Text Input). */
const LONGEST = 4_000;

/** Returns why Discord's client wouldn't submit this modal, or `undefined` if it would. */
export function modalComplaint(modal: Modal, entered: ModalInput): string | undefined {
  const fields = modalFields(modal);
  for (const name of Object.keys(entered)) {
    if (!fields.some(({ id }) => id === name)) return `${name} is not a field of this modal`;
  }
  for (const field of fields) {
    const value = entered[field.id] ?? field.value ?? '';
    if (value === '' && field.required) return `${field.id} is required`;
    // An optional field can be left empty, even if it has a minimum length.
    const complaint = value === '' ? undefined : complaintOf(field, value);
    if (complaint !== undefined) return `${field.id} ${complaint}`;
  }
  return undefined;
}

function complaintOf(field: ModalField, value: string | Upload): string | undefined {
  if (field.kind === 'file') {
    if (typeof value === 'string') return 'is a file';
    return isFileAllowed(value.filename, field.types) ? undefined : 'is not a file of an accepted type';
  }
  if (typeof value !== 'string') return 'does not accept a file';
  if (field.kind === 'text') return textComplaint(value, field);
  return chosenIn(field.offers, value) === undefined ? 'offers no such option' : undefined;
}

const chosenIn = (offers: readonly { readonly label: string; readonly value: string }[], wanted: string) =>
  offers.find(({ label, value }) => label === wanted || value === wanted)?.value;

/** Builds the components to submit: the fields with the user's input, without display-only components. */
export const submitted = (
  { components }: Modal,
  entered: ModalInput,
  resolved: ResolvedObjects,
): APIModalSubmissionComponent[] =>
  components.map((part) => {
    const { type, id } = part;
    if (part.type !== ComponentType.Label) return { type, id } as APIModalSubmissionComponent;
    const { component } = part;
    const field = { type: component.type, id: component.id, custom_id: component.custom_id };
    const value = entered[component.custom_id];
    return {
      type,
      id,
      component: { ...field, ...sentValue(part, value, resolved) },
    } as APIModalSubmissionComponent;
  });

/** Selects and file uploads send an array, which can be empty (Discord docs: Component Reference). */
function sentValue(
  label: APILabelComponent,
  entered: string | Upload | undefined,
  resolved: ResolvedObjects,
) {
  const field = fieldOf(label);
  switch (field?.kind) {
    case 'text':
      return { value: entered ?? field.value ?? '' };
    case 'select': {
      const chosen = chosenIn(field.offers, String(entered ?? field.value ?? ''));
      return { values: chosen === undefined ? [] : [chosen] };
    }
    case 'file':
      return { values: typeof entered === 'object' ? [resolved.file(entered)] : [] };
    default:
      throw new Error(`The stand-in does not serve components of type ${label.component.type} in modals`);
  }
}
