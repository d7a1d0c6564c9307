import { customId } from '../../src/interactions/controls.ts';

/** The name of the actions in {@link file://./actions.ts}, in place of a command's. */
export const SUBMIT = 'submit';

/**
 * The custom id of a control or a modal of a draft.
 * @param draft its id; empty where there is none yet
 * @param more what else the action needs
 */
export const submitId = (action: string, draft = '', ...more: readonly (string | number)[]): string =>
  customId(SUBMIT, action, [draft, ...more].join(':'));

/** What {@link submitId} has put behind its action. Anybody could have written it. */
export function readSubmitId(argument: string): { readonly id: string; readonly more: string } {
  const [id = '', ...more] = argument.split(':');
  return { id, more: more.join(':') };
}
