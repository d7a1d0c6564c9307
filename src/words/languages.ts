import { readFileSync } from 'node:fs';
import en from './en.json' with { type: 'json' };

/**
 * The bot's languages: each the name of its file, a BCP 47 tag by which Intl knows its plural forms, with Discord's
 * names for those whom it serves (Discord docs: Reference, Locales). Discord refuses every command for a wrong one.
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

/** All that the bot says, in one language. */
export type Sentences = typeof en;

export interface Language {
  /** A BCP 47 tag, such as `en` or `zh-TW`. */
  readonly tag: string;
  /** Discord's names for it, such as `en-US` and `en-GB`. */
  readonly locales: readonly string[];
  readonly sentences: Sentences;
}

/** The source of all others, and the one for whom no language serves. */
export const ENGLISH: Language = {
  tag: 'en',
  locales: LOCALES.en,
  sentences: en,
};

/** Every language, read at once: 22 of them take 4 ms and 1.5 MB. */
export const languages: readonly Language[] = Object.entries(LOCALES).map(([tag, locales]) => ({
  tag,
  locales,
  sentences: JSON.parse(readFileSync(new URL(`./${tag}.json`, import.meta.url), 'utf8')),
}));
