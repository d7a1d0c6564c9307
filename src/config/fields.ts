import { isIP } from 'node:net';
import { z } from 'zod';
import { parseStoreUrl } from '../store-url.ts';
import { MAX_LINK_LENGTH } from '../text/one-line.ts';
import { Secret } from '../text/secret.ts';

/** A 32-byte key in hexadecimal, base64 or base64url. */
const KEY = /^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i;
/** A host name or address as written in a URL, with IPv6 in brackets and without the default port. */
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/;
/** Leaves room within Discord's limit for a 253-character address and a port. */
const MAX_PAGE_LENGTH = 200;
/** One week. The timer for the end of the period can't run for more than 24 days. */
const MAX_WINDOW_SECONDS = 604_800;

/** Builds the error message that zod shows for a requirement: `X is missing: it must be …` or `X must be …`. */
export function must(requirement: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? `is missing: it must be ${requirement}` : `must be ${requirement}`,
  };
}

/**
 * Whether an invalid value has a plausible form for its variable, so that an error can show the value. A secret in the
 * wrong variable doesn't have that form. The errors of fields that aren't registered never show the value.
 */
export const SHOWABLE = z.registry<{ readonly looksRight: (text: string) => boolean }>();

const showIf = (pattern: RegExp) => ({ looksRight: (text: string) => pattern.test(text) });

export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  requirement = words.join(' or '),
) => z.enum(words, must(requirement)).register(SHOWABLE, showIf(/^[a-z]{1,10}$/i));

export const wholeNumber = (limits: { readonly from: number; readonly to: number; readonly unit: string }) =>
  numberIn(limits, `a whole number of ${limits.unit} from ${limits.from} to ${limits.to}`);

export const port = numberIn({ from: 1, to: 65_535 }, 'a port from 1 to 65535');

function numberIn({ from, to }: { readonly from: number; readonly to: number }, requirement: string) {
  return z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= from && Number(text) <= to, must(requirement))
    .transform(Number)
    .register(SHOWABLE, showIf(/^[-+\d.,]{1,12}$/));
}

/** The bot stores at most this number of servers per guild, so it couldn't enforce a higher limit. */
const MAX_SERVERS = 20_000;
const USAGE_LIMIT = must(
  `servers/seconds, such as 1000/3600: from 1/1 to ${MAX_SERVERS}/${MAX_WINDOW_SECONDS}`,
);
export const usageLimit = z
  .string()
  .regex(/^\d{1,5}\/\d{1,6}$/, USAGE_LIMIT)
  .transform((text) => {
    const [servers = 0, seconds = 0] = text.split('/').map(Number);
    return { servers, seconds };
  })
  .refine(
    ({ servers, seconds }) =>
      servers >= 1 && servers <= MAX_SERVERS && seconds >= 1 && seconds <= MAX_WINDOW_SECONDS,
    USAGE_LIMIT,
  )
  .register(SHOWABLE, showIf(/^[\d/ ]{1,16}$/));

/** Matches a host, also in a URL. Keys and tokens lack dots or have longer parts, and paths with digits may be secret. */
const HOST_OR_URL =
  /^(?:[a-z]{1,8}:\/\/)?[a-z\d-]{1,20}(?:\.[a-z\d-]{1,20}){1,4}(?::\d{1,5})?(?:\/[a-z{}-]{0,12}){0,4}$/i;

const hostsLookRight = (text: string): boolean =>
  text
    .split(/[\s,]+/)
    .every(
      (host) => host === '' || isIP(host.replace(/^\[|\](?::\d+)?$/g, '')) !== 0 || HOST_OR_URL.test(host),
    );

const SHOWN_URL = showIf(HOST_OR_URL);

export function url(requirement: string, isAllowed: (url: URL) => boolean) {
  return z
    .string(must(requirement))
    .refine(
      (text) => URL.canParse(text) && isPlainUrl(new URL(text)) && isAllowed(new URL(text)),
      must(requirement),
    )
    .transform((text) => withoutSlashes(new URL(text).href))
    .register(SHOWABLE, SHOWN_URL);
}

function withoutSlashes(text: string): string {
  let end = text.length;
  while (text.endsWith('/', end)) end -= 1;
  return text.slice(0, end);
}

export function secret(requirement: string, pattern: RegExp) {
  return z
    .string(must(requirement))
    .regex(pattern, must(requirement))
    .transform((text) => new Secret(text));
}

export function secretUrl(requirement: string, isAllowed: (url: URL) => boolean) {
  return z
    .string(must(requirement))
    .refine((text) => URL.canParse(text) && isAllowed(new URL(text)), must(requirement))
    .transform((text) => new Secret(new URL(text).href));
}

/** The three parts of a bot token. discord.js only masks the part after the second dot in its debug output. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const TOKEN_NEEDED = 'the bot token: three parts separated by dots, and nothing else';

export const botToken = z.string(must(TOKEN_NEEDED)).transform((text, { addIssue }) => {
  if (TOKEN.test(text)) return new Secret(text);
  addIssue(`must be ${TOKEN_NEEDED}${mistakeIn(text)}`);
  return z.NEVER;
});

/** Describes a common mistake without repeating any part of the token. */
function mistakeIn(text: string): string {
  if (/^bot\s/i.test(text)) return '. It begins with "Bot ": remove that';
  if (/^[\w-]{32}$/.test(text)) {
    return '. This looks like the client secret from the "OAuth2" page: the token is on the "Bot" page';
  }
  return /\s/.test(text) ? '. It contains a space' : '';
}

