import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ConfigError,
  configWarnings,
  misspelt,
  readConfig,
  readStoreConfig,
} from '../../src/config/config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const TOKEN = 'MTIzNDU2.GaBcDe.abcdefghijklmnop_0123';
const REQUIRED = { DISCORD_TOKEN: TOKEN, LISTING_API_URL: 'https://list.example.com' };
const SECRETS = [
  'DISCORD_TOKEN',
  'LISTING_API_KEY',
  'ENCRYPTION_KEY',
  'STORE_URL',
  'OPERATOR_WEBHOOK_URL',
  'HEARTBEAT_URL',
];

const example = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');
/** Every variable in .env.example. */
const VARIABLES = [...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name);

/** Returns the error that the bot prints for these variables, or an empty string if they are valid. */
function problems(env: Environment): string {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const read = (more: Environment) => readConfig({ ...REQUIRED, ...more });
const problemsWith = (more: Environment) => problems({ ...REQUIRED, ...more });

function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'bot-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'secret'), content);
  return join(folder, 'secret');
}

describe('the configuration', () => {
  it('requires two variables and has defaults for all others', () => {
    const { discordToken, ...rest } = readConfig(REQUIRED);
    expect(discordToken.reveal()).toBe(TOKEN);
    expect(rest).toEqual({
      backupEveryHours: 24,
      backupKeep: 7,
      discordApiUrl: 'https://discord.com/api',
      listingApiUrl: 'https://list.example.com',
      listingApiTimeoutMs: 10_000,
      listingRequestsAtOnce: 8,
      listingApiArrayFormat: 'brackets',
      gamesTtlSeconds: 3_600,
      memberLimit: { servers: 1_000, seconds: 3_600 },
      guildLimit: { servers: 5_000, seconds: 3_600 },
      historyDays: 365,
      departureCheckSeconds: 3_600,
      exitWhenSilentSeconds: 600,
      httpHost: '127.0.0.1',
      interactions: 'gateway',
      departureGraceDays: 30,
      directMessages: 'on',
      serverLookup: 'off',
      steamApiUrl: 'https://api.steampowered.com',
      storeUrl: { kind: 'sqlite', name: 'sqlite://data/bot.sqlite', path: 'data/bot.sqlite' },
      attachmentHosts: ['cdn.discordapp.com', 'media.discordapp.net'],
      logLevel: 'info',
    });
  });

  it('has the same variables and defaults as .env.example', () => {
    const defaults = parseEnv(example.replace(/^#(?=[A-Z_]+=)/gm, ''));
    expect(Object.keys(defaults).sort()).toEqual([...VARIABLES].sort());
    expect(read({ ...defaults, ...REQUIRED, ALLOWED_GUILDS: undefined })).toEqual(readConfig(REQUIRED));
    // An error about an invalid value shows that the variable is read.
    for (const name of VARIABLES) expect(problemsWith({ [name]: '\u0001' }), name).toContain(name);
    const withDefault = Object.keys(readConfig(REQUIRED)).map((property) =>
      property.replace(/[A-Z]/g, '_$&').toUpperCase(),
    );
    expect(VARIABLES).toEqual(expect.arrayContaining(withDefault));
  });

  it('accepts the ranges and *_FILE variables listed in docs/configuration.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|.*?\| (.*?) ?\|/gm)];
    const numbers = rows.flatMap(([, name = '', range = '']) => {
      const [, from, to] = /^([\d,]+)–([\d,]+)/.exec(range.replaceAll(',', '')) ?? [];
      return from === undefined ? [] : [{ name, from: Number(from), to: Number(to) }];
    });
    expect(numbers.length).toBeGreaterThan(9);
    for (const { name, from, to } of numbers) {
      for (const value of [from, to])
        expect(problemsWith({ [name]: String(value) })).not.toContain(`${name} must`);
      for (const value of [from - 1, to + 1])
        expect(problemsWith({ [name]: String(value) })).toContain(`${name} must`);
    }
    for (const [, name = '', range = ''] of rows) {
      const isReadFromFile = problemsWith({ [name]: undefined, [`${name}_FILE`]: '/none' }).includes(
        `${name}_FILE refers to a file`,
      );
      expect(range.includes('†'), name).toBe(isReadFromFile);
    }
  });

  it('contains only variables that the bot uses', () => {
    const source = join(import.meta.dirname, '../../src');
    // The doctor and the start's log mention settings that nothing else may use.
    const reports = /^(?:config|tools)\/|start-report|-checks?\.ts$/;
    const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !reports.test(file))
      .map((file) => readFileSync(join(source, file), 'utf8'))
      .join('\n');
    const propertyOf = (name: string) =>
      name.toLowerCase().replace(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase());
    const isUsed = (name: string) => new RegExp(`\\bconfig\\.${propertyOf(name)}\\b`).test(code);
    expect(VARIABLES.filter((name) => !isUsed(name))).toEqual([]);
  });

  it('treats an empty value as missing', () => {
    const names = VARIABLES.filter((name) => name !== 'ALLOWED_GUILDS');
    const blank = Object.fromEntries(names.map((name) => [name, ' ']));
    expect(readConfig({ ...blank, ...REQUIRED, DISCORD_TOKEN: ` ${TOKEN}\n` })).toEqual(readConfig(REQUIRED));
    expect(problems(blank)).toBe(problems({}));
  });

  it('rejects an empty list of allowed guilds', () => {
    expect(problemsWith({ ALLOWED_GUILDS: ' ' })).toContain('ALLOWED_GUILDS is empty');
    const file = fileWith('123456789012345678');
    expect(problemsWith({ ALLOWED_GUILDS: '', ALLOWED_GUILDS_FILE: file })).toBe('');
  });

  it('lists all invalid variables in one message', () => {
    const bad = {
      DISCORD_TOKEN: 'no-dots',
      GAMES_TTL_SECONDS: '0',
      STORE_URL: 'postgres://db',
      LOG_LEVEL: 'loud',
    };
    expect(problems(bad).split('\n  ')).toEqual([
      'The configuration cannot be used:',
      expect.stringMatching(/^DISCORD_TOKEN must be the bot token/),
      expect.stringMatching(/^LISTING_API_URL is missing: it must be the https address/),
      'GAMES_TTL_SECONDS must be a whole number of seconds from 1 to 604800, and is "0"',
      expect.stringMatching(/^STORE_URL must be a SQLite file/),
      expect.stringMatching(/^LOG_LEVEL must be one of fatal, error/),
      expect.stringMatching(
        /^There is no \.env file here\. Create one with "npm run setup", or: (cp|copy) \.env\.example \.env$/,
      ),
    ]);
    expect(problemsWith({ GAMES_TTL_SECONDS: 'soon' })).not.toContain('.env');
  });

  it.each([
    '9.9.9.9 1.1.1.1',
    '2620:fe::fe',
    'dns.example.com',
  ])("rejects a name server that isn't an IP address: %s", (given) => {
    expect(problemsWith({ NAME_SERVERS: given })).toContain('NAME_SERVERS must be IP addresses');
  });

  it('requires two more variables for interactions over HTTP', () => {
    const key = 'aB'.repeat(32);
    const http = {
      INTERACTIONS: 'http',
      DISCORD_PUBLIC_KEY: key,
      INTERACTIONS_PORT: '8080',
      INTERACTIONS_HOST: '::',
    };
    expect(read(http)).toMatchObject({
      discordPublicKey: key,
      interactionsPort: 8_080,
      interactionsHost: '::',
    });
    expect(problemsWith({ INTERACTIONS: 'http', DISCORD_PUBLIC_KEY: key.slice(1) }).split('\n  ')).toEqual([
      'The configuration cannot be used:',
      expect.stringMatching(/^DISCORD_PUBLIC_KEY must be the Public Key of the application: 64 hexadecimal/),
      'INTERACTIONS_PORT is missing: INTERACTIONS=http needs it',
      expect.stringContaining('.env'),
    ]);
  });

  it('never reveals a secret in an error, even for random values', () => {
    const secret = fc.constantFrom(...SECRETS, ...SECRETS.map((name) => `${name}_FILE`));
    const other = fc.constantFrom(...VARIABLES.filter((name) => !SECRETS.includes(name)));
    const text = (begins: string) =>
      fc.string({ unit: 'grapheme-ascii' }).map((behind) => `${begins}${behind}`);
    const hiddenIn = fc.dictionary(secret, text('s3cret'));
    fc.assert(
      fc.property(hiddenIn, fc.dictionary(other, text('x')), (hidden, given) => {
        const message = problems({ ...REQUIRED, ...given, ...hidden });
        expect(message).not.toContain('s3cret');
        for (const line of message.split('\n').slice(1))
          expect(line).toMatch(/^ {2}[A-Z_]+ (must be|refers to|and) /);
      }),
    );
  });

  it('hides secrets when printed', () => {
    const ENCRYPTION_KEY = randomBytes(32).toString('hex');
    const STORE_URL = 'postgres://the-user:the-password@db/bot?sslmode=require';
    const config = read({ ENCRYPTION_KEY, STORE_URL, LISTING_API_KEY: 'operator-key' });
    const base64 = Buffer.from(ENCRYPTION_KEY, 'hex').toString('base64');
    for (const text of [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config)]) {
      for (const secret of [TOKEN, 'operator-key', 'the-password', ENCRYPTION_KEY, base64])
        expect(text).not.toContain(secret);
    }
  });
});

