import { placed } from './component-tree.ts';
import { isFileAllowed } from './file-types.ts';
import { lengthOf, repeats } from './flaws.ts';
import { type ComponentBody, componentType } from './message-body.ts';
import type { ModalBody } from './modals.ts';
import { isSelect } from './selects.ts';

const { textInput, fileUpload, radioGroup, checkboxGroup, checkbox } = componentType;

/**
 * What was entered: a text input's text, one value or the list of values of a select or group, the names of the
 * files of an upload, whether a check box is ticked. `undefined`: the field was left as the modal showed it.
 */
export type FieldValue = string | boolean | readonly string[] | undefined;

export interface FieldComplaint {
  readonly customId: string;
  readonly code:
    | 'unknown_field'
    | 'wrong_kind'
    | 'required'
    | 'too_short'
    | 'too_long'
    | 'line_break'
    | 'too_few'
    | 'too_many'
    | 'not_an_option'
    | 'file_type';
}

/** Rule 38: why a member's own Discord would not submit this modal; empty when it would. */
export function checkModalValues(
  modal: { readonly components: readonly object[] },
  values: Readonly<Record<string, FieldValue>>,
): readonly FieldComplaint[] {
  const components = modal.components as ModalBody['components'];
  const fields = placed(components, []).filter(({ component }) => component.custom_id);
  const known = new Set(fields.map(({ component }) => component.custom_id));
  return [
    ...Object.keys(values).flatMap((customId) =>
      known.has(customId) ? [] : [{ customId, code: 'unknown_field' as const }],
    ),
    ...fields.flatMap(({ component }) => {
      const customId = component.custom_id ?? '';
      const code = complaint(component, values[customId]);
      return code === undefined ? [] : [{ customId, code }];
    }),
  ];
}

function complaint(field: ComponentBody, value: FieldValue): FieldComplaint['code'] | undefined {
  if (field.type === checkbox)
    return value === undefined || typeof value === 'boolean' ? undefined : 'wrong_kind';
  if (typeof value === 'boolean') return 'wrong_kind';
  if (field.type === textInput) {
    const text = value ?? field.value ?? '';
    return typeof text === 'string' ? textComplaint(field, text) : 'wrong_kind';
  }
  const chosen = typeof value === 'string' ? [value] : (value ?? preselected(field));
  return listComplaint(field, chosen);
}

/** A field is required unless it says otherwise; one that is not may be empty whatever its minimum. */
function textComplaint(field: ComponentBody, text: string): FieldComplaint['code'] | undefined {
  const { min_length, max_length, required, style } = field;
  const SHORT = 1;
  if (text === '') return required === false ? undefined : 'required';
  if (style === SHORT && /[\r\n]/.test(text)) return 'line_break';
  if (lengthOf(text) < (min_length ?? 0)) return 'too_short';
  return lengthOf(text) > (max_length ?? 4000) ? 'too_long' : undefined;
}

function listComplaint(field: ComponentBody, chosen: readonly string[]): FieldComplaint['code'] | undefined {
  const { type, options, required, min_values, max_values, file_types } = field;
  const most = max_values ?? (type === checkboxGroup ? (options?.length ?? 1) : 1);
  if (chosen.length === 0) return required === false ? undefined : 'required';
  if (chosen.length < (min_values ?? 1)) return 'too_few';
  if (chosen.length > (type === radioGroup ? 1 : most)) return 'too_many';
  if (type === fileUpload)
    return chosen.every((name) => isFileAllowed(name, file_types)) ? undefined : 'file_type';
  if (repeats(chosen).length > 0) return 'not_an_option';
  if (!options)
    return isSelect(field) && chosen.every((id) => /^\d{17,20}$/.test(id)) ? undefined : 'not_an_option';
  const offered = options.map(({ value }) => value);
  return chosen.every((value) => offered.includes(value)) ? undefined : 'not_an_option';
}

const preselected = ({ options }: ComponentBody): string[] =>
  (options ?? []).filter((option) => option.default).map(({ value }) => value);
