import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import { modalFields } from '../discord/client/modal-form.ts';
import { readAssignments, unquoted } from '../page/client/assignments.ts';

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
