import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseStoreUrl, type StoreUrl, sqliteAt } from '../store-url.ts';
import { codeOf } from '../text/error-code.ts';
import { prefixDistance } from '../text/prefix-distance.ts';
import {
  botToken,
  discordIds,
  encryptionKeys,
  hostsWithPorts,
  isDiscordOrLoopback,
  isDiscordWebhook,
  isHttpsOrLoopback,
  link,
  listenAddress,
  listingPage,
  must,
  nameServers,
  oneOf,
  port,
  publicKey,
  SHOWABLE,
  secret,
  secretUrl,
  storeUrl,
  url,
  usageLimit,
  wholeNumber,
} from './fields.ts';

/** The message has one line per bad variable and no secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /**
   * The names of the variables to change, such as `DISCORD_TOKEN` or `DISCORD_TOKEN_FILE`. Empty if the problem isn't the
   * value of a variable.
   */
  readonly variables: readonly string[];
  /** One sentence for each bad variable, without the further hints in the message. */
  readonly problems: readonly string[];
  constructor(message: string, variables: readonly string[] = [], problems: readonly string[] = []) {
    super(message);
    this.variables = variables;
    this.problems = problems;
  }
}

/** At most 32 code points, because the name appears in many texts. A modal's placeholder is limited to 100 characters. */
const NAME = /^\P{C}{1,32}$/u;
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const FORMATS = ['brackets', 'indices'] as const;
const TRANSPORTS = ['gateway', 'http'] as const;
const SWITCH = ['on', 'off'] as const;

/** The bot's configuration. Each property is the variable of the same name: `listingApiUrl` is `LISTING_API_URL`. */
const configSchema = z.object({
  discordToken: botToken,
  /** A URL without a trailing slash, like `listingApiUrl`. */
  discordApiUrl: url(
    'https://discord.com/api, or a URL on this machine (the token is sent there)',
    isDiscordOrLoopback,
  ).default('https://discord.com/api'),
  /** How interactions arrive: over a connection to Discord's gateway, or through an HTTP endpoint that Discord posts to. */
  interactions: oneOf(TRANSPORTS).default('gateway'),
  /** The public key that verifies Discord's signatures (hexadecimal), and the endpoint's port. `http` requires both. */
  discordPublicKey: z.exactOptional(publicKey),
  interactionsPort: z.exactOptional(port),
  /** Defaults to `httpHost`. */
  interactionsHost: z.exactOptional(listenAddress),
  listingApiUrl: url(
    'the https address of the listing service (http only on this machine), without user, "?" or "#"',
    isHttpsOrLoopback,
  ),
  /** The operator's API key, which is only used to read the games list. */
  listingApiKey: z.exactOptional(secret('one line of text', /^\P{Cc}+$/u)),
  listingApiTimeoutMs: wholeNumber({ from: 100, to: 120_000, unit: 'milliseconds' }).default(10_000),
  /** Applies across all guilds. */
  listingRequestsAtOnce: wholeNumber({ from: 1, to: 100, unit: 'requests' }).default(8),
  /** Shown to members. */
  listingName: z.exactOptional(
    z.string().regex(NAME, must('one line of at most 32 characters, such as Game List')),
  ),
  /** May contain `{address}`. */
  listingUrl: z.exactOptional(listingPage),
  listingApiArrayFormat: oneOf(FORMATS).default('brackets'),
  gamesTtlSeconds: wholeNumber({ from: 1, to: 604_800, unit: 'seconds' }).default(3_600),
  /** How many servers a single member can submit, and how many all members of a guild can submit together. */
  memberLimit: usageLimit.default({ servers: 1000, seconds: 3600 }),
  guildLimit: usageLimit.default({ servers: 5000, seconds: 3600 }),
  /** How long servers with an accepted or unknown outcome are stored. */
  historyDays: wholeNumber({ from: 1, to: 3_650, unit: 'days' }).default(365),
  departureCheckSeconds: wholeNumber({ from: 1, to: 604_800, unit: 'seconds' }).default(3_600),
  departureGraceDays: wholeNumber({ from: 0, to: 3_650, unit: 'days' }).default(30),
  storeUrl: storeUrl.default(sqliteAt('data/bot.sqlite')),
  /** 32-byte encryption keys in base64 or hex. The first key encrypts; all keys can decrypt. Required with PostgreSQL. */
  encryptionKey: z.exactOptional(encryptionKeys),
  /** The hosts that uploaded files can be read from, as `host` or `host:port` in lower case. */
  attachmentHosts: hostsWithPorts.default(['cdn.discordapp.com', 'media.discordapp.net']),
  /** If absent, all guilds can use the bot. */
  allowedGuilds: z.exactOptional(discordIds),
  blockedGuilds: z.exactOptional(discordIds),
  blockedUsers: z.exactOptional(discordIds),
  directMessages: oneOf(SWITCH).default('on'),
  /** Pages that /help links to. */
  supportUrl: z.exactOptional(link),
  privacyUrl: z.exactOptional(link),
  /** The port and address for health checks and metrics. Without a port, neither is served. */
  httpPort: z.exactOptional(port),
  httpHost: listenAddress.default('127.0.0.1'),
  /** How long the gateway can be silent before the process exits. 0 means no limit. */
  exitWhenSilentSeconds: wholeNumber({ from: 0, to: 21_600, unit: 'seconds' }).default(600),
  /** Only applies to SQLite. 0 means never. */
  backupEveryHours: wholeNumber({ from: 0, to: 8_760, unit: 'hours' }).default(24),
  backupKeep: wholeNumber({ from: 1, to: 1_000, unit: 'backups' }).default(7),
  /** How the operator is notified: a Discord webhook, and a URL that is requested regularly while the bot is ready. */
  operatorWebhookUrl: z.exactOptional(
    secretUrl(
      'a Discord webhook URL: https://discord.com/api/webhooks/… (from the settings of a channel, under Integrations)',
      isDiscordWebhook,
    ),
  ),
  heartbeatUrl: z.exactOptional(
    secretUrl('the http or https URL at which a monitor expects requests', ({ protocol }) =>
      /^https?:$/.test(protocol),
    ),
  ),
  /** Whether the bot sends game servers' addresses to Steam and DNS servers to look up missing ports and games. */
  serverLookup: oneOf(SWITCH).default('off'),
  steamApiUrl: url(
    'https://api.steampowered.com, or another https URL (http only on this machine)',
    isHttpsOrLoopback,
  ).default('https://api.steampowered.com'),
  /** Defaults to the machine's own name servers. */
  nameServers: z.exactOptional(nameServers),
  logLevel: oneOf(LEVELS, `one of ${LEVELS.join(', ')}`).default('info'),
});
export type Config = Readonly<z.infer<typeof configSchema>>;