describe('a PostgreSQL configuration', () => {
  const STORE_URL = 'postgres://bot:p%40ss@db.example:5433/listing?sslmode=require';
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');

  it("omits the user and password from the database's name", () => {
    const { storeUrl } = read({ STORE_URL, ENCRYPTION_KEY });
    expect.assert(storeUrl.kind === 'postgres');
    expect(storeUrl.name).toBe('postgres://db.example:5433/listing');
    expect(storeUrl.url.reveal()).toBe(STORE_URL);
  });

  it('requires ENCRYPTION_KEY and rejects BACKUP_EVERY_HOURS', () => {
    const said = problemsWith({ STORE_URL, BACKUP_EVERY_HOURS: '24' });
    expect(said).toMatch(/ENCRYPTION_KEY is missing: with PostgreSQL there is no key file/);
    expect(said).toMatch(/BACKUP_EVERY_HOURS must be 0 with PostgreSQL: .*pg_dump/);
    expect(() => readStoreConfig({ STORE_URL })).toThrow(/ENCRYPTION_KEY is missing/);
  });

  it.each([
    'postgres://bot:s3cret/@db/listing',
    'postgres://bot:s3cret/s3cret@db/listing',
    'postgres://bot:12/s3cret@db',
    'postgres://bot:s3cret@db',
    'postgres://bot:s3cret@db/',
    'postgres://bot:s3cret#@db/listing',
    'mysql://bot:s3cret@db/listing',
  ])('is rejected without revealing the password: %s', (url) => {
    const said = problemsWith({ STORE_URL: url, ENCRYPTION_KEY });
    expect(said).toContain('STORE_URL must be');
    expect(said).not.toContain('s3cret');
  });
});

