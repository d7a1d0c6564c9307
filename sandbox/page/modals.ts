import type { SeenModal } from '../discord/contract.ts';
import { marksOf } from './markup.ts';
import { type Component, choicesOf, isSelect, TYPE, type Where } from './messages.ts';
import type { FieldView, ModalView } from './protocol.ts';

const [LABEL, FILES, RADIO, BOXES, BOX] = [18, 19, 21, 22, 23];

interface Field extends Component {
  readonly description?: string;
  readonly required?: boolean;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly value?: string;
  readonly default?: boolean;
  readonly file_types?: readonly string[];
  readonly component?: Field;
  readonly components?: readonly Field[];
}

/** A modal as the page shows it. */
export function modalView({ data, interactionId }: SeenModal, where: Where): ModalView {
  const components = data.components as unknown as readonly Field[];
  return {
    id: interactionId,
    title: data.title,
    fields: components.flatMap((component) => fieldsOf(component, where)),
  };
}

function fieldsOf(field: Field, where: Where): FieldView[] {
  const { type, component, components = [], content = '', label = '', description = '' } = field;
  if (type === TYPE.words) return [{ kind: 'words', marks: marksOf(content, where.discord.nameOf) }];
  if (type === TYPE.row) return components.flatMap((each) => fieldsOf(each, where));
  if (type === LABEL && component !== undefined) return fieldsOf({ ...component, label, description }, where);
  const about = { id: field.custom_id ?? '', label, description, required: field.required ?? true };
  if (type === TYPE.text)
    return [
      {
        ...about,
        kind: field.style === 2 ? 'lines' : 'line',
        least: field.min_length ?? 0,
        most: field.max_length ?? 4_000,
        placeholder: field.placeholder ?? '',
        value: field.value ?? '',
      },
    ];
  if (type === FILES)
    return [{ ...about, kind: 'files', most: field.max_values ?? 1, types: field.file_types ?? [] }];
  if (type === BOX) return [{ ...about, kind: 'tick', ticked: field.default ?? false }];
  if (!isSelect(field) && type !== RADIO && type !== BOXES) return [];
  const choices = choicesOf(field, where);
  const most = field.max_values ?? (type === BOXES ? choices.length : 1);
  return [{ ...about, kind: 'choices', least: field.min_values ?? 1, most, choices }];
}
