import { customId } from '../../src/interactions/controls.ts';

/**
 * In custom ids for the actions in {@link file://./actions.ts}, this stands where other custom ids have a command's name.
 */
export const SUBMIT = 'submit';

/**
 * Builds the custom id of a control or a modal of a draft.
 * @param draft its id; empty if there is no draft yet
 * @param more other data that the action needs
 */
export const submitId = (action: string, draft = '', ...more: readonly (string | number)[]): string =>
  customId(SUBMIT, action, [draft, ...more].join(':'));

/** Reads the part of a {@link submitId} after its action. It can be forged. */
export function readSubmitId(argument: string): { readonly id: string; readonly more: string } {
  const [id = '', ...more] = argument.split(':');
  return { id, more: more.join(':') };
}

/** Adds the port that a modal shows at first to its custom id. */
export const withShownPort = (id: string, port: string): string =>
  /^\d{1,5}$/.test(port) ? `${id}:@${port}` : id;

/** Reads the port that {@link withShownPort} added to a custom id. */
export const shownPort = (argument = ''): string | undefined => /:@(\d{1,5})$/.exec(argument)?.[1];
