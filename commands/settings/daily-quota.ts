import { HIGHEST_QUOTA } from '../../src/guilds/settings.ts';
import { UserError } from '../../src/user-error.ts';
import type { Translate } from '../../src/words/words.ts';
import { FINE, OFF, type Setting, windowButton } from './setting.ts';

const hintOf = (t: Translate): string => t('settings.quotaHint', { most: String(HIGHEST_QUOTA) });

/** How many servers a member may submit in a day. */
export const dailyQuotaSetting: Setting = {
  id: 'quota',
  name: (t) => t('settings.quota.name'),
  line: (t, { now: { dailyQuota: count } }) =>
    count === undefined
      ? `${OFF} ${t('settings.quota.none')}`
      : `${FINE} ${t('settings.quota.set', { count })}`,
  about: ({ t }) => t('settings.quota.about'),
  controls: ({ t }, { now }) => ({
    buttons: [windowButton('quota', String(now.dailyQuota ?? ''), t('settings.change'))],
  }),
  changes: {},
  window: {
    title: (t) => t('settings.quotaTitle'),
    field: (t) => ({ label: t('settings.quotaLabel'), hint: hintOf(t) }),
    most: String(HIGHEST_QUOTA).length,
    change(t, typed) {
      if (typed === '') return { make: ({ dailyQuota: _former, ...before }) => before };
      const dailyQuota = Number(typed);
      if (!/^\d{1,9}$/.test(typed) || dailyQuota < 1 || dailyQuota > HIGHEST_QUOTA) {
        throw new UserError(hintOf(t));
      }
      return { make: (before) => ({ ...before, dailyQuota }) };
    },
  },
};
