import i18next, { type TFunction } from 'i18next';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
    returnNull: false;
  }
}

/** Every language, under Discord's name for it; `en` is the default. To add one: its file and a line here. */
export const languages = { en, de } as const;

/** A whole sentence by its key, with named values; plural forms by `count`. */
export type Translate = TFunction;

const instance = i18next.createInstance();
await instance.init({
  resources: Object.fromEntries(
    Object.entries(languages).map(([language, words]) => [language, { translation: words }]),
  ),
  fallbackLng: 'en',
  initAsync: false,
  // Discord is not HTML; what others wrote is escaped where it is put into a sentence.
  interpolation: { escapeValue: false },
});

const translators = new Map<string, Translate>();

/** The sentences for Discord's `locale` (such as `en-US` or `de`); English where a language is not there. */
export function wordsFor(locale: string): Translate {
  const language =
    [locale, locale.split('-')[0] ?? ''].find((name) => Object.hasOwn(languages, name)) ?? 'en';
  const known = translators.get(language) ?? instance.getFixedT(language);
  translators.set(language, known);
  return known;
}
