import { z } from 'zod';
import { LONGEST_LINK } from '../numbers.ts';
import { Secret } from '../secret.ts';
import { parseStoreUrl } from '../store-url.ts';

/** 32 bytes in hexadecimal or base64 (either alphabet). */
const KEY = /^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i;
/** A name or an address as a URL has it, IPv6 in brackets, and a port where it is not the scheme's own. */
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/;
/** A longer link, with an address of 253 characters and a port in it, could exceed Discord's limit. */
const LONGEST_PAGE = 200;
/** A week; the timer that ends a window takes 24 days at most. */
const LONGEST_WINDOW_SECONDS = 604_800;

/** Makes zod's message of a requirement: `X is missing: it must be …` or `X must be …`. */
export function must(requirement: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? `is missing: it must be ${requirement}` : `must be ${requirement}`,
  };
}

/** A whole number in decimal digits, within the limits. */
export const wholeNumber = (limits: { readonly from: number; readonly to: number; readonly unit: string }) =>
  numberIn(limits, `a whole number of ${limits.unit} from ${limits.from} to ${limits.to}`);

export const port = numberIn({ from: 1, to: 65_535 }, 'a port from 1 to 65535');

function numberIn({ from, to }: { readonly from: number; readonly to: number }, requirement: string) {
  return z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= from && Number(text) <= to, must(requirement))
    .transform(Number);
}

/** No more of a guild's servers are kept, and what is not kept cannot be counted. */
const MOST_SERVERS = 20_000;
const USAGE_LIMIT = must(
  `servers/seconds, such as 1000/3600: from 1/1 to ${MOST_SERVERS}/${LONGEST_WINDOW_SECONDS}`,
);
/** Servers in a window of seconds, as `1000/3600`. */
export const usageLimit = z
  .string()
  .regex(/^\d{1,5}\/\d{1,6}$/, USAGE_LIMIT)
  .transform((text) => {
    const [servers = 0, seconds = 0] = text.split('/').map(Number);
    return { servers, seconds };
  })
  .refine(
    ({ servers, seconds }) =>
      servers >= 1 && servers <= MOST_SERVERS && seconds >= 1 && seconds <= LONGEST_WINDOW_SECONDS,
    USAGE_LIMIT,
  );

/**
 * A URL; slashes at its end are cut off.
 * @param allowed what else it has to be
 */
export function url(requirement: string, allowed: (url: URL) => boolean) {
  return z
    .string(must(requirement))
    .refine(
      (text) => URL.canParse(text) && isPlainUrl(new URL(text)) && allowed(new URL(text)),
      must(requirement),
    )
    .transform((text) => withoutSlashes(new URL(text).href));
}

function withoutSlashes(text: string): string {
  let end = text.length;
  while (text.endsWith('/', end)) end -= 1;
  return text.slice(0, end);
}

/** A secret, as a `Secret` that no text shows. */
export function secret(requirement: string, pattern: RegExp) {
  return z
    .string(must(requirement))
    .regex(pattern, must(requirement))
    .transform((text) => new Secret(text));
}

/** A URL that gives access by itself, as a `Secret`. */
export function secretUrl(requirement: string, allowed: (url: URL) => boolean) {
  return z
    .string(must(requirement))
    .refine((text) => URL.canParse(text) && allowed(new URL(text)), must(requirement))
    .transform((text) => new Secret(new URL(text).href));
}

/** The shape of a bot token: three parts. discord.js masks it in its debug output only from the second dot on. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const TOKEN_NEEDED = 'the token of the bot: three parts with dots between them, and nothing else';

/** The bot's token, as a `Secret`. */
export const botToken = z.string(must(TOKEN_NEEDED)).transform((text, { addIssue }) => {
  if (TOKEN.test(text)) return new Secret(text);
  addIssue(`must be ${TOKEN_NEEDED}${slipIn(text)}`);
  return z.NEVER;
});

/** Names the usual mistake in a token of this shape, and repeats no part of the token. */
function slipIn(text: string): string {
  if (/^bot\s/i.test(text)) return '. It begins with "Bot ": leave that out';
  if (/^\p{Quotation_Mark}|\p{Quotation_Mark}$/u.test(text))
    return '. It has quotes around it: leave them out';
  if (/^[\w-]{32}$/.test(text)) {
    return '. This looks like the client secret, of the page "OAuth2": the token is on the page "Bot"';
  }
  return /\s/.test(text) ? '. It has a space in it' : '';
}

