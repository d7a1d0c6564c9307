import { z } from 'zod';
import { readVariables } from './config-source.ts';
import { isDiscordOrLoopback, isHttpsOrLoopback, isPlainUrl } from './config-url.ts';
import { Secret } from './secret.ts';

/** The environment is not usable. The message names every bad variable, on a line each, and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The shape of a bot token: three parts. discord.js masks it in its debug output only from the second dot on. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** 32 bytes in hexadecimal or base64 (either alphabet). */
const KEY = /^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i;
/** A name or an address as a URL has it: IPv6 in brackets. */
const HOST_NAME = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/;
/** Discord docs: Components, Button: the URL of a link button has at most 512 characters. */
const LONGEST_LINK = 512;
/** The levels of pino. */
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const FORMATS = ['brackets', 'indices'] as const;

/** A rule in words: `X is missing: it must be …` or `X must be …`. A value is never repeated, it may be a secret. */
const must = (be: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? `is missing: it must be ${be}` : `must be ${be}`,
});

function wholeNumber(limits: { readonly from: number; readonly to: number; readonly unit: string }) {
  const { from, to, unit } = limits;
  return z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= from && Number(text) <= to,
      must(`a whole number of ${unit} from ${from} to ${to}`),
    )
    .transform(Number);
}

const url = (be: string, allowed: (url: URL) => boolean) =>
  z
    .string(must(be))
    .refine((text) => URL.canParse(text) && isPlainUrl(new URL(text)) && allowed(new URL(text)), must(be))
    .transform((text) => new URL(text).href.replace(/\/+$/, ''));

const secret = (be: string, pattern: RegExp) =>
  z
    .string(must(be))
    .regex(pattern, must(be))
    .transform((text) => new Secret(text));

const A_PAGE = `the https address of a page that members can open, at most ${LONGEST_LINK} characters`;
const link = z
  .string()
  .refine(
    (text) =>
      URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).href.length <= LONGEST_LINK,
    must(A_PAGE),
  )
  .transform((text) => new URL(text).href);

const environmentSchema = z.object({
  DISCORD_TOKEN: secret('the token of the bot: three parts with dots between them, and nothing else', TOKEN),
  DISCORD_API_URL: url(
    'https://discord.com/api, or a URL on this machine (the token is sent there)',
    isDiscordOrLoopback,
  ).default('https://discord.com/api'),
  LISTING_API_URL: url(
    'the https address of the listing service (http only on this machine), without user, "?" or "#"',
    isHttpsOrLoopback,
  ),
  LISTING_API_KEY: secret('one line of text', /^\P{Cc}+$/u).optional(),
  LISTING_API_TIMEOUT_MS: wholeNumber({ from: 100, to: 120_000, unit: 'milliseconds' }).default(10_000),
  LISTING_API_ARRAY_FORMAT: z.enum(FORMATS, must(FORMATS.join(' or '))).default('brackets'),
  GAMES_TTL_SECONDS: wholeNumber({ from: 1, to: 604_800, unit: 'seconds' }).default(3_600),
  STORE_URL: z
    .string()
    .regex(
      /^sqlite:\/\/(?!.*:memory:)[^?#]*[^?#/]$/,
      must('a file of SQLite, such as sqlite://data/bot.sqlite'),
    )
    .default('sqlite://data/bot.sqlite'),
  ENCRYPTION_KEY: z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .refine(
      (keys) => keys.every((key) => KEY.test(key)),
      must('32 bytes in base64 or hexadecimal; several with commas between them, the newest first'),
    )
    .transform((keys) => keys.map(inBase64))
    .optional(),
  ATTACHMENT_HOSTS: z
    .string()
    .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
    .refine(
      (hosts) => hosts.every((host) => HOST_NAME.test(host)),
      must('names of hosts, without ports, with commas between them'),
    )
    .default(['cdn.discordapp.com', 'media.discordapp.net']),
  SUPPORT_URL: link.optional(),
  PRIVACY_URL: link.optional(),
  LOG_LEVEL: z.enum(LEVELS, must(`one of ${LEVELS.join(', ')}`)).default('info'),
});

const SECRETS = ['DISCORD_TOKEN', 'LISTING_API_KEY', 'ENCRYPTION_KEY'];

export interface Config {
  readonly discordToken: Secret;
  /** Without a slash at the end, like `listingApiUrl`. */
  readonly discordApiUrl: string;
  readonly listingApiUrl: string;
  /** The operator's key: for reading the games list only. */
  readonly listingApiKey?: Secret;
  readonly listingApiTimeoutMs: number;
  readonly listingApiArrayFormat: (typeof FORMATS)[number];
  readonly gamesTtlSeconds: number;
  readonly storeUrl: string;
  /** 32 bytes each in base64, newest first. */
  readonly encryptionKeys?: readonly Secret[];
  /** Where files that members upload are read from; small letters, without ports. */
  readonly attachmentHosts: readonly string[];
  /** Pages that /help links to. */
  readonly supportUrl?: string;
  readonly privacyUrl?: string;
  readonly logLevel: (typeof LEVELS)[number];
}

/**
 * Reads the environment, and the files that `NAME_FILE` names for the secrets. An empty value counts as absent.
 * @throws ConfigError naming every bad variable and what it should be
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const { values, problems } = readVariables(env, {
    names: Object.keys(environmentSchema.shape),
    secrets: SECRETS,
  });
  const parsed = environmentSchema.safeParse(values);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0]);
    if (!problems.has(name)) problems.set(name, `${name} ${message}`);
  }
  if (!parsed.success || problems.size > 0) {
    throw new ConfigError(['The configuration cannot be used:', ...problems.values()].join('\n  '));
  }
  const { data } = parsed;
  return {
    discordToken: data.DISCORD_TOKEN,
    discordApiUrl: data.DISCORD_API_URL,
    listingApiUrl: data.LISTING_API_URL,
    ...(data.LISTING_API_KEY && { listingApiKey: data.LISTING_API_KEY }),
    listingApiTimeoutMs: data.LISTING_API_TIMEOUT_MS,
    listingApiArrayFormat: data.LISTING_API_ARRAY_FORMAT,
    gamesTtlSeconds: data.GAMES_TTL_SECONDS,
    storeUrl: data.STORE_URL,
    ...(data.ENCRYPTION_KEY && { encryptionKeys: data.ENCRYPTION_KEY }),
    attachmentHosts: data.ATTACHMENT_HOSTS,
    ...(data.SUPPORT_URL !== undefined && { supportUrl: data.SUPPORT_URL }),
    ...(data.PRIVACY_URL !== undefined && { privacyUrl: data.PRIVACY_URL }),
    logLevel: data.LOG_LEVEL,
  };
}

function inBase64(key: string): Secret {
  const bytes = Buffer.from(key, key.length === 64 ? 'hex' : 'base64');
  return new Secret(bytes.toString('base64'));
}
