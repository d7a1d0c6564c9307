import { select } from '../../src/interactions/controls.ts';
import { languageOf, languages } from '../../src/words/languages.ts';
import { changeId, FINE, OFF, type Setting } from './setting.ts';

/** The value that stands for the language that Discord gives the guild; no name of a language. */
const AS_DISCORD_SAYS = 'discord';

/** The language of what everybody in the guild reads. */
export const languageSetting: Setting = {
  id: 'language',
  name: (t) => t('settings.language.name'),
  line(t, { now }) {
    const language = languageOf(now.language ?? now.locale).sentences.languageName;
    return now.language === undefined
      ? `${OFF} ${t('settings.language.none', { language })}`
      : `${FINE} ${t('settings.language.set', { language })}`;
  },
  about: (t) => t('settings.language.about'),
  controls: ({ t }, { now }) => ({
    selects: [
      select({
        id: changeId('language', 'choose'),
        placeholder: t('settings.change'),
        options: [
          {
            label: t('settings.language.asDiscord', {
              language: languageOf(now.locale).sentences.languageName,
            }),
            value: AS_DISCORD_SAYS,
            default: now.language === undefined,
          },
          ...languages.map(({ locales: [locale = ''], sentences }) => ({
            label: sentences.languageName,
            value: locale,
            default: now.language === locale,
          })),
        ],
      }),
    ],
  }),
  changes: {
    choose({ values: [language = ''] }) {
      const isKnown = languages.some(({ locales }) => locales.includes(language));
      return {
        make: ({ language: _former, ...before }) => (isKnown ? { ...before, language } : before),
      };
    },
  },
};