/** A page for a link button. */
export const link = z
  .string()
  .refine(
    (text) =>
      URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).href.length <= LONGEST_LINK,
    must(`the https address of a page that members can open, at most ${LONGEST_LINK} characters`),
  )
  .transform((text) => new URL(text).href);

/** A link as it was written, since `URL` would encode the braces of `{address}`. */
export const listingPage = z
  .string()
  .refine(
    isListingPage,
    must(
      `the http or https address of a page, at most ${LONGEST_PAGE} characters, without user; {address} may stand in it ` +
        'once, behind the host',
    ),
  );

function isListingPage(text: string): boolean {
  const pieces = text.split('{address}');
  if (text.length > LONGEST_PAGE || pieces.length > 2 || !URL.canParse(text)) return false;
  const { protocol, username, password, host } = new URL(text);
  return !host.includes('{') && ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

/** A file of SQLite or a database of PostgreSQL, whose password is in no text. */
export const storeUrl = z.string().transform((text, { addIssue }) => {
  const parsed = parseStoreUrl(text);
  if (parsed) return parsed;
  addIssue(
    'must be a file of SQLite, such as sqlite://data/bot.sqlite, or a database of PostgreSQL, as ' +
      'postgres://user:password@host/database ("%40" for an "@" in the password, and so on)',
  );
  return z.NEVER;
});

/** One encryption key or several, of which the first seals; the result is in base64. */
export const encryptionKeys = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .refine(
    (keys) => keys.every((key) => KEY.test(key)),
    must('32 bytes in base64 or hexadecimal; several with commas between them'),
  )
  .transform((keys) => keys.map(inBase64));

/** 32 bytes of Ed25519, in hexadecimal. */
export const publicKey = z
  .string()
  .regex(
    /^[0-9a-f]{64}$/i,
    must(
      'the Public Key of the application: 64 hexadecimal digits, from "General Information" in the Developer Portal',
    ),
  );

/** An address that the bot listens on. */
export const address = z
  .string()
  .regex(/^[\w.:-]+$/, must('an address of this machine, such as 127.0.0.1, 0.0.0.0 or ::'));

/** `host` or `host:port`, in small letters. */
export const hostsWithPorts = z
  .string()
  .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
  .refine(
    (hosts) => hosts.every((host) => HOST.test(host) && URL.canParse(`https://${host}`)),
    must('hosts, such as cdn.example.com or cdn.example.com:8443, with commas between them'),
  );

/** Of guilds or users at Discord. */
export const ids = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((id) => id !== ''))
  .refine(
    (all) => all.length > 0 && all.every((id) => /^\d{17,20}$/.test(id)),
    must('ids of Discord, such as 123456789012345678, with commas between them'),
  );

function inBase64(key: string): Secret {
  const bytes = Buffer.from(key, key.length === 64 ? 'hex' : 'base64');
  return new Secret(bytes.toString('base64'));
}

/** Has no password, which a log could show, and no query or fragment, so that a path can be put behind it. */
function isPlainUrl({ username, password, search, hash, href }: URL): boolean {
  return username === '' && password === '' && search === '' && hash === '' && !/[?#]/.test(href);
}

/** A URL that keys are sent to: never in clear over a network. */
export function isHttpsOrLoopback(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** A URL that the bot's token is sent to: a mistyped variable must not give it to somebody else. */
export function isDiscordOrLoopback(url: URL): boolean {
  const discord = url.hostname === 'discord.com' || url.hostname.endsWith('.discord.com');
  return isHttpsOrLoopback(url) && (discord || isLoopback(url));
}

/** The address of a webhook, of a thread's too. */
export const isDiscordWebhook = (url: URL): boolean =>
  isDiscordOrLoopback(url) &&
  /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+$/.test(url.pathname) &&
  /^(?:\?thread_id=\d+)?$/.test(url.search);

/** `URL` has already turned every way of writing an IPv4 address into four numbers. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
