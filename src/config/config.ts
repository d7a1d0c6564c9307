import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { codeOf } from '../error-code.ts';
import { prefixDistance } from '../prefix-distance.ts';
import { parseStoreUrl, type StoreUrl, sqliteAt } from '../store-url.ts';
import {
  address,
  botToken,
  encryptionKeys,
  hostsWithPorts,
  ids,
  isDiscordOrLoopback,
  isDiscordWebhook,
  isHttpsOrLoopback,
  link,
  listingPage,
  must,
  port,
  publicKey,
  secret,
  secretUrl,
  storeUrl,
  url,
  usageLimit,
  wholeNumber,
} from './fields.ts';

/** The environment is not usable. The message names every bad variable, on a line each, and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Code points: the name stands in most sentences, and beside words of ours in the hint of a modal, which takes 100. */
const NAME = /^\P{C}{1,32}$/u;
/** The levels of pino. */
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const FORMATS = ['brackets', 'indices'] as const;
const WAYS = ['gateway', 'http'] as const;
const SWITCH = ['on', 'off'] as const;

/** What the bot is configured with. `listingApiUrl` is the variable `LISTING_API_URL`, and so on. */
const configSchema = z.object({
  discordToken: botToken,
  /** Without a slash at the end, like `listingApiUrl`. */
  discordApiUrl: url(
    'https://discord.com/api, or a URL on this machine (the token is sent there)',
    isDiscordOrLoopback,
  ).default('https://discord.com/api'),
  /** How interactions come: over a connection to Discord's gateway, or posted by Discord to an endpoint of this bot. */
  interactions: z.enum(WAYS, must(WAYS.join(' or '))).default('gateway'),
  /** The key that Discord signs interactions with, in hexadecimal, and the port of the endpoint; both are there with `http`. */
  discordPublicKey: z.exactOptional(publicKey),
  interactionsPort: z.exactOptional(port),
  /** The address of the endpoint; absent: `httpHost`. */
  interactionsHost: z.exactOptional(address),
  listingApiUrl: url(
    'the https address of the listing service (http only on this machine), without user, "?" or "#"',
    isHttpsOrLoopback,
  ),
  /** The operator's key, which only reads the games list. */
  listingApiKey: z.exactOptional(secret('one line of text', /^\P{Cc}+$/u)),
  listingApiTimeoutMs: wholeNumber({ from: 100, to: 120_000, unit: 'milliseconds' }).default(10_000),
  /** Requests to the listing service that run at once, of all guilds together. */
  listingRequestsAtOnce: wholeNumber({ from: 1, to: 100, unit: 'requests' }).default(8),
  /** How members know the service, and its page for them; `{address}` may stand in it. */
  listingName: z.exactOptional(
    z.string().regex(NAME, must('one line of at most 32 characters, such as Game List')),
  ),
  listingUrl: z.exactOptional(listingPage),
  listingApiArrayFormat: z.enum(FORMATS, must(FORMATS.join(' or '))).default('brackets'),
  gamesTtlSeconds: wholeNumber({ from: 1, to: 604_800, unit: 'seconds' }).default(3_600),
  /** What one member, and what one guild with all its members may submit. */
  memberLimit: usageLimit.default({ servers: 1000, seconds: 3600 }),
  guildLimit: usageLimit.default({ servers: 5000, seconds: 3600 }),
  /** How long accepted and unknown servers are kept. */
  historyDays: wholeNumber({ from: 1, to: 3_650, unit: 'days' }).default(365),
  departureCheckSeconds: wholeNumber({ from: 1, to: 604_800, unit: 'seconds' }).default(3_600),
  departureGraceDays: wholeNumber({ from: 0, to: 3_650, unit: 'days' }).default(30),
  storeUrl: storeUrl.default(sqliteAt('data/bot.sqlite')),
  /** 32 bytes each in base64; the first seals, each of them opens. Never absent with PostgreSQL. */
  encryptionKey: z.exactOptional(encryptionKeys),
  /** Where files that members upload are read from: `host` or `host:port`, in small letters. */
  attachmentHosts: hostsWithPorts.default(['cdn.discordapp.com', 'media.discordapp.net']),
  /** The guilds in which the bot may be used (absent: all), and the guilds and users that are blocked. */
  allowedGuilds: z.exactOptional(ids),
  blockedGuilds: z.exactOptional(ids),
  blockedUsers: z.exactOptional(ids),
  /** Whether members get decisions as direct messages. */
  directMessages: z.enum(SWITCH, must(SWITCH.join(' or '))).default('on'),
  /** Pages that /help links to. */
  supportUrl: z.exactOptional(link),
  privacyUrl: z.exactOptional(link),
  /** Where health and metrics are served; nowhere without a port. */
  httpPort: z.exactOptional(port),
  httpHost: address.default('127.0.0.1'),
  /** For how long the gateway may be silent before the process ends; 0: for ever. */
  exitWhenSilentSeconds: wholeNumber({ from: 0, to: 21_600, unit: 'seconds' }).default(600),
  /** How often a backup is made of a file of SQLite; 0: never. */
  backupEveryHours: wholeNumber({ from: 0, to: 8_760, unit: 'hours' }).default(24),
  backupKeep: wholeNumber({ from: 1, to: 1_000, unit: 'backups' }).default(7),
  /** What the operator is told by: a webhook of Discord, and a page that is asked for while the bot is ready. */
  operatorWebhookUrl: z.exactOptional(
    secretUrl(
      'the address of a webhook of Discord: https://discord.com/api/webhooks/… (the settings of a channel, Integrations)',
      isDiscordWebhook,
    ),
  ),
  heartbeatUrl: z.exactOptional(
    secretUrl('the http or https address that a monitor waits for', ({ protocol }) =>
      /^https?:$/.test(protocol),
    ),
  ),
  logLevel: z.enum(LEVELS, must(`one of ${LEVELS.join(', ')}`)).default('info'),
});
export type Config = Readonly<z.infer<typeof configSchema>>;