describe('a configuration variable', () => {
  it.each<[variable: string, given: string, property: keyof ReturnType<typeof readConfig>, used: unknown]>([
    [
      'ATTACHMENT_HOSTS',
      'CDN.example.com:443, [::1]:80',
      'attachmentHosts',
      ['cdn.example.com:443', '[::1]:80'],
    ],
    ['SUPPORT_URL', 'https://example.com/help?a#b', 'supportUrl', 'https://example.com/help?a#b'],
    ['LISTING_NAME', 'Spiele-Liste (DE)', 'listingName', 'Spiele-Liste (DE)'],
    [
      'LISTING_URL',
      'http://list.example/?q={address}#top',
      'listingUrl',
      'http://list.example/?q={address}#top',
    ],
    ['LISTING_API_URL', 'https://list.example.com/base//', 'listingApiUrl', 'https://list.example.com/base'],
    ['LISTING_API_URL', 'http://127.0.0.1:8080', 'listingApiUrl', 'http://127.0.0.1:8080'],
    ['LISTING_API_URL', 'http://localhost:8080/', 'listingApiUrl', 'http://localhost:8080'],
    ['LISTING_API_URL', 'http://[::1]:8080', 'listingApiUrl', 'http://[::1]:8080'],
    ['DISCORD_API_URL', 'https://canary.discord.com/api/', 'discordApiUrl', 'https://canary.discord.com/api'],
    ['DISCORD_API_URL', 'http://127.0.0.1:4000/api', 'discordApiUrl', 'http://127.0.0.1:4000/api'],
    ['MEMBER_LIMIT', '20000/604800', 'memberLimit', { servers: 20_000, seconds: 604_800 }],
    ['GUILD_LIMIT', '1/1', 'guildLimit', { servers: 1, seconds: 1 }],
    ['LISTING_API_TIMEOUT_MS', '100', 'listingApiTimeoutMs', 100],
    ['LISTING_API_TIMEOUT_MS', '120000', 'listingApiTimeoutMs', 120_000],
    ['NAME_SERVERS', '9.9.9.9, [::1]:5353', 'nameServers', ['9.9.9.9', '[::1]:5353']],
    ['HTTP_PORT', '65535', 'httpPort', 65_535],
    ['HTTP_HOST', '::', 'httpHost', '::'],
  ])('accepts a valid value: %s=%s', (variable, given, property, used) => {
    expect(read({ [variable]: given })[property]).toEqual(used);
  });

  it.each([
    ['DISCORD_TOKEN', ['nodots', 'one.dot', 'a.b.c.d', `Bot ${TOKEN}`, '..', 'a..c']],
    [
      'DISCORD_API_URL',
      [
        'http://discord.com/api',
        'https://discord.com.example.org/api',
        'https://evildiscord.com/api',
        'https://discord.com@example.org/api',
        'https://192.168.0.4/api',
      ],
    ],
    [
      'LISTING_API_URL',
      [
        'http://list.example.com',
        'http://127.0.0.1.example.com',
        'https://user:password@list.example.com',
        'https://list.example.com/?',
        'https://list.example.com/#top',
        'ftp://list.example.com',
        'list.example.com',
      ],
    ],
    [
      'LISTING_URL',
      [
        'javascript:alert(1)',
        'list.example/{address}',
        'https://{address}.example/',
        'https://list.example/{address}/{address}',
        'https://user:password@list.example/',
        `https://list.example/${'x'.repeat(200)}`,
      ],
    ],
    ['LISTING_NAME', ['x'.repeat(33), 'a\tb', 'a\u202eb', 'two\nlines']],
    ['LISTING_API_TIMEOUT_MS', ['99', '120001', '1e4', '-1', '1.5']],
    ['MEMBER_LIMIT', ['0/60', '10', '1/0', '20001/1', '1/604801', '1/2/3']],
    ['STORE_URL', ['data/bot.sqlite', 'sqlite://data/', 'sqlite://:memory:', 'postgres://db']],
    ['BLOCKED_USERS', [',', '1234', '123456789012345678,mia']],
    ['SERVER_LOOKUP', ['yes']],
    ['STEAM_API_URL', ['http://api.steampowered.com', 'steam']],
    ['NAME_SERVERS', ['dns.example.com', '9.9.9.9:70000', '9.9.9.9,,1.1.1.1']],
    ['ATTACHMENT_HOSTS', ['cdn.example.com:70000', 'https://cdn.example.com', 'a,,b']],
    ['SUPPORT_URL', ['http://example.com/help', `https://example.com/${'x'.repeat(500)}`]],
    [
      'OPERATOR_WEBHOOK_URL',
      [
        'https://example.com/api/webhooks/1/abc',
        'http://discord.com/api/webhooks/1/abc',
        'https://discord.com/api/webhooks/1',
        'https://discord.com/api/webhooks/1/abc?wait=true',
        'https://discord.com/channels/1/2',
      ],
    ],
    ['HEARTBEAT_URL', ['hc-ping.com/abc', 'ftp://hc-ping.com/abc']],
    ['HTTP_PORT', ['0', '65536', 'eighty']],
    ['HTTP_HOST', ['a b', 'a/b']],
    ['INTERACTIONS_HOST', ['a b']],
    ['INTERACTIONS', ['https', 'both']],
    ['INTERACTIONS_PORT', ['0']],
    [
      'ENCRYPTION_KEY',
      [
        randomBytes(31).toString('base64'),
        randomBytes(33).toString('base64'),
        'a'.repeat(63),
        'correct horse battery staple, and more',
        `${randomBytes(32).toString('hex')},`,
      ],
    ],
  ])('rejects invalid values: %s=%j', (variable, given) => {
    for (const value of given)
      expect(problemsWith({ [variable]: value }), value).toContain(`${variable} must be`);
  });

  it('can be a list of ids, in the environment or in a file', () => {
    const [one, two] = ['123456789012345678', '223456789012345678'];
    const config = read({
      BLOCKED_USERS_FILE: fileWith(`${one}\n${two},\n`),
      ALLOWED_GUILDS: `${one}, ${two}`,
    });
    expect(config).toMatchObject({ blockedUsers: [one, two], allowedGuilds: [one, two] });
  });
});

