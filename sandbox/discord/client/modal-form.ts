import {
  type APIModalInteractionResponseCallbackData,
  type APIModalSubmissionComponent,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import { textComplaint } from './options.ts';

type Modal = APIModalInteractionResponseCallbackData;
type Values = Readonly<Record<string, string>>;

/** A field of a modal, as much of it as a person must know to fill it in: the bot has text inputs alone. */
export type ModalField = ReturnType<typeof modalFields>[number];

/** The fields of a modal, from top to bottom. */
export const modalFields = ({ components }: Modal) =>
  components.flatMap((part) => {
    if (part.type !== ComponentType.Label || part.component.type !== ComponentType.TextInput) return [];
    const input = part.component;
    return [
      {
        id: input.custom_id,
        label: part.label,
        description: part.description ?? '',
        placeholder: input.placeholder ?? '',
        required: input.required ?? true,
        /** Of several lines. */
        isLong: input.style === TextInputStyle.Paragraph,
        /** In characters. */
        least: input.min_length ?? 0,
        most: input.max_length ?? LONGEST,
        /** What stands in it when it opens. */
        value: input.value,
      },
    ];
  });

/** What a modal says above its fields. */
export const modalTexts = ({ components }: Modal): readonly string[] =>
  components.flatMap((part) => (part.type === ComponentType.TextDisplay ? [part.content] : []));

/** Discord docs: Component Reference, Text Input. */
const LONGEST = 4_000;

/** Why a member's own Discord would not submit this modal; `undefined` when it would. */
export function modalComplaint(modal: Modal, values: Values): string | undefined {
  const fields = modalFields(modal);
  for (const name of Object.keys(values)) {
    if (!fields.some(({ id }) => id === name)) return `${name} is not a field of this modal`;
  }
  for (const field of fields) {
    const text = values[field.id] ?? field.value ?? '';
    if (text === '' && field.required) return `${field.id} is required`;
    // A field that is not required may be empty whatever its minimum.
    const complaint = text === '' ? undefined : textComplaint(text, field);
    if (complaint !== undefined) return `${field.id} ${complaint}`;
  }
  return undefined;
}

/** The tree that a submit sends: the modal's own, with what was entered and without what was only shown. */
export const submitted = ({ components }: Modal, values: Values): APIModalSubmissionComponent[] =>
  components.map((part) => {
    const { type, id } = part;
    if (part.type !== ComponentType.Label || part.component.type !== ComponentType.TextInput)
      return { type, id } as APIModalSubmissionComponent;
    const { custom_id, value = '' } = part.component;
    const field = { type: part.component.type, id: part.component.id, custom_id };
    return {
      type,
      id,
      component: { ...field, value: values[custom_id] ?? value },
    } as APIModalSubmissionComponent;
  });
