import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { REST, Routes } from 'discord.js';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type StandInOptions, startDiscord } from '../../sandbox/discord/stand-in.ts';
import { startListing } from '../../sandbox/listing/stand-in.ts';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { deleteBackupFailure, saveBackupFailure } from '../../src/operations/backup-files.ts';
import { runChecks } from '../../src/operations/checks.ts';
import { find, table } from '../../src/operations/finding.ts';
import { checkBackups, checkMemory } from '../../src/operations/store-checks.ts';
import { timeInName } from '../../src/storage/database-file.ts';
import { sqliteAt } from '../../src/store-url.ts';
import { oneBot, openBot } from '../support/bot.ts';
import { openStore } from '../support/database.ts';
import { recorder, runFile, runToolInProcess } from '../support/machine.ts';

type Changes = Readonly<Record<string, string>>;

const OPERATOR_KEY = 'sandbox-key';
const preload = (path: string) => `--import=${pathToFileURL(join(import.meta.dirname, path)).href}`;

/** A bot that has run once, published its commands, and created its store, its key and a backup. */
const bot = await openBot();
const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
await bot.newGuild({ key: OPERATOR_KEY });
await mkdir(join(bot.data, 'backups'));
await writeFile(join(bot.data, 'backups', `bot-${timeInName(Date.now())}.sqlite`), '');
afterAll(async () => {
  await bot.close();
  await rm(folder, { recursive: true });
});

const environment = (changes: Changes): Changes => ({
  DISCORD_TOKEN: bot.token,
  DISCORD_API_URL: bot.discord.apiUrl,
  LISTING_API_URL: bot.listing.url,
  LISTING_API_KEY: OPERATOR_KEY,
  STORE_URL: `sqlite://${bot.data}/bot.sqlite`,
  ...changes,
});

interface Said {
  readonly text: string;
  readonly status: number | null;
  /** The checks that failed. */
  readonly failed: readonly (string | undefined)[];
}

/** Fails if the output contains a secret. */
function said(text: string, status: number | null, env: Changes): Said {
  for (const name of ['DISCORD_TOKEN', 'LISTING_API_KEY', 'ENCRYPTION_KEY']) {
    if (env[name]) expect(text).not.toContain(env[name]);
  }
  const failed = [...text.matchAll(/^FAILED {3}(\w+(?: \w+)?)/gm)].map(([, name]) => name);
  return { text, status, failed };
}

/** Runs `npm run doctor` as defined in package.json. Only a new process reads Node's own variables. */
async function doctor(changes: Changes = {}): Promise<Said> {
  const env = environment(changes);
  const run = changes.NODE_OPTIONS === undefined ? runToolInProcess : runFile;
  const { stdout, stderr, status } = await run(['src/tools/doctor.ts'], { cwd: folder, env });
  expect(stderr).toBe('');
  return said(stdout, status, env);
}

/** Runs the checks in this process. */
async function examine(changes: Changes = {}): Promise<Said> {
  const env = environment(changes);
  const config = readConfig(env);
  const { commands } = createApp({ config, logger: recorder(), onFatal: () => undefined });
  const findings = await runChecks({ config, commands });
  return said(table(findings), findings.some(({ state }) => state === 'failed') ? 1 : 0, env);
}

/** Expects that only this check fails, with this message and a fix. */
async function fails(check: string, words: RegExp, changes: Changes, run = examine): Promise<void> {
  const { text, status, failed } = await run(changes);
  expect({ failed, status }).toEqual({ failed: [check], status: 1 });
  expect(text).toMatch(words);
  expect(text).toMatch(/ → .{10}/);
}

/** Starts another Discord stand-in without any commands, and returns the variables for it. */
async function anotherDiscord(settings: Partial<StandInOptions>): Promise<Changes> {
  const discord = await startDiscord({ token: bot.token, ...settings });
  onTestFinished(() => discord.close());
  return { DISCORD_API_URL: discord.apiUrl };
}