const COPY = process.platform === 'win32' ? 'copy' : 'cp';
const NO_FILE = `There is no .env file here. Create one with "npm run setup", or: ${COPY} .env.example .env`;
const UNREAD_FILE =
  'There is a .env file here, but it was not read: use "npm start", or node --import=./src/dot-env.js src/start.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const SECRETS = [
  'DISCORD_TOKEN',
  'LISTING_API_KEY',
  'ENCRYPTION_KEY',
  'STORE_URL',
  'OPERATOR_WEBHOOK_URL',
  'HEARTBEAT_URL',
];
/** Variables that can also be read from a file, by setting `NAME_FILE` to the file's path. */
const VARIABLES_IN_FILES = [...SECRETS, 'ALLOWED_GUILDS', 'BLOCKED_GUILDS', 'BLOCKED_USERS'];

/** An empty value must not open the bot to all guilds. */
const NEVER_EMPTY = 'ALLOWED_GUILDS';

const KNOWN_VARIABLES = [
  ...Object.keys(configSchema.shape).map(variableOf),
  ...VARIABLES_IN_FILES.map((name) => `${name}_FILE`),
];

/**
 * Reads the environment and the files that `NAME_FILE` variables refer to. Empty values count as absent, except for {@link
 * NEVER_EMPTY}.
 * @throws ConfigError that names each bad variable and its requirement
 */
export function readConfig(env: Environment): Config {
  return readWith(configSchema, env);
}

function readSome<const Names extends readonly (keyof Config)[]>(env: Environment, names: Names) {
  const shape = Object.fromEntries(names.map((name) => [name, configSchema.shape[name]]));
  return readWith(z.object(shape), env) as Pick<Config, Names[number]>;
}