it("the configuration hides the operator's webhook and heartbeat URLs when printed", () => {
  const { operatorWebhookUrl, heartbeatUrl } = read({
    OPERATOR_WEBHOOK_URL: 'https://canary.discord.com/api/v10/webhooks/1/a-b_c?thread_id=2',
    HEARTBEAT_URL_FILE: fileWith('http://uptime-kuma:3001/api/push/abc?status=up\n'),
  });
  expect(operatorWebhookUrl?.reveal()).toBe(
    'https://canary.discord.com/api/v10/webhooks/1/a-b_c?thread_id=2',
  );
  expect(heartbeatUrl?.reveal()).toBe('http://uptime-kuma:3001/api/push/abc?status=up');
  expect(inspect({ operatorWebhookUrl, heartbeatUrl })).not.toContain('http');
});

describe('a configuration mistake', () => {
  it.each([
    [{ DISCORD_TOKEN: `Bot ${TOKEN}` }, 'It begins with "Bot ": remove that'],
    [{ DISCORD_TOKEN: `“${TOKEN}”` }, 'with quotes around them: remove the quotes'],
    [{ LISTING_API_URL: '"https://listing.example.com"' }, 'with quotes around them: remove the quotes'],
    [{ DISCORD_TOKEN: 'abcdefghij-ABCDEFGHIJ_0123456789' }, 'This looks like the client secret'],
    [{ DISCORD_TOKEN: TOKEN.replace('.', '. ') }, 'It contains a space'],
    [{ LISTING_API_URL: 'list.example.com/base' }, 'did you mean https://list.example.com/base?'],
    [{ LISTING_API_URL: 'http://list.example.com' }, 'did you mean https://list.example.com?'],
    [
      { LISTING_API_URL: '', LISTING_URL: 'https://list.example.com' },
      'LISTING_URL is the page for people: did you mean LISTING_API_URL?',
    ],
  ])('is reported with a hint: %j', (given, says) => {
    expect(problemsWith(given)).toContain(says);
    expect(problemsWith(given)).not.toContain(TOKEN);
  });
});

