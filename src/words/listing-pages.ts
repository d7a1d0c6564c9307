import type { ServerSubmission } from '../listing/contract.ts';
import { LONGEST_LINK } from '../numbers.ts';
import { addressOf } from '../server-lists/row.ts';
import type { Audience } from './words.ts';

/**
 * Returns a page of the listing service for people. If the operator's link contains the placeholder, this is the page about
 * the address (`host:port`); otherwise it is the list. `undefined` if the operator hasn't configured a page.
 */
export type ListingPages = (address?: string) => string | undefined;

/** The placeholder for the submitted address in the operator's link. */
const ADDRESS = '{address}';

/**
 * Creates the function that returns the service's pages.
 * @param template an http or https URL that can contain {@link ADDRESS} once. If there is no address, the link ends before
 * the part that contains {@link ADDRESS}, which can be a query, a fragment, or the last segment of the path.
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

/** Encodes the characters that would end a link in Discord's markup. `URL` has already encoded all others. */
const inMarkup = (url: string) => new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29');

/** Turns the text in square brackets into a link that doesn't show a preview below the message. */
export const linked = (text: string, page: string | undefined): string =>
  page === undefined ? unlinked(text) : text.replace(']', () => `](<${page}>)`);

/** Removes the square brackets. */
export const unlinked = (text: string): string => text.replace('[', '').replace(']', '');

/** Returns the page about a server; if there is no server, returns the list. */
export const pageAbout = (
  { pages }: Pick<Audience, 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'> | undefined,
): string | undefined => pages(server && addressOf(server));
