import { z } from 'zod';
import { readVariables } from './config-source.ts';
import { isDiscordOrLoopback, isHttpsOrLoopback } from './config-url.ts';
import { encryptionKeys, hosts, link, must, secret, url, usageLimit, wholeNumber } from './config-values.ts';
import type { Secret } from './secret.ts';

/** The environment is not usable. The message names every bad variable, on a line each, and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The shape of a bot token: three parts. discord.js masks it in its debug output only from the second dot on. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** The levels of pino. */
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const FORMATS = ['brackets', 'indices'] as const;

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
  LISTING_REQUESTS_AT_ONCE: wholeNumber({ from: 1, to: 100, unit: 'requests' }).default(8),
  LISTING_API_ARRAY_FORMAT: z.enum(FORMATS, must(FORMATS.join(' or '))).default('brackets'),
  GAMES_TTL_SECONDS: wholeNumber({ from: 1, to: 604_800, unit: 'seconds' }).default(3_600),
  MEMBER_LIMIT: usageLimit().default({ servers: 1000, seconds: 3600 }),
  GUILD_LIMIT: usageLimit().default({ servers: 5000, seconds: 3600 }),
  HISTORY_DAYS: wholeNumber({ from: 1, to: 3_650, unit: 'days' }).default(365),
  DEPARTURE_CHECK_SECONDS: wholeNumber({ from: 1, to: 604_800, unit: 'seconds' }).default(3_600),
  DEPARTURE_GRACE_DAYS: wholeNumber({ from: 0, to: 3_650, unit: 'days' }).default(30),
  STORE_URL: z
    .string()
    .refine(
      (url) => /^sqlite:\/\/[^?#]*[^?#/]$/.test(url) && !url.includes(':memory:'),
      must('a file of SQLite, such as sqlite://data/bot.sqlite'),
    )
    .default('sqlite://data/bot.sqlite'),
  ENCRYPTION_KEY: encryptionKeys.optional(),
  ATTACHMENT_HOSTS: hosts.default(['cdn.discordapp.com', 'media.discordapp.net']),
  SUPPORT_URL: link.optional(),
  PRIVACY_URL: link.optional(),
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
  /** Requests to the listing service that run at once, of all guilds together. */
  readonly listingRequestsAtOnce: number;
  readonly listingApiArrayFormat: (typeof FORMATS)[number];
  readonly gamesTtlSeconds: number;
  /** What one member, and what one guild with all its members may submit. */
  readonly memberLimit: { readonly servers: number; readonly seconds: number };
  readonly guildLimit: { readonly servers: number; readonly seconds: number };
  /** How long it is kept that a server was accepted, or may have been received. */
  readonly historyDays: number;
  readonly departureCheckSeconds: number;
  readonly departureGraceDays: number;
  readonly storeUrl: string;
  /** 32 bytes each in base64, newest first. */
  readonly encryptionKeys?: readonly Secret[];
  /** Where files that members upload are read from: `host` or `host:port`, in small letters. */
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
export function readConfig(env: Environment): Config {
  const data = readWith(environmentSchema, env);
  return {
    discordToken: data.DISCORD_TOKEN,
    discordApiUrl: data.DISCORD_API_URL,
    listingApiUrl: data.LISTING_API_URL,
    ...(data.LISTING_API_KEY && { listingApiKey: data.LISTING_API_KEY }),
    listingApiTimeoutMs: data.LISTING_API_TIMEOUT_MS,
    listingRequestsAtOnce: data.LISTING_REQUESTS_AT_ONCE,
    listingApiArrayFormat: data.LISTING_API_ARRAY_FORMAT,
    gamesTtlSeconds: data.GAMES_TTL_SECONDS,
    memberLimit: data.MEMBER_LIMIT,
    guildLimit: data.GUILD_LIMIT,
    historyDays: data.HISTORY_DAYS,
    departureCheckSeconds: data.DEPARTURE_CHECK_SECONDS,
    departureGraceDays: data.DEPARTURE_GRACE_DAYS,
    storeUrl: data.STORE_URL,
    ...(data.ENCRYPTION_KEY && { encryptionKeys: data.ENCRYPTION_KEY }),
    attachmentHosts: data.ATTACHMENT_HOSTS,
    ...(data.SUPPORT_URL !== undefined && { supportUrl: data.SUPPORT_URL }),
    ...(data.PRIVACY_URL !== undefined && { privacyUrl: data.PRIVACY_URL }),
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
