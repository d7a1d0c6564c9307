import { readFileSync } from 'node:fs';
import en from './en.json' with { type: 'json' };

/**
 * The bot's languages. Each key is a BCP 47 tag and also names the language's file. The values are Discord's locale codes
 * for the language (Discord docs: Reference, Locales). If a code is wrong, Discord rejects all commands.
 */
const LOCALES = {
  en: ['en-US', 'en-GB'],
  de: ['de'],
  fr: ['fr'],
  es: ['es-ES', 'es-419'],
  pt: ['pt-BR'],
  it: ['it'],
  nl: ['nl'],
  pl: ['pl'],
  cs: ['cs'],
  sv: ['sv-SE'],
  ru: ['ru'],
  uk: ['uk'],
  tr: ['tr'],
  hu: ['hu'],
  ro: ['ro'],
  ja: ['ja'],
  ko: ['ko'],
  zh: ['zh-CN'],
  'zh-TW': ['zh-TW'],
  vi: ['vi'],
  th: ['th'],
  id: ['id'],
} as const;

export type Sentences = typeof en;

export interface Language {
  /** A BCP 47 tag, such as `en` or `zh-TW`. */
  readonly tag: string;
  /** Discord's locale codes for the language, such as `en-US` and `en-GB`. */
  readonly locales: readonly string[];
  readonly sentences: Sentences;
}

/** The source of all translations, and the language for users whose language isn't supported. */
export const ENGLISH: Language = {
  tag: 'en',
  locales: LOCALES.en,
  sentences: en,
};

export const languageOf = (locale: string): Language =>
  languages.find(({ locales }) => locales.includes(locale)) ?? ENGLISH;

/** All languages. Loading all 22 of them at startup takes 4 ms and 1.5 MB. */
export const languages: readonly Language[] = Object.entries(LOCALES).map(([tag, locales]) => ({
  tag,
  locales,
  sentences: JSON.parse(readFileSync(new URL(`./${tag}.json`, import.meta.url), 'utf8')),
}));