it('a LISTING_API_URL that ends in /api causes only a warning', () => {
  expect(configWarnings(read({ LISTING_API_URL: 'https://list.example.com/api/' }))).toEqual([
    expect.stringContaining('requests go to https://list.example.com/api/api.'),
  ]);
  expect(configWarnings(read({}))).toEqual([]);
});

describe('an error about an invalid value', () => {
  it.each([
    ['GAMES_TTL_SECONDS', '-1'],
    ['MEMBER_LIMIT', '1000 / 3600'],
    ['LOG_LEVEL', 'verbose'],
    ['LISTING_API_URL', 'ftp://list.example.com:21/base'],
    ['LISTING_URL', 'list.example.com/{address}'],
    ['SUPPORT_URL', 'example.com'],
    ['ATTACHMENT_HOSTS', 'cdn.example.com:70000, 9.9.9.9'],
    ['NAME_SERVERS', '2620:fe::fe [::1]:53 dns.example.com'],
    ['HTTP_HOST', '127.0.0.1 ::1'],
    ['BLOCKED_USERS', '1234, 5678'],
  ])('quotes the value if it resembles a valid one: %s=%s', (name, value) => {
    expect(problemsWith({ [name]: value })).toContain(`, and is ${JSON.stringify(value)}`);
  });

  it.each([
    ['a hexadecimal key', 'fedcba98765432100123456789abcdef'],
    ['a key in base64', 'wJalrXUtnFEMIK7MDENG+bPxRfiCYzEX4Mk='],
    ['a short key', 'k3y-0123456789'],
    ['a password', 'correct-horse'],
    ['a token', TOKEN],
    ['a URL with a password', 'https://bot:s3cret@db.example.com/x?'],
    ['a URL with a key', 'ftp://example.com/0123456789abcdef'],
    ['a UUID', '123e4567-e89b-12d3-a456-426614174000'],
  ])('never quotes %s', (_, value) => {
    let rejecting = 0;
    for (const name of VARIABLES) {
      const problem = problemsWith({ [name]: value });
      expect(problem, name).not.toContain(value);
      if (problem !== '') expect(problem, name).toContain(`; the value has ${value.length} characters`);
      if (problem !== '') rejecting += 1;
    }
    expect(rejecting).toBeGreaterThan(20);
  });
});

