import { formatAddress } from '../addresses/address.ts';
import {
  ADDED,
  type Failure,
  type FailureReason,
  isHalted,
  KNOWN_ERRORS,
  type KnownError,
  type NotSent,
  type ServerSubmission,
  WITHHELD_WORDS,
} from '../listing/contract.ts';
import { linked } from './listing-pages.ts';
import type { Reader, Translate } from './words.ts';

/** Why there is no usable answer of the listing service, as a sentence for a member. Never the service's text. */
export function failureText(failure: Failure, t: Translate): string {
  if (failure.kind === 'unknown') return t(`service.${AFTER_SENDING[failure.reason]}`);
  if (isHalted(failure)) return t(`halt.${failure.reason}`);
  if (failure.retryAfterMs !== undefined) {
    // Discord counts down by itself, in the member's language.
    return t('service.keyRests', { seconds: Math.ceil((Date.now() + failure.retryAfterMs) / 1000) });
  }
  return t(BEFORE_SENDING[failure.reason] ?? 'service.down');
}

/** What happened to a request that had left, or a part of it. */
const AFTER_SENDING = {
  timeout: 'silent',
  reset: 'reset',
  aborted: 'stopped',
  redirect: 'moved',
  'rate-limited': 'limited',
  'server-error': 'failed',
  'not-found': 'notFound',
  'client-error': 'refusedRequest',
  'not-json': 'broken',
  'wrong-shape': 'broken',
  'key-repeated': 'keyRepeated',
  'too-large': 'tooLarge',
  // What can only happen before anything leaves; a connection that fails later has broken off.
  refused: 'reset',
  dns: 'reset',
  tls: 'reset',
  down: 'reset',
  'queue-full': 'reset',
  'too-late': 'reset',
  'key-dropped': 'reset',
} as const satisfies Readonly<Record<FailureReason, string>>;

/** Why nothing left, where it is not that the service could not be reached. */
const BEFORE_SENDING: Readonly<Partial<Record<NotSent['reason'], BeforeSending>>> = {
  tls: 'service.unsafe',
  'key-dropped': 'service.keyDropped',
  'queue-full': 'service.queueFull',
  'too-late': 'service.tooLate',
  aborted: 'halt.stopping',
};
type BeforeSending = `service.${'unsafe' | 'keyDropped' | 'queueFull' | 'tooLate'}` | 'halt.stopping';

/**
 * The service's words, word for word. Where the reader's language is another and they are one of the six that the
 * specification has, what they mean stands before them. Words that held the key were left out, and that is said.
 */
export function serviceWords(message: string, t: Translate): string {
  if (message === WITHHELD_WORDS) return t('service.withheld');
  const original = message.trim();
  const known = original === ADDED ? 'added' : KNOWN_NAMES.find((name) => KNOWN_ERRORS[name] === original);
  const meaning = known === undefined ? original : t(`said.${known}`);
  return meaning === original ? message : t('said.both', { meaning, original });
}

const KNOWN_NAMES = Object.keys(KNOWN_ERRORS) as KnownError[];

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

/** What to do about a key that the service refuses: an admin renews it, a member asks one. */
export const renewText = ({ t, mention, isAdmin }: Pick<Reader, 't' | 'mention' | 'isAdmin'>): string =>
  t(isAdmin ? 'notice.renew' : 'notice.askToRenew', { setkey: mention('setkey') });
