import { customId } from '../../src/interactions/controls.ts';

/** Used in place of a command name in the custom ids for the actions in {@link file://./actions.ts}. */
export const SUBMIT = 'submit';

/**
 * Builds the custom id of a control or modal that belongs to a draft.
 * @param draft the draft's id; empty before a draft exists
 * @param more additional data that the action needs
 */
export const submitId = (action: string, draft = '', ...more: readonly (string | number)[]): string =>
  customId(SUBMIT, action, [draft, ...more].join(':'));

/** Parses the part of a {@link submitId} after the action. The part can be forged. */
export function readSubmitId(argument: string): { readonly id: string; readonly more: string } {
  const [id = '', ...more] = argument.split(':');
  return { id, more: more.join(':') };
}

export const withShownPort = (id: string, port: string): string =>
  /^\d{1,5}$/.test(port) ? `${id}:@${port}` : id;

export const shownPort = (argument = ''): string | undefined => /:@(\d{1,5})$/.exec(argument)?.[1];
