import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, misspelt, readConfig } from '../src/config/config.ts';

const TOKEN = 'MTIzNDU2.GaBcDe.abcdefghijklmnop_0123';
const REQUIRED = { DISCORD_TOKEN: TOKEN, LISTING_API_URL: 'https://list.example.com' };
const SECRETS = ['DISCORD_TOKEN', 'LISTING_API_KEY', 'ENCRYPTION_KEY'] as const;
const OTHERS = [
  'LISTING_API_URL',
  'LISTING_NAME',
  'LISTING_URL',
  'LISTING_API_TIMEOUT_MS',
  'LISTING_REQUESTS_AT_ONCE',
  'LISTING_API_ARRAY_FORMAT',
  'GAMES_TTL_SECONDS',
  'MEMBER_LIMIT',
  'GUILD_LIMIT',
  'HISTORY_DAYS',
  'DEPARTURE_CHECK_SECONDS',
  'DEPARTURE_GRACE_DAYS',
  'STORE_URL',
  'HTTP_PORT',
  'HTTP_HOST',
  'EXIT_WHEN_SILENT_SECONDS',
  'BACKUP_EVERY_HOURS',
  'BACKUP_KEEP',
  'DISCORD_API_URL',
  'ATTACHMENT_HOSTS',
  'SUPPORT_URL',
  'PRIVACY_URL',
  'LOG_LEVEL',
] as const;

