import type { Settings } from '../../src/guilds/settings.ts';
import { select } from '../../src/interactions/controls.ts';
import { languageOf, languages } from '../../src/words/languages.ts';
import type { CommandDeps } from '../deps.ts';
import { drawPanel } from '../panel-message.ts';
import { changeId, FINE, OFF, type Setting } from './setting.ts';

/** The value that stands for the language that Discord gives the guild; no name of a language. */
const AS_DISCORD_SAYS = 'discord';

/** The name of the language, in itself. */
const everybodysLanguage = ({ language, locale }: Settings): string =>
  languageOf(language ?? locale).sentences.languageName;

/** The language of what everybody in the guild reads. */
export const languageSetting = (deps: CommandDeps): Setting => ({
  id: 'language',
  name: (t) => t('settings.language.name'),
  line(t, { now }) {
    const language = everybodysLanguage(now);
    return now.language === undefined
      ? `${OFF} ${t('settings.language.none', { language })}`
      : `${FINE} ${t('settings.language.set', { language })}`;
  },
  about: ({ t }) => t('settings.language.about'),
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
  /** The panels that stand change at once; one that Discord does not change now does so when it is edited. */
  async changed({ guildId, guildWords }, before, now) {
    if (everybodysLanguage(before) === everybodysLanguage(now)) return;
    const t = await guildWords();
    for (const panel of await deps.panels.of(guildId)) await drawPanel(deps, guildId, panel, t);
  },
});