const COPY = process.platform === 'win32' ? 'copy' : 'cp';
const NO_FILE = `There is no file .env here. "npm run setup" makes one, or: ${COPY} .env.example .env`;
const UNREAD_FILE =
  'There is a file .env here, and it was not read: use "npm start", or node --import=./src/dot-env.js src/start.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const SECRETS = [
  'DISCORD_TOKEN',
  'LISTING_API_KEY',
  'ENCRYPTION_KEY',
  'STORE_URL',
  'OPERATOR_WEBHOOK_URL',
  'HEARTBEAT_URL',
];
/** The variables that may also be given as a file, by `NAME_FILE`. */
const IN_FILES = [...SECRETS, 'ALLOWED_GUILDS', 'BLOCKED_GUILDS', 'BLOCKED_USERS'];

/** Whoever sets this variable wants to close the bot to others: an empty value must not open it to everybody. */
const NEVER_EMPTY = 'ALLOWED_GUILDS';

/** The names of all variables that are read. */
const KNOWN = [...Object.keys(configSchema.shape).map(variableOf), ...IN_FILES.map((name) => `${name}_FILE`)];

/**
 * Reads the environment, and the files that `NAME_FILE` names. An empty value counts as absent, except that of
 * {@link NEVER_EMPTY}.
 * @throws ConfigError naming every bad variable and what it should be
 */
export function readConfig(env: Environment): Config {
  return readWith(configSchema, env);
}

/** What tells whether the token works. */
export function readDiscordConfig(env: Environment) {
  return readWith(
    configSchema.pick({
      discordToken: true,
      discordApiUrl: true,
      interactions: true,
      discordPublicKey: true,
      interactionsPort: true,
    }),
    env,
  );
}

/** What tells whether the listing service is there. */
export function readListingConfig(env: Environment) {
  return readWith(
    configSchema.pick({
      listingApiUrl: true,
      listingApiTimeoutMs: true,
      listingApiArrayFormat: true,
      listingApiKey: true,
    }),
    env,
  );
}

/** As {@link readConfig}, for a tool that needs the data alone. */
export function readStoreConfig(env: Environment): Pick<Config, 'storeUrl' | 'encryptionKey'> {
  return readWith(configSchema.pick({ storeUrl: true, encryptionKey: true }), env);
}

/** `ENCRYPTION_KEY` alone. */
export function readEncryptionKey(env: Environment): Config['encryptionKey'] {
  return readWith(configSchema.pick({ encryptionKey: true }), env).encryptionKey;
}

/**
 * Where data is, as an argument of a tool says.
 * @param given a file such as `sqlite://data/bot.sqlite`, or the name of a variable: arguments are seen by everybody on
 *   the machine, so a URL with a password must not be one
 */