function problems(env: Record<string, string | undefined>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

const problemsWith = (more: Record<string, string | undefined>) => problems({ ...REQUIRED, ...more });

function file(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'bot-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'secret'), content);
  return join(folder, 'secret');
}

describe('the configuration', () => {
  it('needs two variables and has a default for every other', () => {
    const { discordToken, ...rest } = readConfig(REQUIRED);
    expect(discordToken.reveal()).toBe(TOKEN);
    expect(rest).toEqual({
      backupEveryHours: 0,
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
      departureGraceDays: 30,
      storeUrl: 'sqlite://data/bot.sqlite',
      attachmentHosts: ['cdn.discordapp.com', 'media.discordapp.net'],
      logLevel: 'info',
    });
  });

  it('takes an empty value for an absent one, and leaves spaces around a value out', () => {
    const blank = Object.fromEntries([...SECRETS, ...OTHERS].map((name) => [name, ' ']));
    expect(readConfig({ ...blank, ...REQUIRED, DISCORD_TOKEN: ` ${TOKEN}\n` })).toEqual(readConfig(REQUIRED));
    expect(problems(blank)).toBe(problems({}));
  });

  it('names every bad variable at once, and what each should be', () => {
    expect(
      problems({
        DISCORD_TOKEN: 'no-dots',
        LISTING_NAME: 'two\nlines',
        LISTING_URL: 'https://list.example/{address}/{address}',
        LISTING_API_TIMEOUT_MS: '1e4',
        LISTING_API_ARRAY_FORMAT: 'dots',
        GAMES_TTL_SECONDS: '0',
        MEMBER_LIMIT: '0/60',
        GUILD_LIMIT: '10',
        STORE_URL: 'postgres://db',
        ENCRYPTION_KEY: 'short',
        DISCORD_API_URL: 'https://discord.example.com/api',
        ATTACHMENT_HOSTS: 'cdn.example.com:70000',
        SUPPORT_URL: 'http://example.com/help',
        PRIVACY_URL: `https://example.com/${'x'.repeat(500)}`,
        LOG_LEVEL: 'loud',
      }),
    ).toBe(
      [
        'The configuration cannot be used:',
        'DISCORD_TOKEN must be the token of the bot: three parts with dots between them, and nothing else',
        'DISCORD_API_URL must be https://discord.com/api, or a URL on this machine (the token is sent there)',
        'LISTING_API_URL is missing: it must be the https address of the listing service (http only on this machine), without user, "?" or "#"',
        'LISTING_API_TIMEOUT_MS must be a whole number of milliseconds from 100 to 120000',
        'LISTING_NAME must be one line of at most 32 characters, such as Game List',
        'LISTING_URL must be the http or https address of a page, at most 200 characters, without user; {address} may stand in it once, behind the host',
        'LISTING_API_ARRAY_FORMAT must be brackets or indices',
        'GAMES_TTL_SECONDS must be a whole number of seconds from 1 to 604800',
        'MEMBER_LIMIT must be servers/seconds, such as 1000/3600: from 1/1 to 1000000/604800',
        'GUILD_LIMIT must be servers/seconds, such as 1000/3600: from 1/1 to 1000000/604800',
        'STORE_URL must be a file of SQLite, such as sqlite://data/bot.sqlite',
        'ENCRYPTION_KEY must be 32 bytes in base64 or hexadecimal; several with commas between them, the newest first',
        'ATTACHMENT_HOSTS must be hosts, such as cdn.example.com or cdn.example.com:8443, with commas between them',
        'SUPPORT_URL must be the https address of a page that members can open, at most 512 characters',
        'PRIVACY_URL must be the https address of a page that members can open, at most 512 characters',
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
        `There is no file .env here. Make one: ${process.platform === 'win32' ? 'copy' : 'cp'} .env.example .env`,
      ].join('\n  '),
    );
  });

  it('takes several hosts of attachments, in any case', () => {
    const { attachmentHosts } = readConfig({
      ...REQUIRED,
      ATTACHMENT_HOSTS: 'CDN.example.com:443, 127.0.0.1,[::1]:8080',
    });
    expect(attachmentHosts).toEqual(['cdn.example.com:443', '127.0.0.1', '[::1]:8080']);
  });

  it('takes pages to link to as they are', () => {
    const SUPPORT_URL = 'https://example.com/help?from=bot#top';
    expect(readConfig({ ...REQUIRED, SUPPORT_URL })).toMatchObject({ supportUrl: SUPPORT_URL });
  });

  it('takes a name and a page of the listing service as they are', () => {
    const given = { LISTING_NAME: 'Spiele-Liste (DE)', LISTING_URL: 'http://list.example/?q={address}#top' };
    expect(readConfig({ ...REQUIRED, ...given })).toMatchObject({
      listingName: given.LISTING_NAME,
      listingUrl: given.LISTING_URL,
    });
  });

  it.each([
    'ftp://list.example/{address}',
    'javascript:alert(1)',
    'list.example/{address}',
    'https://{address}.example/',
    'https://user:password@list.example/',
    `https://list.example/${'x'.repeat(200)}`,
  ])('LISTING_URL may not be %s', (LISTING_URL) => {
    expect(problemsWith({ LISTING_URL })).toContain(
      'LISTING_URL must be the http or https address of a page',
    );
  });

  it.each(['x'.repeat(33), 'a\tb', 'a\u202eb'])('LISTING_NAME may not be %j', (LISTING_NAME) => {
    expect(problemsWith({ LISTING_NAME })).toContain('LISTING_NAME must be one line');
  });

  it('repeats no value, whatever variable it was put into', () => {
    const wild = fc.string({ minLength: 12, unit: 'grapheme-ascii' }).map((text) => `s3cret${text}s3cret`);
    const names = fc.subarray([...SECRETS, ...OTHERS, ...SECRETS.map((name) => `${name}_FILE`)]);
    fc.assert(
      fc.property(names, wild, (chosen, value) => {
        const message = problems(Object.fromEntries(chosen.map((name) => [name, value])));
        expect(message).toContain('LISTING_API_URL');
        expect(message).not.toContain('s3cret');
      }),
    );
  });

  it('is either a configuration or one readable error, for any environment', () => {
    const env = fc.dictionary(fc.constantFrom(...SECRETS, ...OTHERS), fc.string());
    fc.assert(
      fc.property(env, (given) => {
        const message = problems({ ...REQUIRED, ...given });
        for (const line of message.split('\n').slice(1))
          expect(line).toMatch(/^ {2}([A-Z_]+ (must be|is missing)|There is no file \.env here\.)/);
      }),
    );
  });

  it('prints without its secrets', () => {
    const ENCRYPTION_KEY = randomBytes(32).toString('hex');
    const config = readConfig({ ...REQUIRED, ENCRYPTION_KEY, LISTING_API_KEY: 'operator-key' });
    const base64 = Buffer.from(ENCRYPTION_KEY, 'hex').toString('base64');
    for (const text of [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config)]) {
      for (const secret of [TOKEN, 'operator-key', ENCRYPTION_KEY, base64])
        expect(text).not.toContain(secret);
    }
  });
});

