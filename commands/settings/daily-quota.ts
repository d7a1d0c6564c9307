import { MAX_DAILY_QUOTA } from '../../src/guilds/settings.ts';
import { button } from '../../src/interactions/controls.ts';
import type { Translate } from '../../src/words/words.ts';
import { FINE, modalId, OFF, RejectedInputError, type Setting } from './setting.ts';

const MAX_DIGITS = String(MAX_DAILY_QUOTA).length;

const hintOf = (t: Translate): string => t('settings.quotaHint', { most: String(MAX_DAILY_QUOTA) });

/** The setting for the maximum number of servers that a member can submit per day. */
export const dailyQuotaSetting: Setting = {
  id: 'quota',
  name: (t) => t('settings.quota.name'),
  line: (t, { now: { dailyQuota: count } }) =>
    count === undefined
      ? `${OFF} ${t('settings.quota.none')}`
      : `${FINE} ${t('settings.quota.set', { count })}`,
  about: ({ t }) => t('settings.quota.about'),
  controls: ({ t }, { now }) => ({
    buttons: [button(modalId('quota', String(now.dailyQuota ?? '')), t('settings.quota.change'))],
  }),
  handlers: {},
  modal: {
    open: ({ t }, typed) => ({
      title: t('settings.quotaTitle'),
      fields: [
        {
          id: 'quota',
          label: t('settings.quotaLabel'),
          hint: hintOf(t),
          maxLength: MAX_DIGITS,
          value: typed.slice(0, MAX_DIGITS),
        },
      ],
    }),
    change({ t, field }) {
      const typed = field('quota').trim();
      if (typed === '') return { make: ({ dailyQuota: _former, ...before }) => before };
      const dailyQuota = Number(typed);
      if (!/^\d{1,9}$/.test(typed) || dailyQuota < 1 || dailyQuota > MAX_DAILY_QUOTA) {
        const id = modalId('quota', typed.slice(0, MAX_DIGITS));
        throw new RejectedInputError(hintOf(t), {
          control: button(id, t('settings.quota.change'), 'primary'),
        });
      }
      return { make: (before) => ({ ...before, dailyQuota }) };
    },
  },
};
