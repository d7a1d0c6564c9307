import { MAX_DAILY_QUOTA, type Settings } from '../../src/guilds/settings.ts';
import { button, markOf } from '../../src/interactions/controls.ts';
import type { Translate } from '../../src/words/words.ts';
import { FINE, modalId, OFF, RejectedInputError, type Setting, valueAfterForm } from './setting.ts';

const MAX_DIGITS = String(MAX_DAILY_QUOTA).length;

const hintOf = (t: Translate): string => t('settings.quotaHint', { most: String(MAX_DAILY_QUOTA) });

const asTyped = ({ dailyQuota }: Settings): string => String(dailyQuota ?? '');

/**
 * Builds the custom id of a button that opens the form.
 * @param shown the quota that the button's page shows
 * @param typed the input to show in the form, if it isn't the quota
 */
const formId = (shown: string, typed = shown): string =>
  modalId('quota', `${shown}:${typed.slice(0, MAX_DIGITS)}`);

export const dailyQuotaSetting: Setting = {
  id: 'quota',
  name: (t) => t('settings.quota.name'),
  line: (t, { now: { dailyQuota: count } }) =>
    count === undefined
      ? `${OFF} ${t('settings.quota.none')}`
      : `${FINE} ${t('settings.quota.set', { count })}`,
  about: ({ t }) => t('settings.quota.about'),
  controls: ({ t }, { now }) => ({
    buttons: [button(formId(asTyped(now)), t('settings.quota.change'))],
  }),
  handlers: {},
  modal: {
    open: ({ t }, about) => ({
      title: t('settings.quotaTitle'),
      fields: [
        {
          id: 'quota',
          label: t('settings.quotaLabel'),
          hint: hintOf(t),
          maxLength: MAX_DIGITS,
          value: about.slice(about.indexOf(':') + 1).slice(0, MAX_DIGITS),
        },
      ],
    }),
    change: ({ t, field }, about) => ({
      make(before) {
        const { dailyQuota: _former, ...others } = before;
        const [shown = ''] = about.split(':');
        const typed = field('quota').trim();
        const rejected = (why: string) =>
          new RejectedInputError(why, {
            control: button(formId(asTyped(before), typed), t('settings.quota.change'), 'primary'),
          });
        if (typed !== '' && !isQuota(typed)) throw rejected(hintOf(t));
        const wanted = typed === '' ? '' : String(Number(typed));
        const quota = valueAfterForm(markOf(shown), wanted, asTyped(before));
        if (quota === undefined) throw rejected(t('settings.changedSince'));
        return quota === '' ? others : { ...others, dailyQuota: Number(quota) };
      },
    }),
  },
};

const isQuota = (typed: string): boolean =>
  /^\d{1,9}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= MAX_DAILY_QUOTA;
