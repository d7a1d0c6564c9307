import i18next, { type TFunction } from 'i18next';
import { dropOldest } from '../drop-oldest.ts';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import { escapeText } from './escape.ts';
import { createListingPages, type ListingPages, linked, unlinked } from './listing-pages.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
    returnNull: false;
  }
}

/** Every language, under Discord's name for it; `en` is the default. To add one: its file and a line here. */
export const languages = { en, de } as const;
type Sentences = (typeof languages)[keyof typeof languages];
/** Sentences by language, `en` among them. */
export type Languages = Readonly<Record<string, Sentences>>;

/** A whole sentence by its key, with named values; plural forms by `count`. */
export type Translate = TFunction;

/** The sentences for Discord's `locale` (such as `en-US` or `de`); English where a language is not there. */
export type WordsFor = (locale: string) => Translate;

/** Whom a sentence is for. */
export interface Reader {
  /** Sentences in their language. */
  readonly t: Translate;
  /** A command as a clickable mention, or as plain text while its id is not known. */
  readonly mention: (command: string) => string;
  /** Whether they may manage the guild: they are told what to do, others whom to ask. */
  readonly isAdmin: boolean;
  /** Where the list can be looked at. */
  readonly pages: ListingPages;
}

/** How the operator calls the listing service, and the page that its name leads to, as {@link createListingPages} takes it. */
export interface NamedService {
  readonly name?: string | undefined;
  readonly page?: string | undefined;
}

export interface Words {
  readonly wordsFor: WordsFor;
  readonly pages: ListingPages;
}

/** The sentences in every language, with the listing service by its name in them. */
export function createWords({ name, page }: NamedService = {}, table: Languages = languages): Words {
  const pages = createListingPages(page);
  const translators = new Map(
    Object.entries(table).map(([language, sentences]) => [
      language,
      translator(language, sentences, nameForms(sentences, name, pages())),
    ]),
  );
  const english = translators.get('en') as Translate;
  const find = (locale: string) => translators.get(locale) ?? translators.get(locale.split('-')[0] ?? '');
  return { wordsFor: (locale) => find(locale) ?? english, pages };
}

/**
 * What a sentence takes the service's name from: `{{Service}}` at its beginning, `{{service}}` and so on within it, and
 * the same with `_plain` behind where no markup is understood.
 */
function nameForms(
  { listing }: Sentences,
  name: string | undefined,
  page: string | undefined,
): Readonly<Record<string, string>> {
  const { unnamed, named, list } = listing;
  const forms = Object.entries({ ...(name === undefined ? unnamed : named), list });
  const inMarkup = escapeText(name ?? '');
  const texts = forms.flatMap(([form, text]) => [
    [form, linked(text, page).replace('{{name}}', () => inMarkup)],
    [`${form}_plain`, unlinked(text).replace('{{name}}', () => name ?? '')],
  ]);
  return Object.fromEntries(texts);
}

function translator(
  language: string,
  sentences: Sentences,
  forms: Readonly<Record<string, string>>,
): Translate {
  const instance = i18next.createInstance();
  instance.init({
    lng: language,
    resources: { [language]: { translation: sentences } },
    initAsync: false,
    // Discord is not HTML; what others wrote is escaped where it is put into a sentence.
    interpolation: { escapeValue: false, defaultVariables: forms },
    missingInterpolationHandler: () => '',
  });
  return remembering(instance.getFixedT(language));
}

/** Sentences that are remembered in each language; the oldest goes. */
const MOST_REMEMBERED = 500;

/** i18next takes 20 µs for a sentence, and most are made again and again with the same values. */
function remembering(translate: Translate): Translate {
  const sentences = new Map<string, string>();
  const remembered = (key: string, values?: object): string => {
    const asked = `${key} ${JSON.stringify(values)}`;
    const known = sentences.get(asked);
    if (known !== undefined) return known;
    const sentence = String(translate(key as never, values as never));
    sentences.set(asked, sentence);
    dropOldest(sentences, MOST_REMEMBERED);
    return sentence;
  };
  return remembered as unknown as Translate;
}
