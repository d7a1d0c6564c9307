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
  /** It takes several lines. */
  readonly long: boolean;
  /** What is typed into it is not shown. */
  readonly hidden: boolean;
  readonly required: boolean;
  /** What stands in it when it opens. */
  readonly value: string | undefined;
}

/** The ids of fields that take what nobody else may read. */
const SECRET = /key|token|secret|password/i;

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
        long: field.type === ComponentType.TextInput && field.style === TextInputStyle.Paragraph,
        hidden: SECRET.test(field.custom_id),
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

/** Where a line comes from: typed at a terminal, pasted there, or out of a script. */
export type Origin = 'typed' | 'pasted' | 'script';

/** A modal that is being filled in, line by line. */
export interface ModalForm {
  /** What the next line is for. */
  readonly asks: string;
  /** Whether what is typed is not to be shown: there is a field for a key among those of the modal. */
  readonly hidden: boolean;
  /**
   * Takes a line: the values when that was the last one, `more` when further lines belong to it, `closed` when it
   * closes the modal.
   * @throws BadLine when it cannot be understood; what was typed before it is forgotten
   */
  take(line: string, origin: Origin): Promise<Values | 'more' | 'closed'>;
}

type Values = Readonly<Record<string, string | Upload>>;

/** What ends a text of several lines in a script, where an empty line may belong to the text. */
const END_OF_TEXT = '.';

export function openForm(data: APIModalInteractionResponseCallbackData): ModalForm {
  const fields = modalFields(data);
  const [first] = fields;
  let lines: string[] = [];
  let named: readonly Given[] = [];

  function readFirst(line: string): Promise<Values> | 'more' {
    if (!first?.long || unquoted(line) !== line) return readModalLine(line, fields);
    if (!isNamed(line, fields)) {
      lines = [line];
      return 'more';
    }
    named = readNamed(line, fields);
    const isComplete = first.value !== undefined || named.some(({ name }) => name === first.id);
    return isComplete ? filledIn(named, fields) : 'more';
  }

  function readNext(line: string, origin: Origin): Promise<Values> | 'more' {
    const isEnd = line === END_OF_TEXT || (line === '' && origin === 'typed');
    if (!isEnd) {
      lines.push(line);
      return 'more';
    }
    const given = [...named, { name: first?.id ?? '', value: lines.join('\n') }];
    lines = [];
    named = [];
    return filledIn(given, fields);
  }

  return {
    get asks() {
      return lines.length > 0 ? '…' : (first?.label ?? 'value');
    },
    hidden: fields.some(({ hidden }) => hidden),
    async take(line, origin) {
      const isFirst = lines.length === 0 && named.length === 0;
      if (isFirst && line === '' && origin !== 'pasted') return 'closed';
      return isFirst ? readFirst(line) : readNext(line, origin);
    },
  };
}

/**
 * One line fills a modal in. `id=value …` fills fields by their id; any other line is the value of the first field.
 * Fields that are not named keep what stands in them. The values may be secrets: no error repeats one.
 * @throws BadLine
 */
export async function readModalLine(line: string, fields: readonly ModalField[]): Promise<Values> {
  const [first] = fields;
  if (first === undefined) throw new BadLine('This modal has no field that can be filled in.');
  const given = isNamed(line, fields) ? readNamed(line, fields) : [{ name: first.id, value: unquoted(line) }];
  return filledIn(given, fields);
}

interface Given {
  readonly name: string;
  readonly value: string;
}

/** The values of all fields: what was given, and of the others what stands in them. */
async function filledIn(given: readonly Given[], fields: readonly ModalField[]): Promise<Values> {
  const values: Record<string, string | Upload> = {};
  for (const field of fields) {
    const value = given.find(({ name }) => name === field.id)?.value ?? field.value;
    if (value !== undefined) values[field.id] = field.file ? await readUpload(value) : value;
  }
  return values;
}

const isNamed = (line: string, fields: readonly ModalField[]): boolean =>
  fields.some(({ id }) => line.trimStart().startsWith(`${id}=`));

function readNamed(line: string, fields: readonly ModalField[]): readonly Given[] {
  const ids = fields.map(({ id }) => id);
  try {
    return readAssignments(line, { names: ids, sign: '=', of: 'this modal' });
  } catch {
    throw new BadLine(
      `The line was not understood. Fill fields in with ${ids.map((id) => `${id}=value`).join(' ')}; put a value in double quotes when it holds one of these.`,
    );
  }
}
