import i18next, { type FormatterModule, type TFunction } from 'i18next';
import { createBoundedMap } from '../bounded-map.ts';
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

/** A whole sentence by its key, with named values; plural forms by `count`. */
export type Translate = TFunction & {
  /** All of these: `a, b, and c`. */
  and(texts: readonly string[]): string;
  /** One of these: `a, b, or c`. */
  or(texts: readonly string[]): string;
  /** The site of the listing service, inside of a sentence. @param page what it leads to */
  site(page?: string): string;
};

/** The sentences for Discord's `locale` (such as `en-US` or `de`); English where no language serves it. */
export type WordsFor = (locale: string) => Translate;

/** Whom a sentence is for. */
export interface Reader {
  /** The sentences in the reader's language. */
  readonly t: Translate;
  /** A command as a clickable mention, or as plain text while its id is not known. */
  readonly mention: (command: string) => string;
  /** Whether the reader may manage the guild, and is told what to do; others are told whom to ask. */
  readonly isAdmin: boolean;
  /** The pages of the listing service. */
  readonly pages: ListingPages;
}

/**
 * The sentences in every language, with the name of the listing service in them.
 * @param service how the operator calls it, and the page that its name leads to, as {@link createListingPages} takes it
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
  /** Each is made when it is first read: all of them take 24 ms and 5 MB (measured). */
  const made = new Map<Language, Translate>();
  const wordsFor: WordsFor = (locale) => {
    const language = byLocale.get(locale) ?? ENGLISH;
    const translate = made.get(language) ?? make(language);
    made.set(language, translate);
    return translate;
  };
  return { wordsFor, pages };
}

/** The names of Discord's pages and permissions in this language, for the sentences that name them. */
const discordNames = ({ permission, discord }: Sentences): Readonly<Record<string, string>> => ({
  ...discord,
  manageGuild: permission.ManageGuild,
});

/**
 * The service's name as values of a sentence: `{{Service}}` at its beginning, `{{service}}` and so on within it, and with
 * `_plain` behind where markup is not understood.
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
      // Discord is not HTML; what others wrote is escaped where it is put into a sentence.
      escapeValue: false,
      defaultVariables: forms,
      alwaysFormat: true,
    },
    missingInterpolationHandler: () => '',
  });
  const all = new Intl.ListFormat(tag, { type: 'conjunction' });
  const oneOf = new Intl.ListFormat(tag, { type: 'disjunction' });
  return Object.assign(remembering(instance.getFixedT(tag)), {
    and: (texts: readonly string[]) => all.format(texts),
    or: (texts: readonly string[]) => oneOf.format(texts),
    site,
  });
}

/** Values that are quantities. Ports, ids, seconds and the numbers of lines are written as they are. */
const QUANTITIES: ReadonlySet<unknown> = new Set(['count', 'all', 'done', 'found', 'length', 'most']);

/** Formats quantities as the language writes numbers. */
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

/** The most sentences that are remembered in each language; then the oldest goes. */
const MOST_REMEMBERED = 500;

/** Remembers sentences: i18next takes 20 µs for one, and most are made again and again with the same values. */
function remembering(translate: TFunction): TFunction {
  const sentences = createBoundedMap<string>(MOST_REMEMBERED);
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
