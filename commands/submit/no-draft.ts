import { OldMessage } from '../../src/interactions/command.ts';
import { button, customId, rows } from '../../src/interactions/controls.ts';
import type { NoDraft } from '../../src/submissions/drafts.ts';
import { UserError } from '../../src/user-error.ts';
import type { Translate } from '../../src/words/words.ts';

/**
 * Why there is no draft any more for a button or a modal. If the draft is over, the only button left opens a modal with
 * what the message shows.
 * @param command the command whose `anew` button opens that modal
 */
export function noDraft(why: NoDraft, t: Translate, command: 'addserver' | 'addservers'): UserError {
  switch (why) {
    case 'of-another-member':
      return new UserError(t('again.notYours'));
    case 'empty':
      return new UserError(t('list.nothingLeft'));
    case 'being-sent':
      return new UserError(t('again.busy'));
    default:
      return new OldMessage(
        t(`again.over.${OVER[why]}`),
        rows([button(customId(command, 'anew'), t('again.anew'), 'primary')]),
      );
  }
}

const OVER = {
  gone: 'lapsed',
  submitted: 'submitted',
  cancelled: 'cancelled',
  decided: 'decided',
  expired: 'decided',
} as const;

/** @returns what was found of a draft, or done with it. @throws UserError if there is no draft any more */
export function demandDraft<Found extends object | undefined>(
  found: Found | NoDraft,
  t: Translate,
  command: 'addserver' | 'addservers',
): Found {
  if (typeof found === 'string') throw noDraft(found, t, command);
  return found;
}
