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

/** The timers that end the counting take no more than 24 days. */
const LONGEST_WINDOW_SECONDS = 604_800;

function usageLimit() {
  const be = `servers/seconds, such as 1000/3600: from 1/1 to 1000000/${LONGEST_WINDOW_SECONDS}`;
  return z
    .string()
    .regex(/^\d{1,7}\/\d{1,6}$/, must(be))
    .transform((text) => {
      const [servers = 0, seconds = 0] = text.split('/').map(Number);
      return { servers, seconds };
    })
    .refine(
      ({ servers, seconds }) =>
        servers >= 1 && servers <= 1_000_000 && seconds >= 1 && seconds <= LONGEST_WINDOW_SECONDS,
      must(be),
    );
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
  MEMBER_LIMIT: usageLimit().default({ servers: 1000, seconds: 3600 }),
  GUILD_LIMIT: usageLimit().default({ servers: 5000, seconds: 3600 }),
  DEPARTURE_CHECK_SECONDS: wholeNumber({ from: 1, to: 604_800, unit: 'seconds' }).default(3_600),
  DEPARTURE_GRACE_DAYS: wholeNumber({ from: 0, to: 3_650, unit: 'days' }).default(30),
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
  LOG_LEVEL: z.enum(LEVELS, must(`one of ${LEVELS.join(', ')}`)).default('info'),
});

type Environment = Readonly<Record<string, string | undefined>>;

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
  /** What one member, and what one guild with all its members may submit. */
  readonly memberLimit: { readonly servers: number; readonly seconds: number };
  readonly guildLimit: { readonly servers: number; readonly seconds: number };
  readonly departureCheckSeconds: number;
  readonly departureGraceDays: number;
  readonly storeUrl: string;
  /** 32 bytes each in base64, newest first. */
  readonly encryptionKeys?: readonly Secret[];
  /** Where files that members upload are read from; small letters, without ports. */
  readonly attachmentHosts: readonly string[];
  readonly logLevel: (typeof LEVELS)[number];
}

/**
 * Reads the environment, and the files that `NAME_FILE` names for the secrets. An empty value counts as absent.
 * @throws ConfigError naming every bad variable and what it should be
 */
export function readConfig(env: Environment): Config {
  const data = readWith(environmentSchema, env);
  return {
    discordToken: data.DISCORD_TOKEN,
    discordApiUrl: data.DISCORD_API_URL,
    listingApiUrl: data.LISTING_API_URL,
    ...(data.LISTING_API_KEY && { listingApiKey: data.LISTING_API_KEY }),
    listingApiTimeoutMs: data.LISTING_API_TIMEOUT_MS,
    listingApiArrayFormat: data.LISTING_API_ARRAY_FORMAT,
    gamesTtlSeconds: data.GAMES_TTL_SECONDS,
    memberLimit: data.MEMBER_LIMIT,
    guildLimit: data.GUILD_LIMIT,
    departureCheckSeconds: data.DEPARTURE_CHECK_SECONDS,
    departureGraceDays: data.DEPARTURE_GRACE_DAYS,
    storeUrl: data.STORE_URL,
    ...(data.ENCRYPTION_KEY && { encryptionKeys: data.ENCRYPTION_KEY }),
    attachmentHosts: data.ATTACHMENT_HOSTS,
    logLevel: data.LOG_LEVEL,
  };
}

/** As {@link readConfig}, for a tool that needs the data alone. */
export function readStoreConfig(env: Environment): Pick<Config, 'storeUrl' | 'encryptionKeys'> {
  const data = readWith(environmentSchema.pick({ STORE_URL: true, ENCRYPTION_KEY: true }), env);
  return { storeUrl: data.STORE_URL, ...(data.ENCRYPTION_KEY && { encryptionKeys: data.ENCRYPTION_KEY }) };
}

function readWith<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.infer<Schema> {
  const { values, problems } = readVariables(env, { names: Object.keys(schema.shape), secrets: SECRETS });
  const parsed = schema.safeParse(values);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0]);
    if (!problems.has(name)) problems.set(name, `${name} ${message}`);
  }
  if (!parsed.success || problems.size > 0) {
    throw new ConfigError(['The configuration cannot be used:', ...problems.values()].join('\n  '));
  }
  return parsed.data;
}

function inBase64(key: string): Secret {
  const bytes = Buffer.from(key, key.length === 64 ? 'hex' : 'base64');
  return new Secret(bytes.toString('base64'));
}