export function readStoreUrl(env: Environment, given: string): StoreUrl {
  const url = parseStoreUrl(given);
  if (url?.kind === 'sqlite') return url;
  if (!/^[A-Z_]+$/.test(given)) {
    throw new ConfigError(
      'an argument is either a file, as sqlite://data/bot.sqlite, or the name of a variable with a URL, such as ' +
        'STORE_URL: everybody on this machine can read arguments, and a password must not be in one',
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
  /** Problems by the name of the variable, a sentence each. */
  const problems = new Map<string, string>();
  for (const property of Object.keys(schema.shape)) {
    const name = variableOf(property);
    try {
      const value = readVariable(env, name);
      if (value !== undefined) values[property] = value;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.set(name, error.message);
    }
  }
  const parsed = schema.safeParse(values);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = variableOf(String(path[0]));
    const value = path[0] === undefined ? undefined : values[String(path[0])];
    if (!problems.has(name)) problems.set(name, `${name} ${message}${given(name, value)}`);
  }
  for (const [name, problem] of contradictions(values)) {
    if (!problems.has(name)) problems.set(name, problem);
  }
  if (parsed.success && problems.size === 0) return parsed.data;

  const lines = ['The configuration cannot be used:', ...problems.values(), ...misspelt(env)];
  const isIncomplete = lines.some((line) => line.includes(' is missing: '));
  if (isIncomplete && values.listingApiUrl === undefined && values.listingUrl !== undefined) {
    lines.push('LISTING_URL is the page for people: did you mean LISTING_API_URL?');
  }
  if (isIncomplete && !existsSync('.env')) lines.push(NO_FILE);
  if (isIncomplete && isDotEnvUnread()) lines.push(UNREAD_FILE);
  throw new ConfigError(lines.join('\n  '));
}

/** Whether there is a file `.env` that Node was not told to read. */
export const isDotEnvUnread = (): boolean =>
  existsSync('.env') && !process.execArgv.some((arg) => /dot-env\.js$|^--env-file/.test(arg));

/** Settings that can be used and are probably not meant so: a sentence each. */
export function doubtful({ listingApiUrl }: Pick<Config, 'listingApiUrl'>): readonly string[] {
  if (!listingApiUrl.endsWith('/api')) return [];
  return [
    `LISTING_API_URL ends in /api, which the bot adds: requests go to ${listingApiUrl}/api. "npm run doctor" tries it without`,
  ];
}

/** Longer values are not repeated in a message: a bot token in the wrong variable is longer. */
const LONGEST_SHOWN = 40;

/** The given value, unless it is a secret or a URL with a password. */
function given(name: string, value: string | undefined): string {
  if (value === undefined || SECRETS.includes(name)) return '';
  if (value.includes('@') || value.length > LONGEST_SHOWN) return '';
  return `, and is ${JSON.stringify(value)}${name === 'LISTING_API_URL' ? withHttps(value) : ''}`;
}

/** Proposes the same address over https, where that is all it lacks. */
function withHttps(value: string): string {
  const [, rest = ''] = /^(?:http:\/\/)?([\w.-]+\.[a-z]{2,}(?::\d+)?(?:\/.*)?)$/i.exec(value) ?? [];
  return rest === '' ? '' : `; did you mean https://${rest}?`;
}

/**
 * Problems of variables that are fine by themselves but not together: a sentence under the name of each.
 * @param values as they were given, by property
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
        'ENCRYPTION_KEY is missing: it must be given with PostgreSQL, beside which there is no place for a key file. ' +
          'Make one: openssl rand -base64 32',
      );
    }
    if (Number(values.backupEveryHours) > 0) {
      problems.set(
        'BACKUP_EVERY_HOURS',
        'BACKUP_EVERY_HOURS must be 0 with PostgreSQL: make backups with pg_dump or by whoever runs the server',
      );
    }
  }
  return problems;
}

/**
 * A variable, or the content of the file that it names, trimmed; `undefined` if it is empty.
 * @throws ConfigError naming the variable, and not what it holds: that may be the secret, put into the wrong variable
 */
function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim() || undefined;
  const file = `${name}_FILE`;
  const path = IN_FILES.includes(name) ? env[file]?.trim() : undefined;
  if (!path) {
    if (name === NEVER_EMPTY && env[name] !== undefined && value === undefined) {
      throw new ConfigError(
        `${name} is empty: it must be ids of Discord; leave it out to allow every Discord server`,
      );
    }
    return value;
  }
  if (value !== undefined)
    throw new ConfigError(`${name} and ${file} are both given: only one of them can count`);
  let content: string;
  try {
    content = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${file} names a file that cannot be read (${codeOf(error)})`);
  }
  if (content === '') throw new ConfigError(`${file} names an empty file`);
  return content;
}

/** How many slips of the keyboard a misspelt name may have: one if it is short, otherwise two. */
const MOST_SLIPS = { short: 1, long: 2 };
const LONG = 9;

/** Variables that nobody reads and that look like one of ours: `MEMBER_LIMITS: did you mean MEMBER_LIMIT?`. */
export function misspelt(env: Environment): readonly string[] {
  const hints: string[] = [];
  for (const name of Object.keys(env)) {
    if (KNOWN.includes(name) || !env[name]?.trim()) continue;
    const meant = meantBy(name);
    if (meant !== undefined) hints.push(`${name}: did you mean ${meant}?`);
  }
  return hints;
}

function meantBy(name: string): string | undefined {
  const typed = name.toUpperCase().replaceAll('-', '_');
  const most = typed.length < LONG ? MOST_SLIPS.short : MOST_SLIPS.long;
  const distance = prefixDistance(typed, most);
  const similar = KNOWN.find(
    (other) => Math.abs(other.length - typed.length) <= most && distance(other) <= most,
  );
  return similar ?? KNOWN.find((other) => hasTheWordsOf(typed, other) || hasTheWordsOf(other, typed));
}

/** `DISCORD_BOT_TOKEN` has all the words of `DISCORD_TOKEN`, and begins with the same one. */
function hasTheWordsOf(long: string, short: string): boolean {
  const words = long.split('_');
  const fewer = short.split('_');
  return fewer.length > 1 && words[0] === fewer[0] && fewer.every((word) => words.includes(word));
}
