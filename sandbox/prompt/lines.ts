import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import { modalFields } from '../discord/client/modal-form.ts';
import { readAssignments, unquoted } from '../page/client/assignments.ts';

/** Whether the modal asks for a secret, so the user's input must be hidden. */
export const isSecret = (data: APIModalInteractionResponseCallbackData): boolean =>
  modalFields(data).some(({ id }) => /key|token|secret|password/i.test(id));

/**
 * Fills in a modal from a single line. With `id=value …`, the line sets fields by id; any other line is the value of the
 * first field. The remaining fields keep their values.
 * @throws InvalidLineError
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
