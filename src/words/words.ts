import i18next, { type FormatterModule, type TFunction } from 'i18next';
import { createBoundedMap } from '../pacing/bounded-map.ts';
import { escapeText } from './escape.ts';
import { ENGLISH, type Language, languages, type Sentences } from './languages.ts';
import { createListingPages, type ListingPages, linked, unlinked } from './listing-pages.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: Sentences };
    returnNull: false;
  }
}

/** Inserts the given values, and chooses the plural form according to `count`. */
export type Translate = TFunction & {
  /** Joins items with "and", as in `a, b, and c`. */
  and(texts: readonly string[]): string;
  /** Joins items with "or", as in `a, b, or c`. */
  or(texts: readonly string[]): string;
  /** Returns the name of a language, such as "Englisch" in German. */
  nameOf(language: Pick<Language, 'tag'>): string;
  /**
   * Returns the name of the listing service's website for use in a sentence.
   * @param page the page to link it to
   */
  site(page?: string): string;
};

/** Returns the translations for a Discord locale code (such as `en-US`). If the language isn't supported, uses English. */
export type WordsFor = (locale: string) => Translate;

export interface Audience {
  /** Translates into the reader's language. */
  readonly t: Translate;
  /** Formats a command as a clickable mention, or as plain text if its id isn't known yet. */
  readonly mention: (command: string) => string;
  /** Whether the reader can manage the guild. Texts explain to admins what to do, and to other members who to ask. */
  readonly isAdmin: boolean;
  readonly pages: ListingPages;
}

/**
 * Creates the translations into every language, with the name of the listing service filled in.
 * @param service the name that the operator gave the service, and the page to link it to, as expected by {@link
 * createListingPages}
 */
export function createWords(
  service: { readonly name?: string | undefined; readonly page?: string | undefined } = {},
  spoken: readonly Language[] = languages,
) {
  const { name, page } = service;
  const pages = createListingPages(page);
  const make = (language: Language) => {
    const forms = {
      ...discordNames(language.sentences),
      ...nameForms(language.sentences, name, pages()),
    };
    return translator(language, forms, (page) => nameForms(language.sentences, name, page).site ?? '');
  };
  const byLocale = new Map(
    spoken.flatMap((language) => language.locales.map((locale) => [locale, language])),
  );
  /** Created on first use, because all languages together take 24 ms and 5 MB (measured). */
  const made = new Map<Language, Translate>();
  const wordsFor: WordsFor = (locale) => {
    const language = byLocale.get(locale) ?? ENGLISH;
    const translate = made.get(language) ?? make(language);
    made.set(language, translate);
    return translate;
  };
  return { wordsFor, pages };
}

const discordNames = ({ permission, discord }: Sentences): Readonly<Record<string, string>> => ({
  ...discord,
  manageGuild: permission.ManageGuild,
});

/**
 * Returns the service's name in all forms. `{{Service}}` is for the beginning of a sentence; `{{service}}` and the other
 * forms are for use within a sentence. Forms with the suffix `_plain` are for places without markup.
 */
function nameForms(
  { listing }: Sentences,
  name: string | undefined,
  page: string | undefined,
): Readonly<Record<string, string>> {
  const { unnamed, named } = listing;
  const forms = Object.entries(name === undefined ? unnamed : named);
  const inMarkup = escapeText(name ?? '');
  const texts = forms.flatMap(([form, text]) => [
    [form, linked(text, page).replace('{{name}}', () => inMarkup)],
    [`${form}_plain`, unlinked(text).replace('{{name}}', () => name ?? '')],
  ]);
  return Object.fromEntries(texts);
}

function translator(
  { tag, sentences }: Language,
  forms: Readonly<Record<string, string>>,
  site: Translate['site'],
): Translate {
  const instance = i18next.createInstance();
  instance.use(quantitiesIn(tag)).init({
    lng: tag,
    resources: { [tag]: { translation: sentences } },
    initAsync: false,
    interpolation: {
      // Discord doesn't use HTML. Text from other people is escaped where it's inserted.
      escapeValue: false,
      defaultVariables: forms,
      alwaysFormat: true,
    },
    missingInterpolationHandler: () => '',
  });
  const all = new Intl.ListFormat(tag, { type: 'conjunction' });
  const languageNames = new Intl.DisplayNames(tag, { type: 'language' });
  const oneOf = new Intl.ListFormat(tag, { type: 'disjunction' });
  return Object.assign(remembering(instance.getFixedT(tag)), {
    and: (texts: readonly string[]) => all.format(texts),
    or: (texts: readonly string[]) => oneOf.format(texts),
    nameOf: (language: Pick<Language, 'tag'>) => languageNames.of(language.tag) ?? language.tag,
    site,
  });
}

/** Values to format as quantities. Ports, ids, seconds and line numbers aren't quantities. */
const QUANTITIES: ReadonlySet<unknown> = new Set(['count', 'all', 'done', 'found', 'length', 'most']);

function quantitiesIn(tag: string): FormatterModule {
  const numbers = new Intl.NumberFormat(tag);
  return {
    type: 'formatter',
    init: () => undefined,
    add: () => undefined,
    addCached: () => undefined,
    format: (value, _format, _tag, options) =>
      typeof value === 'number' && QUANTITIES.has(options?.interpolationkey) ? numbers.format(value) : value,
  };
}

const MAX_CACHED_SENTENCES_PER_LANGUAGE = 500;

/** Caches sentences, because i18next takes 20 µs for each, and most of them are needed again with the same values. */
function remembering(translate: TFunction): TFunction {
  const sentences = createBoundedMap<string>(MAX_CACHED_SENTENCES_PER_LANGUAGE);
  const remembered = (key: string, values?: object): string => {
    const cacheKey = `${key} ${JSON.stringify(values)}`;
    const known = sentences.get(cacheKey);
    if (known !== undefined) return known;
    const sentence = String(translate(key as never, values as never));
    sentences.set(cacheKey, sentence);
    return sentence;
  };
  return remembered as unknown as TFunction;
}
