import {
  type APIModalInteractionResponseCallbackData,
  type APITextInputComponent,
  ComponentType,
  TextInputStyle,
} from 'discord.js';

type Modal = APIModalInteractionResponseCallbackData;
type Values = Readonly<Record<string, string>>;

/** The text inputs of a modal: the rules let nothing else into its labels. */
const fieldsOf = ({ components }: Modal): readonly APITextInputComponent[] =>
  components.flatMap((part) =>
    part.type === ComponentType.Label && part.component.type === ComponentType.TextInput
      ? [part.component]
      : [],
  );

/** Why a member's own Discord would not submit this modal; `undefined` when it would. */
export function modalComplaint(modal: Modal, values: Values): string | undefined {
  const fields = fieldsOf(modal);
  for (const id of Object.keys(values)) {
    if (!fields.some(({ custom_id }) => custom_id === id)) return `${id} is not a field of this modal`;
  }
  for (const field of fields) {
    const complaint = textComplaint(field, values[field.custom_id] ?? field.value ?? '');
    if (complaint !== undefined) return `${field.custom_id} ${complaint}`;
  }
  return undefined;
}

/** A field is required unless it says otherwise; one that is not may be empty whatever its minimum. */
function textComplaint(field: APITextInputComponent, text: string): string | undefined {
  const { length } = [...text];
  if (length === 0) return field.required === false ? undefined : 'is required';
  if (field.style === TextInputStyle.Short && /[\r\n]/.test(text)) return 'is a single line';
  if (length < (field.min_length ?? 0)) return 'is too short';
  return length > (field.max_length ?? 4_000) ? 'is too long' : undefined;
}

/** The tree that a submit sends: the modal's own, with what was entered and without what was only shown. */
export const submitted = ({ components }: Modal, values: Values): readonly object[] =>
  components.map((part) => {
    const { type, id } = part;
    if (part.type !== ComponentType.Label || part.component.type !== ComponentType.TextInput)
      return { type, id };
    const { custom_id, value = '' } = part.component;
    const field = { type: part.component.type, id: part.component.id, custom_id };
    return { type, id, component: { ...field, value: values[custom_id] ?? value } };
  });
