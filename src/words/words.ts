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

/** Whom a sentence is for. */
export interface Reader {
  /** Sentences in their language. */
  readonly t: Translate;
  /** A command as a clickable mention, or as plain text while its id is not known. */
  readonly mention: (command: string) => string;
}

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

/** Looks up a sentence without values once, and not for each answer in which it is: i18next takes 10 µs each time. */
function remembering(t: Translate): Translate {
  const found = new Map<string, string>();
  const lookUp = t as unknown as (key: string, values?: object) => string;
  const remembered = (key: string, values?: object) => {
    if (values !== undefined) return lookUp(key, values);
    const sentence = found.get(key) ?? lookUp(key);
    found.set(key, sentence);
    return sentence;
  };
  return remembered as unknown as Translate;
}

/** The sentences for Discord's `locale` (such as `en-US` or `de`); English where a language is not there. */
export function wordsFor(locale: string): Translate {
  const language =
    [locale, locale.split('-')[0] ?? ''].find((name) => Object.hasOwn(languages, name)) ?? 'en';
  const known = translators.get(language) ?? remembering(instance.getFixedT(language));
  translators.set(language, known);
  return known;
}