describe('the addresses', () => {
  it.each([
    ['https://list.example.com/', 'https://list.example.com'],
    ['https://list.example.com/base//', 'https://list.example.com/base'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('LISTING_API_URL may be %s', (given, used) => {
    expect(readConfig({ ...REQUIRED, LISTING_API_URL: given }).listingApiUrl).toBe(used);
  });

  it.each([
    'http://list.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
    'https://user:password@list.example.com',
    'https://list.example.com/?key=1',
    'https://list.example.com/?',
    'https://list.example.com/#top',
    'ftp://list.example.com',
    'list.example.com',
    'https://',
  ])('LISTING_API_URL may not be %s', (given) => {
    expect(problemsWith({ LISTING_API_URL: given })).toContain('LISTING_API_URL must be the https address');
  });

  it.each([
    'https://discord.com/api/',
    'https://canary.discord.com/api',
    'http://127.0.0.1:4000/api',
    'http://[::1]:4000/api',
  ])('DISCORD_API_URL may be %s', (given) => {
    expect(readConfig({ ...REQUIRED, DISCORD_API_URL: given }).discordApiUrl).toBe(given.replace(/\/$/, ''));
  });

  it.each([
    'http://discord.com/api',
    'https://discord.com.example.org/api',
    'https://evildiscord.com/api',
    'https://discord.com@example.org/api',
    'https://192.168.0.4/api',
    'http://proxy/api',
  ])('DISCORD_API_URL may not be %s, where the token would be given away', (given) => {
    expect(problemsWith({ DISCORD_API_URL: given })).toContain(
      'DISCORD_API_URL must be https://discord.com/api',
    );
  });
});

describe('the secrets', () => {
  it.each([
    'nodots',
    'one.dot',
    'a.b.c.d',
    `Bot ${TOKEN}`,
    '..',
    'a..c',
  ])('DISCORD_TOKEN may not be %s', (given) => {
    expect(problemsWith({ DISCORD_TOKEN: given })).toContain('DISCORD_TOKEN must be the token of the bot');
  });

  it('can be in files, with a line break at the end', () => {
    const key = randomBytes(32).toString('base64');
    const config = readConfig({
      LISTING_API_URL: REQUIRED.LISTING_API_URL,
      DISCORD_TOKEN_FILE: file(`${TOKEN}\n`),
      LISTING_API_KEY_FILE: file('operator key\r\n'),
      ENCRYPTION_KEY_FILE: file(` ${key} `),
      DISCORD_TOKEN: '',
    });
    expect(config.discordToken.reveal()).toBe(TOKEN);
    expect(config.listingApiKey?.reveal()).toBe('operator key');
    expect(config.encryptionKey?.map((one) => one.reveal())).toEqual([key]);
  });

  it('cannot be in the environment and in a file', () => {
    expect(problemsWith({ DISCORD_TOKEN_FILE: file(TOKEN) })).toBe(
      'The configuration cannot be used:\n  DISCORD_TOKEN and DISCORD_TOKEN_FILE are both given: only one of them can count',
    );
  });

  it('are asked for by the name of the file that is empty or cannot be read', () => {
    const empty = file('\n');
    expect(problemsWith({ LISTING_API_KEY_FILE: '/nowhere/key', ENCRYPTION_KEY_FILE: empty })).toBe(
      [
        'The configuration cannot be used:',
        'LISTING_API_KEY_FILE names a file that cannot be read (ENOENT): /nowhere/key',
        `ENCRYPTION_KEY_FILE names an empty file: ${empty}`,
      ].join('\n  '),
    );
    expect(problems({ ...REQUIRED, DISCORD_TOKEN: undefined, DISCORD_TOKEN_FILE: '/nowhere/token' })).toBe(
      'The configuration cannot be used:\n  DISCORD_TOKEN_FILE names a file that cannot be read (ENOENT): /nowhere/token',
    );
  });

  it('include encryption keys of 32 bytes, in base64 or hexadecimal, newest first', () => {
    const [newest, middle, oldest] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const given = `${newest.toString('hex').toUpperCase()}, ${middle.toString('base64')},${oldest.toString('base64url')}`;
    const keys = readConfig({ ...REQUIRED, ENCRYPTION_KEY: given }).encryptionKey;
    expect(keys?.map((key) => key.reveal())).toEqual(
      [newest, middle, oldest].map((key) => key.toString('base64')),
    );
  });

  it.each([
    ['31 bytes', randomBytes(31).toString('base64')],
    ['33 bytes', randomBytes(33).toString('base64')],
    ['63 digits', 'a'.repeat(63)],
    ['a passphrase', 'correct horse battery staple, and more'],
    ['an empty one among several', `${randomBytes(32).toString('hex')},`],
  ])('do not include an encryption key of %s', (_, given) => {
    expect(problemsWith({ ENCRYPTION_KEY: given })).toContain('ENCRYPTION_KEY must be 32 bytes');
  });
});

describe('.env.example', () => {
  const text = readFileSync(join(import.meta.dirname, '../.env.example'), 'utf8');

  it('names every variable and no other, each with its default and a line of explanation', () => {
    const named = [...text.matchAll(/^# .+\n#?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual([...SECRETS, ...OTHERS].sort());
    const defaults = parseEnv(text.replace(/^#(?=[A-Z_]+=)/gm, ''));
    expect(readConfig({ ...defaults, ...REQUIRED })).toEqual(readConfig(REQUIRED));
  });
});

describe('a variable that nobody reads', () => {
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
  ])('%s is asked about as %s, without its value', (name, meant) => {
    expect(misspelt({ ...REQUIRED, [name]: 'hunter2' })).toEqual([`${name}: did you mean ${meant}?`]);
  });

  it('is left alone when it looks like none of ours, is empty, or is one of ours', () => {
    const names =
      'PATH HOME HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_ENV NODE_OPTIONS TZ LANG LC_ALL API_URL API_KEY TOKEN';
    const more =
      'DATABASE_URL REDIS_URL SUPABASE_URL HTTP_STATUS HOSTNAME LOGNAME LISTING npm_config_user_agent PORT';
    const others = Object.fromEntries(`${names} ${more}`.split(' ').map((name) => [name, 'x']));
    const ours = Object.fromEntries([...OTHERS, ...SECRETS].map((name) => [name, 'x']));
    expect(misspelt({ ...others, ...ours, MEMBER_LIMITS: ' ' })).toEqual([]);
  });

  it('is asked about beside what is missing, and so is a file .env', () => {
    const said = problems({ DISCORD_TOKEN: TOKEN, LISTING_APL_URL: 'https://list.example.com' });
    expect(said).toContain('LISTING_API_URL is missing');
    expect(said).toContain('LISTING_APL_URL: did you mean LISTING_API_URL?');
    expect(said).toMatch(/There is no file \.env here\. Make one: (cp|copy) \.env\.example \.env$/);
    expect(problemsWith({ GAMES_TTL_SECONDS: 'soon' })).not.toContain('.env');
  });
});