export const readDiscordConfig = (env: Environment) =>
  readSome(env, ['discordToken', 'discordApiUrl', 'interactions', 'discordPublicKey', 'interactionsPort']);

export const readListingConfig = (env: Environment) =>
  readSome(env, ['listingApiUrl', 'listingApiTimeoutMs', 'listingApiArrayFormat', 'listingApiKey']);

export const readStoreConfig = (env: Environment) => readSome(env, ['storeUrl', 'encryptionKey']);

export const readDataConfig = (env: Environment) =>
  readSome(env, [
    ...['storeUrl', 'encryptionKey', 'memberLimit', 'guildLimit', 'historyDays'],
    ...['allowedGuilds', 'blockedGuilds', 'blockedUsers'],
  ] as const);

export const readEncryptionKey = (env: Environment) => readSome(env, ['encryptionKey']).encryptionKey;

/**
 * Reads the location of the data from a tool's argument.
 * @param given a location such as `sqlite://data/bot.sqlite`, or the name of a variable that contains one. URLs with a
 * password aren't accepted, because all users of the machine can see arguments
 */
export function readStoreUrl(env: Environment, given: string): StoreUrl {
  const url = parseStoreUrl(given);
  if (url?.kind === 'sqlite') return url;
  if (!/^[A-Z_]+$/.test(given)) {
    throw new ConfigError(
      'each argument must be a file, such as sqlite://data/bot.sqlite, or the name of a variable with a URL, such as ' +
        'STORE_URL. Do not put a password in an argument: everyone on this machine can read it',
    );
  }
  const urlOfName = parseStoreUrl(readVariable(env, given) ?? '');
  if (urlOfName) return urlOfName;
  throw new ConfigError(
    `${given} must be a URL such as sqlite://data/bot.sqlite or postgres://user:password@host/database`,
  );
}

function variableOf(property: string): string {
  return property.replace(/[A-Z]/g, '_$&').toUpperCase();
}

function readWith<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.infer<Schema> {
  const values: Record<string, string> = {};
  const problems = new Map<string, string>();
  const variables: string[] = [];
  function report(name: string, problem: string, variable = name): void {
    if (problems.has(name)) return;
    problems.set(name, problem);
    variables.push(variable);
  }

  for (const property of Object.keys(schema.shape)) {
    const name = variableOf(property);
    try {
      const value = readVariable(env, name);
      if (value !== undefined) values[property] = value;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      report(name, error.message, error.variables[0]);
    }
  }
  const parsed = schema.safeParse(values);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const property = String(path[0]);
    const name = variableOf(property);
    report(name, `${name} ${message}${valueHint(name, schema.shape[property], values[property])}`);
  }
  for (const [name, problem] of contradictions(values)) report(name, problem);
  if (parsed.success && problems.size === 0) return parsed.data;

  const lines = ['The configuration cannot be used:', ...problems.values(), ...misspelt(env)];
  const isIncomplete = lines.some((line) => line.includes(' is missing: '));
  if (isIncomplete && values.listingApiUrl === undefined && values.listingUrl !== undefined) {
    lines.push('LISTING_URL is the page for people: did you mean LISTING_API_URL?');
  }
  if (isIncomplete && !existsSync('.env')) lines.push(NO_FILE);
  if (isIncomplete && isDotEnvUnread()) lines.push(UNREAD_FILE);
  throw new ConfigError(lines.join('\n  '), variables, [...problems.values()]);
}

export const isDotEnvUnread = (): boolean =>
  existsSync('.env') && !process.execArgv.some((arg) => /dot-env\.js$|^--env-file/.test(arg));

export function configWarnings({ listingApiUrl }: Pick<Config, 'listingApiUrl'>): readonly string[] {
  if (!listingApiUrl.endsWith('/api')) return [];
  return [
    `LISTING_API_URL ends in /api, which the bot adds: requests go to ${listingApiUrl}/api. "npm run doctor" tries it without /api`,
  ];
}

/**
 * Returns the end of an error about a value. Shows the value only if its form is plausible, because it may be a secret in
 * the wrong variable. Otherwise, shows its length.
 */