export const link = z
  .string()
  .refine(
    (text) =>
      URL.canParse(text) &&
      new URL(text).protocol === 'https:' &&
      new URL(text).href.length <= MAX_LINK_LENGTH,
    must(`the https address of a page that members can open, at most ${MAX_LINK_LENGTH} characters`),
  )
  .transform((text) => new URL(text).href)
  .register(SHOWABLE, SHOWN_URL);

/** Accepts a link and keeps it in its original form, because `URL` would encode the braces in `{address}`. */
export const listingPage = z
  .string()
  .refine(
    isListingPage,
    must(
      `the http or https address of a page, at most ${MAX_PAGE_LENGTH} characters, without user; {address} can occur ` +
        'once, after the host',
    ),
  )
  .register(SHOWABLE, SHOWN_URL);

function isListingPage(text: string): boolean {
  const pieces = text.split('{address}');
  if (text.length > MAX_PAGE_LENGTH || pieces.length > 2 || !URL.canParse(text)) return false;
  const { protocol, username, password, host } = new URL(text);
  return !host.includes('{') && ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

/** The database's password never appears in messages. */
export const storeUrl = z.string().transform((text, { addIssue }) => {
  const parsed = parseStoreUrl(text);
  if (parsed) return parsed;
  addIssue(
    'must be a SQLite file, such as sqlite://data/bot.sqlite, or a PostgreSQL database, such as ' +
      'postgres://user:password@host/database ("%40" for an "@" in the password, and so on)',
  );
  return z.NEVER;
});

/** The first key is used to encrypt. */
export const encryptionKeys = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .refine(
    (keys) => keys.every((key) => KEY.test(key)),
    must('32 bytes in base64 or hexadecimal; separate several with commas'),
  )
  .transform((keys) => keys.map(inBase64));

/** An Ed25519 key. */
export const publicKey = z
  .string()
  .regex(
    /^[0-9a-f]{64}$/i,
    must(
      'the Public Key of the application: 64 hexadecimal digits, from "General Information" in the Developer Portal',
    ),
  );

export const listenAddress = z
  .string()
  .regex(/^[\w.:-]+$/, must('an address of this machine, such as 127.0.0.1, 0.0.0.0 or ::'))
  .register(SHOWABLE, { looksRight: hostsLookRight });

function hosts(requirement: string) {
  return z
    .string()
    .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
    .refine(
      (all) => all.every((host) => HOST.test(host) && URL.canParse(`https://${host}`)),
      must(requirement),
    )
    .register(SHOWABLE, { looksRight: hostsLookRight });
}

export const hostsWithPorts = hosts(
  'hosts such as cdn.example.com or cdn.example.com:8443, separated by commas',
);

const IP_ADDRESSES = 'IP addresses, such as 9.9.9.9, 127.0.0.1:5353 or [2620:fe::fe], separated by commas';
export const nameServers = hosts(IP_ADDRESSES)
  .refine(
    (servers) => servers.every((server) => isIP(server.replace(/^\[|\]?(?::\d+)?$/gu, '')) !== 0),
    must(IP_ADDRESSES),
  )
  .register(SHOWABLE, { looksRight: hostsLookRight });

export const isDiscordId = (text: string): boolean => /^\d{17,20}$/.test(text);

export const discordIds = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((id) => id !== ''))
  .refine(
    (all) => all.length > 0 && all.every(isDiscordId),
    must('Discord ids such as 123456789012345678, separated by commas'),
  )
  .register(SHOWABLE, showIf(/^[\d\s,]{1,40}$/));

function inBase64(key: string): Secret {
  const bytes = Buffer.from(key, key.length === 64 ? 'hex' : 'base64');
  return new Secret(bytes.toString('base64'));
}

/** Whether a URL lacks a user name and password, which logs might show, and a query and hash, so paths can be appended. */
function isPlainUrl({ username, password, search, hash, href }: URL): boolean {
  return username === '' && password === '' && search === '' && hash === '' && !/[?#]/.test(href);
}

/** Keeps the bot from sending API keys over a network unencrypted. */
export function isHttpsOrLoopback(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** Keeps a typo in the variable from leaking the bot's token to someone else. */
export function isDiscordOrLoopback(url: URL): boolean {
  const discord = url.hostname === 'discord.com' || url.hostname.endsWith('.discord.com');
  return isHttpsOrLoopback(url) && (discord || isLoopback(url));
}

export const isDiscordWebhook = (url: URL): boolean =>
  isDiscordOrLoopback(url) &&
  /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+$/.test(url.pathname) &&
  /^(?:\?thread_id=\d+)?$/.test(url.search);

/** Relies on `URL`, which has already normalised the different notations of IPv4 addresses. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
