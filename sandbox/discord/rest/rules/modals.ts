import { ModalInteractionCallbackRequestDataSchema } from 'discord-api-spec/zod';
import { fileTypeFlaws, isFileAllowed } from './attachments.ts';
import { isSelect, type Placed, placed, selectFlaws, uniqueIdFlaws } from './components.ts';
import {
  badLength,
  type Flaw,
  invalidForm,
  isAt,
  lengthOf,
  type Path,
  type Refusal,
  repeats,
  required,
} from './flaws.ts';
import { type ComponentBody, componentType } from './message-body.ts';
import { shapeFlaws } from './shape.ts';

const { actionRow, textInput, fileUpload, radioGroup, checkboxGroup, checkbox } = componentType;
/** Fields besides selects in which several things are chosen. */
const LISTS: readonly number[] = [fileUpload, radioGroup, checkboxGroup];
/** Discord docs: Receiving and Responding, Modal. The published schema says 40. */
const MAX_TOP_LEVEL = 5;

/** What a modal holds, once Discord's schema has accepted it. */
export interface ModalBody {
  readonly custom_id: string;
  readonly title: string;
  readonly components: readonly ComponentBody[];
}

/** Rules 35 and 37 for the `data` of a modal callback. `at` is where it sits in the request. */
export function checkModal(data: unknown, at: Path = []): Refusal | undefined {
  const schema = ModalInteractionCallbackRequestDataSchema;
  const shape = shapeFlaws(data, { schema, rule: () => 37, at }).map((flaw) =>
    isAt(flaw.path.slice(at.length), 'components') && flaw.code.endsWith('LENGTH') ? wrongCount(at) : flaw,
  );
  if (shape.length > 0) return invalidForm(shape);
  const { components } = data as ModalBody;
  const all = placed(components, [...at, 'components']);
  return invalidForm([
    ...(components.length > MAX_TOP_LEVEL ? [wrongCount(at)] : []),
    ...all.flatMap((each) => fieldFlaws(each)),
    ...uniqueIdFlaws(all),
  ]);
}

const wrongCount = (at: Path): Flaw => badLength(37, [...at, 'components'], 1, MAX_TOP_LEVEL);

const flaw = (path: Path, code: string, message: string): Flaw => ({ rule: 37, path, code, message });

function fieldFlaws({ component, path }: Placed): Flaw[] {
  if (component.type === actionRow) return rowFlaws(component.components ?? [], path);
  if (component.type === textInput) return textInputFlaws(component, path);
  const chosenFromList = isSelect(component) || LISTS.includes(component.type);
  if (!chosenFromList) return [];
  const flaws = selectFlaws(component, path, 37);
  if (component.disabled === true)
    flaws.push(
      flaw([...path, 'disabled'], 'COMPONENT_DISABLED_IN_MODAL', 'Modal components cannot be disabled'),
    );
  if (component.min_values === 0 && component.required !== false)
    flaws.push(
      flaw([...path, 'min_values'], 'NUMBER_TYPE_MIN', 'int value should be greater than or equal to 1.'),
    );
  return [...flaws, ...fileTypeFlaws(component.file_types ?? [], [...path, 'file_types'], 37)];
}

/** The old form of a field: an action row with one text input, which carries its own label. */
function rowFlaws(children: readonly ComponentBody[], at: Path): Flaw[] {
  const [first, ...others] = children;
  return [
    ...(first !== undefined && !first.label ? [required(37, [...at, 'components', 0, 'label'])] : []),
    ...others.map((_, index) =>
      flaw(
        [...at, 'components', index + 1],
        'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
        'The specified component exceeds the maximum width',
      ),
    ),
  ];
}

function textInputFlaws(input: ComponentBody, at: Path): Flaw[] {
  const { min_length, max_length, label } = input;
  const flaws: Flaw[] = [];
  if (label && at.at(-1) === 'component')
    flaws.push(
      flaw(
        [...at, 'label'],
        'TEXT_INPUT_LABEL_IN_LABEL',
        'label cannot be set on a text input within a label',
      ),
    );
  if ((min_length ?? 0) > (max_length ?? 4000))
    flaws.push(
      flaw(
        [...at, 'min_length'],
        'NUMBER_TYPE_MAX',
        `int value should be less than or equal to ${max_length}.`,
      ),
    );
  return flaws;
}

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