function valueHint(name: string, schema: z.core.$ZodType | undefined, value: string | undefined): string {
  if (value === undefined) return '';
  const isWrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodExactOptional;
  const field = isWrapped ? schema.unwrap() : schema;
  if (field === undefined || !SHOWABLE.get(field)?.looksRight(value)) {
    const isQuoted = /^\p{Quotation_Mark}|\p{Quotation_Mark}$/u.test(value);
    return `; the value has ${value.length} characters${isQuoted ? ', with quotes around them: remove the quotes' : ''}`;
  }
  return `, and is ${JSON.stringify(value)}${name === 'LISTING_API_URL' ? httpsHint(value) : ''}`;
}

function httpsHint(value: string): string {
  const [, rest = ''] = /^(?:http:\/\/)?([\w.-]+\.[a-z]{2,}(?::\d+)?(?:\/.*)?)$/i.exec(value) ?? [];
  return rest === '' ? '' : `; did you mean https://${rest}?`;
}

/**
 * Finds variables that are individually valid but contradict one another. Returns a sentence per variable, keyed by its
 * name.
 * @param values the given values, keyed by property name
 */
function contradictions(values: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  if (values.interactions === 'http') {
    for (const property of ['discordPublicKey', 'interactionsPort']) {
      const name = variableOf(property);
      if (values[property] === undefined) {
        problems.set(name, `${name} is missing: INTERACTIONS=http needs it`);
      }
    }
  }
  if (parseStoreUrl(values.storeUrl ?? '')?.kind === 'postgres') {
    if (values.encryptionKey === undefined) {
      problems.set(
        'ENCRYPTION_KEY',
        'ENCRYPTION_KEY is missing: with PostgreSQL there is no key file, so it must be set. ' +
          'Create one: openssl rand -base64 32',
      );
    }
    if (Number(values.backupEveryHours) > 0) {
      problems.set(
        'BACKUP_EVERY_HOURS',
        'BACKUP_EVERY_HOURS must be 0 with PostgreSQL: back up with pg_dump, or use the backups of the hosting provider',
      );
    }
  }
  return problems;
}

/**
 * Returns the trimmed value of a variable or of the file that it refers to, or `undefined` if the value is empty.
 * @throws ConfigError that names the variable but not its value, which may be a secret in the wrong variable
 */
function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim() || undefined;
  const file = `${name}_FILE`;
  const path = VARIABLES_IN_FILES.includes(name) ? env[file]?.trim() : undefined;
  if (!path) {
    if (name === NEVER_EMPTY && env[name] !== undefined && value === undefined) {
      throw new ConfigError(
        `${name} is empty: set it to Discord ids, or remove it to allow every Discord server`,
        [name],
      );
    }
    return value;
  }
  if (value !== undefined)
    throw new ConfigError(`${name} and ${file} are both set: remove one of them`, [file]);
  let content: string;
  try {
    content = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${file} refers to a file that cannot be read (${codeOf(error)})`, [file]);
  }
  if (content === '') throw new ConfigError(`${file} refers to an empty file`, [file]);
  return content;
}

/** Suggests corrections for unknown variables that resemble a known one: `MEMBER_LIMITS: did you mean MEMBER_LIMIT?`. */
export function misspelt(env: Environment): readonly string[] {
  const hints: string[] = [];
  for (const name of Object.keys(env)) {
    if (KNOWN_VARIABLES.includes(name) || !env[name]?.trim()) continue;
    const meant = meantBy(name);
    if (meant !== undefined) hints.push(`${name}: did you mean ${meant}?`);
  }
  return hints;
}

function meantBy(name: string): string | undefined {
  const typed = name.toUpperCase().replaceAll('-', '_');
  const maxDistance = typed.length < 9 ? 1 : 2;
  const distance = prefixDistance(typed, maxDistance);
  const similar = KNOWN_VARIABLES.find(
    (other) => Math.abs(other.length - typed.length) <= maxDistance && distance(other) <= maxDistance,
  );
  return similar ?? KNOWN_VARIABLES.find((other) => hasWordsOf(typed, other) || hasWordsOf(other, typed));
}

/** Whether `long` begins like `short` and has all its words, as `DISCORD_BOT_TOKEN` and `DISCORD_TOKEN` do. */
function hasWordsOf(long: string, short: string): boolean {
  const words = long.split('_');
  const fewer = short.split('_');
  return fewer.length > 1 && words[0] === fewer[0] && fewer.every((word) => words.includes(word));
}