describe('a configuration error', () => {
  it('names the variables to change', () => {
    const variablesOf = (env: Environment): readonly string[] => {
      try {
        readConfig(env);
        return [];
      } catch (error) {
        return error instanceof ConfigError ? error.variables : ['?'];
      }
    };
    expect(variablesOf({})).toEqual(['DISCORD_TOKEN', 'LISTING_API_URL']);
    const given = { HTTP_PORT: '0', ALLOWED_GUILDS: '', INTERACTIONS: 'http', ENCRYPTION_KEY_FILE: '/none' };
    expect(variablesOf({ ...REQUIRED, ...given, DISCORD_TOKEN_FILE: '/none' })).toEqual([
      'DISCORD_TOKEN_FILE',
      'ENCRYPTION_KEY_FILE',
      'ALLOWED_GUILDS',
      'HTTP_PORT',
      'DISCORD_PUBLIC_KEY',
      'INTERACTIONS_PORT',
    ]);
  });
});

describe('a secret', () => {
  it('can be read from a file with a trailing newline', () => {
    const key = randomBytes(32).toString('base64');
    const config = read({
      DISCORD_TOKEN: '',
      DISCORD_TOKEN_FILE: fileWith(`${TOKEN}\n`),
      LISTING_API_KEY_FILE: fileWith('operator key\r\n'),
      ENCRYPTION_KEY_FILE: fileWith(` ${key} `),
    });
    expect(config.discordToken.reveal()).toBe(TOKEN);
    expect(config.listingApiKey?.reveal()).toBe('operator key');
    expect(config.encryptionKey?.map((one) => one.reveal())).toEqual([key]);
  });

  it("can't be set both in the environment and in a file", () => {
    expect(problemsWith({ DISCORD_TOKEN_FILE: fileWith(TOKEN) })).toContain('are both set');
    const empty = fileWith('\n');
    const said = problemsWith({ LISTING_API_KEY_FILE: '/nowhere/key', ENCRYPTION_KEY_FILE: empty });
    expect(said).toContain('LISTING_API_KEY_FILE refers to a file that cannot be read (ENOENT)');
    expect(said).toContain('ENCRYPTION_KEY_FILE refers to an empty file');
    const token = problemsWith({ DISCORD_TOKEN: undefined, DISCORD_TOKEN_FILE: '/nowhere/token' });
    expect(token).toContain('DISCORD_TOKEN_FILE refers to a file');
    expect(token).not.toContain('is missing');
  });
});

it('an encryption key can be in base64 or hexadecimal', () => {
  const [newest, middle, oldest] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const given = `${newest.toString('hex').toUpperCase()}, ${middle.toString('base64')},${oldest.toString('base64url')}`;
  const keys = read({ ENCRYPTION_KEY: given }).encryptionKey;
  expect(keys?.map((key) => key.reveal())).toEqual(
    [newest, middle, oldest].map((key) => key.toString('base64')),
  );
});

describe('an unknown variable', () => {
  it.each([
    ['MEMBER_LIMITS', 'MEMBER_LIMIT'],
    ['MEBMER_LIMIT', 'MEMBER_LIMIT'],
    ['GUILD-LIMIT', 'GUILD_LIMIT'],
    ['discord_token', 'DISCORD_TOKEN'],
    ['DISCORD_BOT_TOKEN', 'DISCORD_TOKEN'],
    ['DISCORD_TOKENFILE', 'DISCORD_TOKEN_FILE'],
    ['LISTING_KEY', 'LISTING_API_KEY'],
    ['LISTING_API_TIMEOUT', 'LISTING_API_TIMEOUT_MS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ])('is reported with a suggested name: %s → %s', (name, meant) => {
    const hint = `${name}: did you mean ${meant}?`;
    expect(misspelt({ ...REQUIRED, [name]: 'hunter2' })).toEqual([hint]);
    expect(problems({ [name]: 'hunter2' })).toContain(hint);
  });

  it("is ignored if it is empty or doesn't resemble a known variable", () => {
    const others =
      'PATH HOME HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_ENV NODE_OPTIONS TZ LANG LC_ALL API_URL API_KEY TOKEN PORT ' +
      'DATABASE_URL REDIS_URL SUPABASE_URL HTTP_STATUS HOSTNAME LOGNAME LISTING npm_config_user_agent';
    const names = [...others.split(' '), ...VARIABLES];
    const env = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(misspelt({ ...env, MEMBER_LIMITS: ' ' })).toEqual([]);
  });
});
