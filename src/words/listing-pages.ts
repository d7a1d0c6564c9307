import type { ServerSubmission } from '../listing/contract.ts';
import { LONGEST_LINK } from '../numbers.ts';
import { addressOf } from '../server-lists/row.ts';
import type { Reader } from './words.ts';

/**
 * A page of the listing service for people: about one address (`host:port`) if the operator's link has a place for it,
 * otherwise the list itself. `undefined` if the operator has named no page.
 */
export type ListingPages = (address?: string) => string | undefined;

/** Stands in the operator's link for the submitted address. */
const ADDRESS = '{address}';

/**
 * @param template an http or https URL, in which {@link ADDRESS} may stand once. Without an address the link ends before
 * the part with {@link ADDRESS}: a query or fragment, or the last piece of a path.
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

/** Characters that would end a link in Discord's markup; `URL` has encoded all others that would. */
const inMarkup = (url: string) => new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29');

/** Makes the text in square brackets a link, without a preview of its page below the message. */
export const linked = (text: string, page: string | undefined): string =>
  page === undefined ? unlinked(text) : text.replace(']', () => `](<${page}>)`);

/** Takes the square brackets away. */
export const unlinked = (text: string): string => text.replace('[', '').replace(']', '');

/** The page about a server, or without a server the list. */
export const pageAbout = (
  { pages }: Pick<Reader, 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'> | undefined,
): string | undefined => pages(server && addressOf(server));

/** The site of a sentence: it leads to the page about a server, or without a server to the list. */
export const siteAbout = (
  reader: Pick<Reader, 't' | 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'> | undefined,
): { readonly site: string } => ({
  site: reader.t.site(pageAbout(reader, server)),
});
