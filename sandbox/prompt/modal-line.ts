import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord.js';
import { readAssignments, unquoted } from './lines.ts';

/** A field of a modal, as much of it as a person must know to fill it in. */
export interface ModalField {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly placeholder: string;
  readonly required: boolean;
  /** Of several lines. */
  readonly isLong: boolean;
  /** In characters. */
  readonly least: number;
  readonly most: number;
  /** What stands in it when it opens. */
  readonly value: string | undefined;
}

/** The fields of a modal, from top to bottom. */
export const modalFields = ({ components }: APIModalInteractionResponseCallbackData): readonly ModalField[] =>
  components.flatMap((part): ModalField[] => {
    if (part.type !== ComponentType.Label || part.component.type !== ComponentType.TextInput) return [];
    const { custom_id: id, placeholder = '', required = true, value, style } = part.component;
    const { min_length: least = 0, max_length: most = LONGEST } = part.component;
    const { label, description = '' } = part;
    const isLong = style === TextInputStyle.Paragraph;
    return [{ id, label, description, placeholder, required, isLong, least, most, value }];
  });

/** Discord docs: Component Reference, Text Input. */
const LONGEST = 4_000;

/** Whether what is typed is not to be shown: there is a field for what nobody else may read. */
export const isSecret = (data: APIModalInteractionResponseCallbackData): boolean =>
  modalFields(data).some(({ id }) => /key|token|secret|password/i.test(id));

/**
 * One line fills a modal in. `id=value …` fills fields by their ids; any other line is the value of the first field.
 * Fields that are not named keep what stands in them.
 * @throws BadLine
 */
export function readModalLine(
  line: string,
  data: APIModalInteractionResponseCallbackData,
): Readonly<Record<string, string>> {
  const fields = modalFields(data);
  const names = fields.map(({ id }) => id);
  const kept = fields.flatMap(({ id, value }) => (value === undefined ? [] : [[id, value] as const]));
  const isNamed = names.some((name) => line.trimStart().startsWith(`${name}=`));
  const given = isNamed
    ? readAssignments(line, { names, sign: '=' })
    : [[names[0] ?? '', unquoted(line)] as const];
  return Object.fromEntries([...kept, ...given]);
}