/** Starts a Discord stand-in that responds to every request in the same way, and returns the variables for it. */
async function brokenDiscord(answer: RequestListener): Promise<Changes> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { DISCORD_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api` };
}

/** Creates a file with this content in the test's folder. */
async function fileWith(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('npm run doctor', () => {
  it('reports no problems if the bot is healthy', async () => {
    const before = bot.discord.requests.length;
    const { text, status, failed } = await doctor();
    expect({ failed, status }).toEqual({ failed: [], status: 0 });
    expect(text).toContain('Everything is in order.');
    expect(text).toMatch(/^ok +Application +interactions come over the gateway$/m);
    expect(text).toMatch(/^ok +Invitation +https:\/\/discord\.com\/oauth2\/authorize\?client_id=/m);
    expect(text).toMatch(/^ok +Listing service +responds, with \d+ games$/m);
    const asked = bot.discord.requests.slice(before).map(({ method }) => method);
    expect(new Set(asked)).toEqual(new Set(['GET']));
  });

  it('finds all invalid variables', async () => {
    const changes = { DISCORD_TOKEN: 'hunter2-is-no-token', HTTP_PORT: 'eighty' };
    await fails('Configuration', /DISCORD_TOKEN must be[\s\S]*HTTP_PORT must be a port/, changes, doctor);
  });

  it('warns about a misspelt variable', async () => {
    const { text, status } = await doctor({ HISTORY_DAY: '30' });
    expect(status).toBe(0);
    expect(text).toMatch(
      /^warning +Configuration +the bot ignores unknown variables\n +HISTORY_DAY: did you mean HISTORY_DAYS\?\n +→ correct/m,
    );
    expect(text).toContain('warnings: 1.');
  });

  it('detects a wrong clock', async () => {
    const CLOCK_FILE = await fileWith('clock', '420000');
    const changes = { NODE_OPTIONS: preload('../faults/preloads/clock.ts'), CLOCK_FILE };
    await fails('Clock', /is 7 minutes ahead of Discord's/, changes, doctor);
  });

  it('detects an almost full disk', async () => {
    const changes = { NODE_OPTIONS: preload('../support/preloads/full-disk.ts') };
    await fails('Disk', /only 3 MiB of free space[\s\S]*free some space/, changes, doctor);
  });
});

describe("the doctor's Discord check", () => {
  it('detects a rejected token', async () => {
    const wrong = bot.token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    const words = /Discord rejects DISCORD_TOKEN[\s\S]*skipped +Commands/;
    bot.mayBreak('401: Unauthorized', 2);
    await fails('Token', words, { DISCORD_TOKEN: wrong });
  });

  it('detects that Discord is unreachable', async () => {
    const { failed, text } = await examine({ DISCORD_API_URL: 'http://127.0.0.1:9/api' });
    expect(failed).toEqual(['Token']);
    expect(text).toMatch(/cannot reach Discord: connection refused/);
  });

  it.each<[what: string, words: RegExp, answer: RequestListener]>([
    [
      'a block without a time limit',
      /Discord is blocking this address or this bot[\s\S]*→ wait an hour/,
      (_, response) => response.writeHead(429, { 'content-type': 'text/plain' }).end('error code: 1015'),
    ],
    [
      'a rate limit for a day',
      /Discord is rate-limiting this bot for another 8272\d seconds/,
      (_, response) =>
        response
          .writeHead(429, {
            'content-type': 'application/json',
            'retry-after': '82721',
            'x-ratelimit-scope': 'user',
          })
          .end('{"message":"You are being rate limited.","retry_after":82721,"global":false}'),
    ],
    ['an unresponsive Discord', /cannot reach Discord: no response within 8 seconds/, () => undefined],
  ])('detects %s within 20 seconds', { timeout: 20_000 }, async (_, words, answer) => {
    const { failed, text } = await examine(await brokenDiscord(answer));
    expect(failed[0]).toBe('Token');
    expect(text).toMatch(words);
    expect(text).toMatch(/skipped +IDENTIFYs/);
    expect(text).toMatch(/^ok +Disk/m);
  });

  it('detects an Interactions Endpoint URL that diverts commands from the gateway', async () => {
    const { failed, text } = await examine(
      await anotherDiscord({ endpointUrl: 'https://example.com/interactions' }),
    );
    expect(failed).toEqual(['Application']);
    expect(text).toMatch(/clear "Interactions Endpoint URL" on \S+ and save/);
  });

  it('detects a missing endpoint URL or wrong public key for HTTP interactions', async () => {
    const DISCORD_PUBLIC_KEY = bot.discord.endpoint.publicKey.toUpperCase();
    const http = { INTERACTIONS: 'http', INTERACTIONS_PORT: '1', DISCORD_PUBLIC_KEY };
    await fails(
      'Application',
      /does not have an Interactions Endpoint URL[\s\S]*while the bot is running, enter/,
      http,
    );
    const another = { ...http, DISCORD_PUBLIC_KEY: '0'.repeat(64) };
    await fails('Application', /does not belong to this application[\s\S]*copy "Public Key" from/, another);
    const { discord, token } = await oneBot({ http: true });
    const { failed, text } = await examine({
      ...http,
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_TOKEN: token,
      DISCORD_PUBLIC_KEY: discord.endpoint.publicKey,
    });
    expect(failed).toEqual([]);
    expect(text).toContain(`Discord posts interactions to ${discord.endpoint.url()}`);
    expect(text).toMatch(/skipped +IDENTIFYs +the bot does not use the gateway/);
  });

  it('detects an application setting that prevents installation', async () => {
    const changes = await anotherDiscord({ application: { bot_require_code_grant: true } });
    const { failed, text } = await examine(changes);
    expect(failed).toEqual(['Invitation']);
    expect(text).toMatch(/"Requires OAuth2 Code Grant" is on/);
  });

  it('lists unmet verification requirements once the bot is in 75 guilds', async () => {
    const near = {
      approximate_guild_count: 75,
      description: '',
      tags: ['games'] as [string],
      privacy_policy_url: 'https://a.example',
    };
    const { failed, text } = await examine(await anotherDiscord({ application: near }));
    expect(failed).toEqual(['Profile']);
    expect(text).toMatch(
      /After 100, no other server can add it[^\n]* It still needs a team with a verified owner, a Terms of Service URL, a description\.\n/,
    );
    const complete = {
      ...near,
      terms_of_service_url: 'https://a.example',
      description: 'x',
      team: { id: '1', icon: null, name: 'T', owner_user_id: '1', members: [] },
    };
    expect((await examine(await anotherDiscord({ application: complete }))).text).not.toContain(
      'still needs',
    );
    const few = await examine(await anotherDiscord({ application: { description: '' } }));
    expect(few).toMatchObject({
      failed: [],
      status: 0,
      text: expect.stringMatching(/^warning +Profile +it does not have a description/m),
    });
    expect(few.text).toContain('The bot has what it needs; warnings: 1.');
  });

  it('detects commands that are missing or belong to another program', async () => {
    const others = bot.discord.commands().map(({ name, type }) => ({
      name,
      type,
      ...(type === 1 && { description: 'Does something else' }),
    }));
    const rest = new REST({ api: bot.discord.apiUrl }).setToken(bot.token);
    const route = Routes.applicationCommands(bot.discord.applicationId);
    await rest.put(route, { body: others });
    await fails('Commands', /Discord has different commands/, {});
    await rest.put(route, { body: [] });
    await fails('Commands', /Discord does not have any of them/, {});
    await bot.restart();
    await expect.poll(async () => (await examine()).failed).toEqual([]);
  });

  it.each([
    [900, undefined],
    [901, 'IDENTIFYs'],
  ])('allows at most 900 IDENTIFY requests: %d', async (identifiesUsed, first) => {
    const { failed } = await examine(await anotherDiscord({ identifiesUsed }));
    expect(failed[0]).toBe(first);
  });
});

describe('the doctor', () => {
  it('detects an unreachable listing service or a rejected key', async () => {
    const nowhere = { LISTING_API_URL: 'http://127.0.0.1:9' };
    await fails('Listing service', /isn't responding as expected: unreachable/, nowhere);
    const wrong = { LISTING_API_KEY: 'a-wrong-key-of-mine' };
    await fails('Listing service', /rejects LISTING_API_KEY: Invalid API key\./, wrong);
    expect((await examine({ LISTING_API_KEY: '' })).text).toMatch(
      /the bot uses the keys of the Discord servers/,
    );
  });

  it('suggests removing /api from LISTING_API_URL if the service responds without it', async () => {
    const listing = await startListing();
    onTestFinished(() => listing.close());
    listing.allow(OPERATOR_KEY);
    const { failed, text } = await examine({ LISTING_API_URL: `${listing.url}/api` });
    expect(failed).toEqual(['Listing service']);
    expect(text).toContain(`${listing.url}/api/api isn't responding as expected: not-found, HTTP 404`);
    expect(text).toMatch(new RegExp(`→ set LISTING_API_URL=${listing.url}, where`));
  });

  it('reports whether LISTING_URL is set', async () => {
    expect((await examine()).text).toMatch(/^skipped +Listing page +LISTING_URL is not set: members/m);
    const { text } = await examine({ LISTING_URL: 'https://list.example/' });
    expect(text).toMatch(/^ok +Listing page +https:\/\/list\.example\/$/m);
  });

  it('sends only one request to Steam if SERVER_LOOKUP is on', async () => {
    expect((await examine()).text).toMatch(/^skipped +Server lookup/m);
    const on = { SERVER_LOOKUP: 'on', STEAM_API_URL: bot.records.steamUrl, ...(await anotherDiscord({})) };
    bot.records.list('155.133.248.36', [{ port: 27_015, queryPort: 27_016, appId: 730 }]);
    const { text } = await examine(on);
    expect(text).toMatch(/^ok +Server lookup .*"queryPort":27016,"gamePort":27015,"appId":730/m);
    expect(bot.records.askedSteam).toHaveLength(1);
    bot.records.list('155.133.248.36', []);
    expect((await examine(on)).text).toMatch(
      /^ok +Server lookup +Steam responds, but doesn't list a game server at 155\.133\.248\.36$/m,
    );
    bot.records.behaveAsSteam({ kind: 'status', status: 403 });
    const { text: warned, failed } = await examine(on);
    expect(failed).toEqual([]);
    expect(warned).toMatch(/^warning +Server lookup +Steam isn't responding as expected: .* status 403$/m);
  });

  it('accepts a bot that has never been started', async () => {
    const STORE_URL = `sqlite://${folder}/new/bot.sqlite`;
    const { failed, status, text } = await examine({ STORE_URL, ...(await anotherDiscord({})) });
    expect({ failed, status }).toEqual({ failed: [], status: 0 });
    expect(text).toMatch(/^skipped +Commands +they will be published at the first start$/m);
    expect(text).toMatch(/^ok +Backups +the bot makes one at its first start, then every 24 hours/m);
    expect(text).toContain('Everything is in order.');
    expect(text).toMatch(/bot\.sqlite will be created at the first start/);
    expect(text).toMatch(/bot\.sqlite\.key will be created at the first start/);
  });

  it('accepts and lists compatible migrations from a newer version', async () => {
    const path = join(folder, 'newer.sqlite');
    const database = new DatabaseSync(join(bot.data, 'bot.sqlite'));
    database.prepare('VACUUM INTO ?').run(path);
    database.close();
    const newer = new DatabaseSync(path);
    newer.exec("INSERT INTO kysely_migration VALUES ('9.00-notes-compatible', '2027-01-01T00:00:00.000Z')");
    newer.close();
    const { text } = await examine({ STORE_URL: `sqlite://${path}` });
    expect(text).toMatch(/is intact[^→]*a newer version has migrated it \(9\.00-notes-compatible\)/);
  });

  it('warns if the next backup is overdue', async () => {
    const path = join(folder, 'backed-up.sqlite');
    const backups = join(folder, 'backups');
    const store = await openStore(path);
    const checkNow = (backupEveryHours: number) =>
      find('Backups', () => checkBackups({ storeUrl: sqliteAt(path), backupEveryHours }));
    const check = async (hoursAgo: number | undefined, backupEveryHours = 24) => {
      await rm(backups, { recursive: true, force: true });
      if (hoursAgo !== undefined) {
        await mkdir(backups);
        const name = `backed-up-${timeInName(Date.now() - hoursAgo * 3_600_000)}.sqlite`;
        await writeFile(join(backups, name), 'x'.repeat(1_500));
      }
      return checkNow(backupEveryHours);
    };
    const text = expect.stringMatching(
      /^the newest one was made 3 hours ago \(2 KiB\); copy them to another machine/,
    );
    expect(await check(3)).toMatchObject({ state: 'ok', text });
    const fix = expect.stringContaining('start the bot');
    expect(await check(26)).toMatchObject({ state: 'warning', fix });
    // The clock was ahead at the time of the backup.
    const text0 = `${backups} has no backup`;
    for (const hoursAgo of [-26, undefined])
      expect(await check(hoursAgo)).toMatchObject({ state: 'warning', text: text0, fix });
    const none = expect.stringContaining('BACKUP_EVERY_HOURS=0 turns backups off');
    expect(await check(3, 0)).toMatchObject({ state: 'warning', text: none });
    await rm(backups, { recursive: true });
    await writeFile(backups, 'a file where the folder belongs');
    expect(await checkNow(0)).toMatchObject({ state: 'warning', text: none });
    expect(await checkNow(24)).toMatchObject({ state: 'failed' });
    await saveBackupFailure(store.values, 'EACCES: permission denied');
    const failure = expect.stringMatching(/^the last attempt failed: EACCES: permission denied\n/);
    expect(await check(3)).toMatchObject({ state: 'failed', text: failure });
    await deleteBackupFailure(store.values);
    expect(await check(3)).toMatchObject({ state: 'ok' });
    await store.stop();
  });

  it('warns about a .env file that other users can read or Docker would misread', async () => {
    const file = await fileWith(
      '.env',
      'LOG_LEVEL=info\nLISTING_NAME="My List"\nexport HTTP_PORT=9464 # local\n',
    );
    await chmod(file, 0o644);
    const { text, status } = await doctor({ https_proxy: 'http://user:secret@proxy.example:3128' });
    await rm(file);
    expect(status).toBe(0);
    expect(text).toMatch(
      /^warning +Surroundings +there is a \.env file, but neither this command nor "node src\/start\.js" reads it$/m,
    );
    expect(text).toMatch(
      /^ +other users can read \.env\n.* as part of the value: LISTING_NAME, HTTP_PORT\n +https_proxy: the bot does not use a proxy\n +→ .*; chmod 600 \.env; remove the quotes/m,
    );
    expect(text).not.toContain('proxy.example');
  });

  it('tests the webhook and heartbeat addresses without printing them', async () => {
    const { operatorWebhook, close } = await startDiscord({ token: bot.token });
    onTestFinished(() => close());
    const well = await examine({
      OPERATOR_WEBHOOK_URL: operatorWebhook.url,
      HEARTBEAT_URL: operatorWebhook.url,
    });
    expect(well).toMatchObject({ failed: [], status: 0 });
    expect(well.text).toMatch(/^ok +Webhook +OPERATOR_WEBHOOK_URL responds$/m);
    expect(operatorWebhook.posts).toEqual([]);
    const wrong = {
      HEARTBEAT_URL: 'http://127.0.0.1:9/s3cret',
      OPERATOR_WEBHOOK_URL: `${operatorWebhook.url}x`,
    };
    const { failed, text } = await examine(wrong);
    expect(failed).toEqual(['Webhook', 'Heartbeat']);
    expect(text).toMatch(
      /isn't responding as expected: HTTP 404[\s\S]*isn't responding as expected: ECONNREFUSED/,
    );
    expect(text).not.toMatch(/s3cret|webhooks/);
  });

  it("warns if there isn't enough memory for a long export", () => {
    expect(checkMemory(480 * 2 ** 20)).toBe('480 MiB available');
    expect(() => checkMemory(256 * 2 ** 20)).toThrow('only 256 MiB available');
  });

  it('detects an unusable database path', async () => {
    const file = await fileWith('a-file', '');
    const nowhere = await examine({ STORE_URL: `sqlite://${file}/bot.sqlite` });
    expect(nowhere.failed).toContain('Store');
    expect(nowhere.text).toMatch(/→ .*sudo chown -R \d+:\d+ /);
  });

  it('detects an encryption key that is wrong, missing or readable by other users', async () => {
    const another = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    await fails('Encryption key', /encrypted with another key \(id \w+\)/, another);
    const keyFile = join(bot.data, 'bot.sqlite.key');
    await chmod(keyFile, 0o644);
    await fails('Encryption key', /other users can read .*bot\.sqlite\.key[\s\S]*→ chmod 600/, {});
    await chmod(keyFile, 0o600);

    const alone = join(folder, 'alone.sqlite');
    const database = new DatabaseSync(join(bot.data, 'bot.sqlite'));
    database.prepare('VACUUM INTO ?').run(alone);
    database.close();
    await fails('Encryption key', /its key is missing: put .*alone\.sqlite\.key back/, {
      STORE_URL: `sqlite://${alone}`,
    });
  });
});
