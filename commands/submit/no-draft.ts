import { OldMessage } from '../../src/interactions/command.ts';
import { button, rows } from '../../src/interactions/controls.ts';
import type { NoDraft } from '../../src/submissions/drafts.ts';
import { UserError } from '../../src/user-error.ts';
import type { Translate } from '../../src/words/words.ts';
import { submitId } from './ids.ts';

/**
 * Why there is no draft any more for a button or a modal. If the draft is over, the only button left opens a modal with
 * what the message shows.
 */
export function noDraft(why: NoDraft, t: Translate): UserError {
  switch (why) {
    case 'of-another-member':
      return new UserError(t('again.notYours'));
    case 'being-sent':
      return new UserError(t('again.busy'));
    default: {
      const anew = button(submitId('anew'), t('again.anew'), 'primary');
      return new OldMessage(t(`again.over.${OVER[why]}`), rows([anew]));
    }
  }
}

const OVER = {
  gone: 'lapsed',
  submitted: 'submitted',
  cancelled: 'cancelled',
  decided: 'decided',
  expired: 'decided',
} as const;
