import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord.js';
import type { Upload } from '../discord/contract.ts';
import { readAssignments, unquoted } from './assignments.ts';
import { BadLine } from './bad-line.ts';
import { readUpload } from './slash-line.ts';

/** A field of a modal, as much of it as a person must know to fill it in. */
export interface ModalField {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly takes: string;
  readonly file: boolean;
  readonly required: boolean;
  /** What stands in it when it opens. */
  readonly value: string | undefined;
}

/** The fields of a modal, from top to bottom. */
export function modalFields(data: APIModalInteractionResponseCallbackData): readonly ModalField[] {
  return data.components.flatMap((part): ModalField[] => {
    if (part.type === ComponentType.TextDisplay) return [];
    const field = part.type === ComponentType.Label ? part.component : part.components[0];
    if (field === undefined) return [];
    const label = part.type === ComponentType.Label ? part.label : 'label' in field ? field.label : undefined;
    const hints = [
      part.type === ComponentType.Label ? part.description : undefined,
      'placeholder' in field ? field.placeholder : undefined,
    ];
    return [
      {
        id: field.custom_id,
        label: label ?? field.custom_id,
        hint: hints.filter((hint) => hint !== undefined && hint !== '').join(' · '),
        takes: kindOf(field),
        file: field.type === ComponentType.FileUpload,
        required: !('required' in field) || field.required !== false,
        value: 'value' in field && typeof field.value === 'string' ? field.value : undefined,
      },
    ];
  });
}

function kindOf(field: {
  type: ComponentType;
  style?: unknown;
  min_length?: unknown;
  max_length?: unknown;
}): string {
  if (field.type === ComponentType.FileUpload) return 'the path of a file';
  if (field.type !== ComponentType.TextInput) return 'a choice';
  const { min_length: min, max_length: max } = field;
  const text = field.style === TextInputStyle.Paragraph ? 'text of several lines' : 'text';
  if (typeof min === 'number' && typeof max === 'number') return `${text}, ${min} to ${max} characters`;
  if (typeof max === 'number') return `${text}, at most ${max} characters`;
  return text;
}

/**
 * One line fills a modal in. `id=value …` fills fields by their id; any other line is the value of the first field.
 * Fields that are not named keep what stands in them. The values may be secrets: no error repeats one.
 * @throws BadLine
 */
export async function readModalLine(
  line: string,
  fields: readonly ModalField[],
): Promise<Readonly<Record<string, string | Upload>>> {
  const [first] = fields;
  if (first === undefined) throw new BadLine('This modal has no field that can be filled in.');
  const ids = fields.map((field) => field.id);
  const named = ids.some((id) => line.trimStart().startsWith(`${id}=`));
  const given = named ? readNamed(line, ids) : [{ name: first.id, value: unquoted(line) }];

  const values: Record<string, string | Upload> = {};
  for (const field of fields) {
    const value = given.find(({ name }) => name === field.id)?.value ?? field.value;
    if (value !== undefined) values[field.id] = field.file ? await readUpload(value) : value;
  }
  return values;
}

function readNamed(line: string, ids: readonly string[]): readonly { name: string; value: string }[] {
  try {
    return readAssignments(line, { names: ids, sign: '=', of: 'this modal' });
  } catch {
    throw new BadLine(
      `The line was not understood. Fill fields in with ${ids.map((id) => `${id}=value`).join(' ')}; put a value in double quotes when it holds one of these.`,
    );
  }
}
