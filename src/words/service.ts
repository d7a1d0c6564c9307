import { formatAddress } from '../addresses/address.ts';
import {
  type Failure,
  isFaultyAnswer,
  isHalted,
  type ServerSubmission,
  WITHHELD_WORDS,
} from '../listing/contract.ts';
import { linked } from './listing-pages.ts';
import type { Reader, Translate } from './words.ts';

/** Why there is no usable answer of the listing service, as a sentence for a member. Never the service's text. */
export function failureText(failure: Failure, t: Translate): string {
  const { kind, reason } = failure;
  if (failure.kind === 'not-sent' && isHalted(failure)) return t(`halt.${failure.reason}`);
  if (reason === 'key-dropped') return t('service.keyDropped');
  if (reason === 'queue-full') return t('service.queueFull');
  if (reason === 'too-late') return t('service.tooLate');
  if (failure.kind === 'not-sent' && failure.retryAfterMs !== undefined) {
    // Discord counts down by itself, in the member's language.
    return t('service.keyRests', { seconds: Math.ceil((Date.now() + failure.retryAfterMs) / 1000) });
  }
  if (reason === 'redirect') return t('service.moved');
  if (reason === 'key-repeated') return t('service.keyRepeated');
  if (isFaultyAnswer(failure)) return t('service.broken');
  return kind === 'unknown' ? t('service.silent') : t('service.down');
}

/** The service's words as they came; where they were left out since they held the key, that in the reader's language. */
export const serviceWords = (message: string, t: Translate): string =>
  message === WITHHELD_WORDS ? t('service.withheld') : message;

/** That a key was not tried, and when one can be; `at` in milliseconds since 1970. */
export const tooSoonText = ({ at }: { readonly at: number }, t: Translate): string =>
  t('setkey.tooSoon', { seconds: Math.ceil(at / 1000) });

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
