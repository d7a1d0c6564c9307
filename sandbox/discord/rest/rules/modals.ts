import { ModalInteractionCallbackRequestDataSchema } from 'discord-api-spec/zod';
import { type Placed, placed, uniqueIdFlaws } from './component-tree.ts';
import { fileTypeFlaws } from './file-types.ts';
import { badLength, isAt, required } from './flaws.ts';
import { type ComponentBody, componentType } from './message-body.ts';
import { type Flaw, invalidForm, type Path, type Refusal } from './refusal.ts';
import { isSelect, selectFlaws } from './selects.ts';
import { shapeFlaws } from './shape.ts';

const { actionRow, textInput, fileUpload, radioGroup, checkboxGroup } = componentType;
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
