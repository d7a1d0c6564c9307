import { formatAddress } from '../addresses/address.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import { LONGEST_LINK } from '../numbers.ts';
import type { Reader } from './words.ts';

/**
 * A page for people at the listing service: about one address (`host:port`) where the operator's link has a place for
 * it, or the list itself. `undefined` where the operator has named no page.
 */
export type ListingPages = (address?: string) => string | undefined;

/** Stands in the operator's link for the address that was submitted. */
const ADDRESS = '{address}';

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
export const unlinked = (text: string): string => text.replace('[', '').replace(']', '');

/** The page about one server of the list, for people; of the list itself without one. */
export const pageAbout = (
  { pages }: Pick<Reader, 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'> | undefined,
): string | undefined => pages(server && formatAddress({ host: server.server, port: server.port }));

/** For sentences that send people to the list: it leads to the page about this server, or to the list without one. */
export const listAbout = (
  reader: Pick<Reader, 't' | 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'> | undefined,
): { readonly list: string } => ({
  list: linked(reader.t('listing.list'), pageAbout(reader, server)),
});
