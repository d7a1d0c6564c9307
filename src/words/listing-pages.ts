import type { ServerSubmission } from '../listing/contract.ts';
import { addressOf } from '../server-lists/row.ts';
import { MAX_LINK_LENGTH } from '../text/one-line.ts';
import type { Audience } from './words.ts';

/**
 * Returns a page on the listing service's website: the page about the given address (`host:port`) if the operator's link
 * contains the placeholder, or else the list of servers. Returns `undefined` if the operator hasn't configured a page.
 */
export type ListingPages = (address?: string) => string | undefined;

const ADDRESS_PLACEHOLDER = '{address}';

/**
 * Creates the function that returns pages on the service's website.
 * @param template an http or https URL that can contain {@link ADDRESS_PLACEHOLDER} once. Without an address, the link ends before the
 * part with the placeholder (the query, the fragment or the path's last segment)
 */
export function createListingPages(template: string | undefined): ListingPages {
  if (template === undefined) return () => undefined;
  const [before = '', after] = template.split(ADDRESS_PLACEHOLDER);
  if (after === undefined) return () => inMarkup(template);
  const { origin, pathname, search, hash } = new URL(before);
  const isInPath = search === '' && hash === '' && !/[?#]$/.test(before);
  const list = inMarkup(origin + (isInPath ? pathname.slice(0, pathname.lastIndexOf('/') + 1) : pathname));
  return (address) => {
    const page = address === undefined ? list : inMarkup(before + encodeURIComponent(address) + after);
    return page.length > MAX_LINK_LENGTH ? list : page;
  };
}

/** Encodes the characters that would end a link in Discord's markup. All others have already been encoded by `URL`. */
const inMarkup = (url: string) => new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29');

/** Turns the text in square brackets into a link. Discord doesn't preview it. */
export const linked = (text: string, page: string | undefined): string =>
  page === undefined ? unlinked(text) : text.replace(']', () => `](<${page}>)`);

export const unlinked = (text: string): string => text.replace('[', '').replace(']', '');

export const pageAbout = (
  { pages }: Pick<Audience, 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'> | undefined,
): string | undefined => pages(server && addressOf(server));
