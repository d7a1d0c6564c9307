import i18next, { type TFunction } from 'i18next';
import { formatAddress } from '../addresses/address.ts';
import { LONGEST_NAME, type ServerSubmission } from '../listing/contract.ts';
import { visibleLine } from '../visible-line.ts';
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
const ADDRESS = '{address}';

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
const linked = (text: string, page: string | undefined): string =>
  page === undefined ? unlinked(text) : text.replace(']', () => `](<${page}>)`);

/** The same without a link. */
const unlinked = (text: string): string => text.replace('[', '').replace(']', '');

/** The page about one server of the list, for people; of the list itself without one. */
export const pageAbout = (
  { pages }: Pick<Reader, 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'> | undefined,
): string | undefined => pages(server && formatAddress({ host: server.server, port: server.port }));

/** For sentences that send people to the list: it leads to the page about this server. */
export const listAbout = (
  reader: Pick<Reader, 't' | 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'>,
): { readonly list: string } => ({
  list: linked(reader.t('listing.unnamed.list'), pageAbout(reader, server)),
});

/**
 * Where Discord's markup can begin or end (Discord docs: Message Formatting). A colon or a full stop before a space or
 * at the end is punctuation; elsewhere a colon begins `:emoji:` and the `//` of a link, and a full stop makes a bare
 * invite such as `discord.gg/…`, which Discord finds in the text as it was sent, of host and path.
 */
const MARKUP = /[\\*_~`|[\]<>@#]|[:.](?=\S)|^[-+]/gu;

/** The number of a numbered list. */
const LIST_NUMBER = /^(\d+)([.)])/u;

const escaped = (line: string): string =>
  line.replace(MARKUP, '\\$&').replace(LIST_NUMBER, (_all, number, mark) => `${number}\\${mark}`);

/**
 * Someone else's text as it stands, on one line, in which nothing acts: no markup, link, invite, mention, emoji code,
 * time or list. Nothing is inserted but backslashes, which Discord takes out before punctuation; what cannot be shown
 * goes as {@link visibleLine} says. Linear.
 * @param most UTF-16 units of the result; what is longer is cut before it is escaped
 */
export function escapeText(text: string, most: number = MOST_TEXT): string {
  const line = visibleLine(text);
  const whole = escaped(line);
  if (whole.length <= most) return whole;
  // Each character takes at most one backslash, and a part takes no more of them than the whole.
  const room = Math.max(Math.floor(most / 2), most - (whole.length - line.length));
  const part = escaped(shorten(line, room));
  // But for a dot or a colon that nothing followed and the ellipsis does: it takes one.
  return part.length <= most ? part : escaped(shorten(line, room - 1));
}

/** A name in a sentence, in UTF-16 units: of the 100 characters that a choice takes, each with a backslash. */
export const LONGEST_ESCAPED_NAME = 2 * LONGEST_NAME;

/** A member as a mention, which pings nobody in an embed, and as a name, which stays when they have left. */
export function memberText({ id, name }: { readonly id: string; readonly name: string }): string {
  return `<@${id}> (${escapeText(name, LONGEST_ESCAPED_NAME)})`;
}

/** A text in the service's words, beside the address it is about and what to do next, in a message of 2,000. */
const MOST_TEXT = 1200;

/**
 * Someone else's text to be put between backticks, where nothing acts but a backtick, which no backslash escapes: it
 * is shown as an apostrophe. Never empty, since two backticks with nothing between them would begin other code.
 */
export const escapeCode = (text: string, most: number = MOST_CODE): string =>
  shorten(visibleLine(text).replaceAll('`', "'"), most) || ' ';

/** The longest address with its port. */
const MOST_CODE = 300;

const ELLIPSIS = '…';
/** Made for the first text that is too long: it takes the start 8 ms, and most bots never need it. */
let segmenter: Intl.Segmenter | undefined;
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter();
  return segmenter;
}
/** UTF-16 units; the longest emoji there is takes 35. A longer pile of marks is cut between its code points. */
const LONGEST_GRAPHEME = 64;

/** The text cut to `max` UTF-16 units, between characters as people see them. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Two units more tell whether what follows belongs to the last character.
  const { index = max } =
    graphemes()
      .segment(text.slice(0, max + 2))
      .containing(max) ?? {};
  const isTorn = /[\ud800-\udbff]$/.test(text.slice(0, max));
  return text.slice(0, max - index <= LONGEST_GRAPHEME ? index : max - Number(isTorn));
}

/** The text cut to `max` UTF-16 units, with an ellipsis where something was cut. For text without markup. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : cut(text, max - ELLIPSIS.length) + ELLIPSIS;

/**
 * As {@link shorten}, for text of ours with markup in it: never cut within an escape, a mention or a piece of code,
 * whose contents would act without their closing backtick. Code with one backtick on each side is all we use.
 */
export function shortenMarkup(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = cut(text, max - ELLIPSIS.length);
  return kept.slice(0, openEnd(kept)) + ELLIPSIS;
}

/** Where something begins that does not end within the text; its length when all does. */
function openEnd(text: string): number {
  const whole = text.length;
  let [code, mention, backslash] = [whole, whole, whole];
  for (let i = 0; i < whole; i++) {
    const char = text[i];
    if (char === '`') code = code === whole ? i : whole;
    else if (code < whole) continue;
    else if (char === '<') mention = i;
    else if (char === '>') mention = whole;
    else if (char === '\\' && ++i === whole) backslash = i - 1;
  }
  return Math.min(code, mention, backslash);
}
