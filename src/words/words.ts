import i18next, { type TFunction } from 'i18next';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import { escapeText } from './escape.ts';

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
export interface Named {
  readonly name?: string | undefined;
  readonly page?: string | undefined;
}

export interface Words {
  readonly wordsFor: WordsFor;
  readonly pages: ListingPages;
}

/** The sentences in every language, with the listing service by its name in them. */
export function createWords({ name, page }: Named = {}): Words {
  const pages = createListingPages(page);
  const of = (language: string, words: (typeof languages)[keyof typeof languages]) => {
    const forms = name === undefined ? words.listing.unnamed : words.listing.named;
    return translator(language, words, formsOf(Object.entries(forms), name, pages()));
  };
  const english = of('en', languages.en);
  const translators = new Map(
    Object.entries(languages).map(([language, words]) => [
      language,
      language === 'en' ? english : of(language, words),
    ]),
  );
  return {
    wordsFor: (locale) => translators.get(locale) ?? translators.get(locale.split('-')[0] ?? '') ?? english,
    pages,
  };
}

/**
 * What a sentence takes the service's name from: `{{Service}}` at its beginning, `{{service}}` and so on within it, and
 * the same with `_plain` behind where no markup is understood.
 */
function formsOf(
  forms: readonly (readonly [string, string])[],
  name: string | undefined,
  page: string | undefined,
): Readonly<Record<string, string>> {
  const escaped = name === undefined ? '' : escapeText(name);
  return Object.fromEntries(
    forms.flatMap(([form, text]) => [
      [form, linked(text, page).replace('{{name}}', () => escaped)],
      [`${form}_plain`, unlinked(text).replace('{{name}}', () => name ?? '')],
    ]),
  );
}

function translator(
  language: string,
  words: (typeof languages)[keyof typeof languages],
  forms: Readonly<Record<string, string>>,
): Translate {
  const instance = i18next.createInstance();
  instance.init({
    lng: language,
    resources: { [language]: { translation: words } },
    initAsync: false,
    // Discord is not HTML; what others wrote is escaped where it is put into a sentence.
    interpolation: { escapeValue: false, defaultVariables: forms },
  });
  return remembering(instance.getFixedT(language), { language, forms });
}

const VALUE = /\{\{(\w+)\}\}/;

/**
 * Looks up a sentence once, a plural once for each of its forms, and fills it in by itself: i18next takes 10 µs for each
 * sentence of each answer.
 */
function remembering(
  t: Translate,
  { language, forms }: { readonly language: string; readonly forms: Readonly<Record<string, string>> },
): Translate {
  const plurals = new Intl.PluralRules(language);
  const lookUp = t as unknown as (key: string, options: object) => string;
  /** Texts, and between them the names of values. */
  const found = new Map<string, readonly string[]>();

  const remembered = (key: string, values: Readonly<Record<string, unknown>> = {}): string => {
    const { count } = values;
    const id = typeof count === 'number' ? `${key} ${count === 0 ? 'zero' : plurals.select(count)}` : key;
    const pieces = found.get(id) ?? lookUp(key, { count, skipInterpolation: true }).split(VALUE);
    found.set(id, pieces);
    let sentence = '';
    pieces.forEach((piece, index) => {
      sentence += index % 2 === 0 ? piece : (values[piece] ?? forms[piece] ?? '');
    });
    return sentence;
  };
  return remembered as unknown as Translate;
}

/**
 * A page for people at the listing service: about one address (`host:port`) where the operator's link has a place for
 * it, or the list itself. `undefined` where the operator has named no page.
 */
export type ListingPages = (address?: string) => string | undefined;

/** Stands in the operator's link for the address that was submitted. */
export const ADDRESS = '{address}';

/** Discord docs: Components, Button: the URL of a link button has at most 512 characters. */
const LONGEST_LINK = 512;

/**
 * @param template an http or https URL, in which {@link ADDRESS} may stand once. Without an address the link ends
 * before the part that it stands in: a query or fragment, or the last piece of a path.
 */
export function createListingPages(template: string | undefined): ListingPages {
  if (template === undefined) return () => undefined;
  const [before = '', after] = template.split(ADDRESS);
  if (after === undefined) return () => inMarkup(template);
  const { origin, pathname, search, hash } = new URL(before);
  const isInPath = search === '' && hash === '' && !/[?#]$/.test(before);
  const list = inMarkup(origin + (isInPath ? pathname.slice(0, pathname.lastIndexOf('/') + 1) : pathname));
  return (address) => {
    const page = address === undefined ? list : inMarkup(before + encodeURIComponent(address) + after);
    return page.length > LONGEST_LINK ? list : page;
  };
}

/** What would end a link in Discord's markup. Everything else that does, a URL has encoded already. */
const inMarkup = (url: string) => new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29');

/** What is between square brackets as a link; its page is not shown as a preview below the message. */
export const linked = (text: string, page: string | undefined): string =>
  page === undefined ? unlinked(text) : text.replace(']', () => `](<${page}>)`);

/** The same without a link. */
const unlinked = (text: string): string => text.replace('[', '').replace(']', '');

interface Text {
  readonly name: string;
  readonly description: string;
}

interface CommandText extends Text {
  readonly options?: Readonly<Record<string, Text>>;
}

type Described = keyof (typeof languages)['en']['commands'] & string;

/** The fields of a command's or option's description that depend on language, as Discord takes them. */
interface LocalisedText {
  readonly name: string;
  readonly description: string;
  readonly name_localizations: Readonly<Record<string, string>>;
  readonly description_localizations: Readonly<Record<string, string>>;
}

/** Name and description of a command, in English and in every other language there is. */
export function commandText(command: Described): LocalisedText {
  return localised((words) => words[command]);
}

/** Name and description of an option of a command. */
export function optionText(command: Described, option: string): LocalisedText {
  return localised((words) => words[command]?.options?.[option]);
}

/** The name of a message command, in every language; such commands have no description. */
export function messageCommandText(
  command: keyof (typeof languages)['en']['messageCommands'],
): Pick<LocalisedText, 'name' | 'name_localizations'> {
  const { en, ...others } = languages;
  return {
    name: en.messageCommands[command].name,
    name_localizations: otherThan(
      en.messageCommands[command].name,
      Object.entries(others).map(([language, words]) => [language, words.messageCommands[command].name]),
    ),
  };
}

function localised(
  pick: (commands: Readonly<Record<string, CommandText>>) => Text | undefined,
): LocalisedText {
  const { en, ...others } = languages;
  const text = pick(en.commands);
  if (!text) throw new Error('A command or option has no English text');
  const translated = Object.entries(others).flatMap(([language, words]) => {
    const found = pick(words.commands);
    return found ? [[language, found] as const] : [];
  });
  return {
    name: text.name,
    description: text.description,
    name_localizations: otherThan(
      text.name,
      translated.map(([language, found]) => [language, found.name]),
    ),
    description_localizations: otherThan(
      text.description,
      translated.map(([language, found]) => [language, found.description]),
    ),
  };
}

/** Discord drops localized texts that say the same as the default, so they are not sent. */
const otherThan = (text: string, localized: readonly (readonly [string, string])[]) =>
  Object.fromEntries(localized.filter(([, other]) => other !== text));
