import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, test } from 'vitest';
import {
  type BotProcess,
  type BotProcessDeps,
  createBotProcess,
  type Exit,
} from '../../sandbox/bot-process.ts';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Breach, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import type { Guild } from '../../sandbox/discord/world/guilds.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import type { ListingStandIn } from '../../sandbox/listing/stand-in.ts';
import type { Certificate } from '../../sandbox/loopback-server.ts';
import type { Role } from '../../sandbox/people.ts';
import { aReader, showAnswer } from '../../sandbox/prompt/show.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/sandbox.ts';
import { type AppDeps, createApp, type Timing } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/logger.ts';
import { withoutRoom } from '../words/room.ts';
import { type BotStore, botStore, createDatabaseFile, newBotDatabase } from './database.ts';
import { timeOf } from './machine.ts';
import { showWhenATestFails } from './outputs.ts';

/**
 * Options for a test bot. `env` overrides the sandbox's environment variables. `http` defaults to whether `INTERACTIONS` is
 * `http`.
 */
export interface BotOptions
  extends Pick<SandboxOptions, 'serverLookup' | 'env' | 'wrapper' | 'data' | 'http' | 'discord' | 'listing'>,
    Pick<AppDeps, 'timing' | 'languages'> {
  /** Whether the bot runs in its own process. Tests need this for signals, `kill -9` and environment variables. */
  readonly asProcess?: boolean;
  /** Whether to start the bot. The default is `true`. */
  readonly start?: boolean;
  /** Whether Discord and the listing service use TLS and also support HTTP/2. */
  readonly tls?: boolean;
}

/** Whether bots receive interactions over HTTP when a test doesn't set `http`. */
export const OVER_HTTP = process.env.INTERACTIONS === 'http';

/** Discord rules that the bot can break if Discord has problems or a simulated user acts faster than a person could. */
export const BREACHES = {
  /** The bot responded to an interaction that had expired. */
  tooLate: 'Unknown interaction',
  /** The bot sent a first response twice. */
  twice: 'Interaction has already been acknowledged.',
  /** The bot edited a reply after the token had expired. */
  afterTheEnd: 'Unknown Webhook',
  tooOften: 'You are being rate limited.',
  /** The first response came too late for Discord, but the stand-in still accepted it. */
  late: 'A first response arrives within three seconds',
} as const;

/** Problems that should not make {@link Bot.close} fail. */
export interface Expected {
  /** Whether the test makes the bot exit unexpectedly. */
  readonly crash?: boolean;
}

/** The bot, connected to the stand-ins for Discord and the listing service. */
export interface Bot extends Pick<Sandbox, 'discord' | 'listing' | 'records' | 'token' | 'data' | 'restart'> {
  readonly store: BotStore;
  readonly process: BotProcess;
  /** Starts the bot and waits until it has connected and published its commands. */
  start(): Promise<void>;
  /** Kills the bot's process immediately. */
  kill(): Promise<Exit>;
  /** Returns everything that the bot has printed since it was opened, including before restarts. */
  output(): string;
  /** Returns the bot's log entries. Lines that aren't JSON are skipped. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Allows up to `most` breaches of a Discord rule in this test. {@link BREACHES} contains common titles. */
  mayBreak(title: string, most: number): void;
  /** Removes the exceptions that `mayBreak` added. */
  mayBreakNoMore(): void;
  /** Adds a guild that the bot has just joined. If `about` contains a key, an admin sets the key. */
  newGuild(about?: AboutGuild): Promise<TestGuild>;
  person(who: { readonly role?: Role; readonly guild?: number; readonly locale?: string }): Person;
  /**
   * Stops everything. Fails in these cases:
   * - The bot broke a Discord rule more often than the test allows.
   * - The bot exited unexpectedly, or with a status other than 0 when it was stopped.
   * - The listing service received anything other than `POST /api`.
   * - A secret appears in the bot's output, in its requests to Discord, or in plain text in its files.
   */
  close(expected?: Expected): Promise<void>;
}

interface AboutGuild {
  /** The key that an admin sets with /setkey, if any. */
  readonly key?: string | undefined;
  /** The guild's preferred locale in Discord. */
  readonly locale?: string;
}

/** A guild and its users, for a single test. */
export interface TestGuild extends Guild, Pick<Bot, 'discord' | 'listing'> {
  /** A user with the Manage Server permission. */
  readonly admin: Person;
  readonly member: Person;
  person(who: { readonly role?: Role; readonly locale?: string }): Person;
}

interface BotTestOptions extends BotOptions, Expected {
  /** The key of each test's guild, which the service accepts. `null` means that the guild doesn't have a key. */
  readonly key?: string | null;
}

/**
 * Creates a test function for testing the whole bot. All tests in a file share one bot, which runs in the test process.
 * Each test gets its own guild.
 */
export const botTest = (options: BotTestOptions = {}) => testsOver(options, 'file');

/** Like `botTest`, but each test gets its own bot. For tests that stop, kill or damage the bot. */
export const ownBotTest = (options: BotTestOptions = {}) => testsOver(options, 'test');

function testsOver(options: BotTestOptions, scope: 'file' | 'test') {
  return (
    test
      .extend('options', { scope: 'file' }, options)
      // vitest's types differ between the scopes `file` and `test`, but not in the properties used here.
      .extend('bot', { scope: scope as 'file' }, async ({ options }, { onCleanup }) => {
        const bot = await openBot(options);
        onCleanup(() => bot.close(options));
        return bot;
      })
      .extend('guild', async ({ bot, options }) => {
        const { key = 'sandbox-key', start = true } = options;
        // Undoes what the previous test changed.
        bot.mayBreakNoMore();
        bot.discord.faults.clear();
        await bot.listing.behave({ kind: 'ok' });
        if (key !== null) bot.listing.allow(key);
        if (start && !bot.process.running) await bot.start();
        const guild = await bot.newGuild({ key: start && key !== null ? key : undefined });
        return { ...guild, listing: fromNowOn(bot.listing) };
      })
      .extend('admin', ({ guild }) => guild.admin)
      .extend('member', ({ guild }) => guild.member)
      .extend('discord', ({ bot }) => bot.discord)
      /** Contains only requests made since the test started. */
      .extend('listing', ({ guild }) => guild.listing)
  );
}

function fromNowOn(listing: ListingStandIn): ListingStandIn {
  const requests = listing.requests.length;
  const submitted = listing.submitted.length;
  return Object.create(listing, {
    requests: { get: () => listing.requests.slice(requests) },
    submitted: { get: () => listing.submitted.slice(submitted) },
  });
}

/** The bot's time limit for a first response in tests, in milliseconds. Tests skip this time with `clock.advance`. */
export const ANSWER_WITHIN_MS = 30_000;

/** Timing with minimal pauses, and with limits that no test reaches by accident. */
const NO_WAITING: Timing = {
  firstResponseMs: ANSWER_WITHIN_MS,
  firstAttemptMs: ANSWER_WITHIN_MS,
  recordPausesMs: [1, 1],
  listingFirstWait: 1,
  listReadingMs: ANSWER_WITHIN_MS,
  guildLog: { collectMs: 20, messageGapMs: 20 },
  decisionMessages: { everyMs: 20, gatherMs: 0 },
  declineUndoMs: 0,
};

/**
 * Starts the bot and both stand-ins, which the caller must close. The bot runs in the test process unless `asProcess` is
 * set.
 */
export async function openBot(options: BotOptions = {}): Promise<Bot> {
  const { asProcess = false, timing, languages } = options;
  const given = { timing: { ...NO_WAITING, ...timing }, ...(languages && { languages }) };
  const createBot = asProcess ? createBotProcess : (deps: BotProcessDeps) => createBotInProcess(deps, given);
  const lines: string[] = [];
  const crashes: Exit[] = [];
  /** Excludes time spent waiting for a processor, because the bot can't avoid that delay. */
  const botTime = () => timeOf(sandbox.bot.pid);
  const mayBreak = new Map<string, number>();
  const postgres = await newBotDatabase(options.env ?? {});
  const env = { ...options.env, ...postgres?.env };
  const sandbox = await openSandbox({
    ...options,
    surroundings: process.env,
    createBot,
    http: options.http ?? OVER_HTTP,
    env,
    ...(options.tls && { certificate: selfSigned() }),
    // Tests wait for buttons and menus before using them, so simulated users don't need reaction time. Most tests multiply
    // Discord's three-second limit by ten, because the machine might be slow.
    discord: {
      reactionMs: 0,
      answerWithinMs: ANSWER_WITHIN_MS,
      botTime,
      ...options.discord,
    },
  });
  sandbox.watch((event) => {
    if (event.kind === 'log') lines.push(event.line);
    if (event.kind === 'bot' && event.state === 'crashed') crashes.push(event.exit);
  });
  const { discord, listing, records, bot: run, people, token, data } = sandbox;
  const store = botStore(postgres?.database, data);
  // A bot with its own process, a given folder or a given store creates its database itself.
  const createsFile = asProcess || options.data !== undefined || env.STORE_URL !== undefined;
  if (!createsFile) await createDatabaseFile(join(data, 'bot.sqlite'));
  const output = () => lines.join('\n');
  const isClosed = showWhenATestFails(output);

  const unwanted: Breach[] = [];
  let lookedAt = 0;
  function lookAtBreaches(): void {
    for (const breach of discord.breaches.slice(lookedAt)) {
      const left = mayBreak.get(breach.title) ?? 0;
      mayBreak.set(breach.title, left - 1);
      if (left <= 0) unwanted.push(breach);
    }
    lookedAt = discord.breaches.length;
    mayBreak.clear();
  }

  function person({ role = 'member', guild = 0, locale = 'en-US' }: Parameters<Bot['person']>[0]): Person {
    const place = discord.guilds[guild];
    assert(place, `the stand-in has no guild ${guild}`);
    return people.at({ role, guild: place, locale });
  }

  const bot: Bot = {
    discord,
    listing,
    records,
    process: run,
    token,
    data,
    store,
    person,
    start: sandbox.startBot,
    restart: sandbox.restart,
    mayBreak: (title, most) => void mayBreak.set(title, (mayBreak.get(title) ?? 0) + most),
    mayBreakNoMore: lookAtBreaches,
    kill() {
      assert(asProcess, 'only a process of its own can be killed');
      return run.stop('SIGKILL');
    },
    output,
    log: () =>
      lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : [])),
    async newGuild({ key, locale: language = 'en-US' } = {}) {
      const guild = discord.guildEvents.add({ name: `Guild ${discord.guilds.length}`, locale: language });
      const of: TestGuild['person'] = ({ role = 'member', locale = 'en-US' }) =>
        people.at({ role, guild, locale });
      const admin = of({ role: 'admin' });
      if (key !== undefined) await setKey(admin, key);
      return { ...guild, discord, listing, admin, member: of({ role: 'member' }), person: of };
    },
    async close({ crash = false } = {}) {
      isClosed();
      const isToStop = run.running && !crash;
      const { status, signal } = await run.stop();
      const leaks = await leaksOf(sandbox, {
        output: output(),
        database: await store.content(),
        encryptionKeys: env.ENCRYPTION_KEY,
        databaseUrl: store.address,
      });
      await sandbox.close();
      await store.close();
      lookAtBreaches();
      assert.deepEqual(unwanted, [], 'rules of Discord were broken');
      assert.deepEqual(listing.strays, [], 'the listing service received an unknown request');
      assert.deepEqual(leaks, [], leaks.join('\n'));
      const shown = discord.requests.map(({ body }) => body).filter((body) => body.includes('"components"'));
      const unfitting = withoutRoom(shown.map(messageIn));
      assert.deepEqual(unfitting, [], `Discord would cut:\n${unfitting.join('\n')}`);
      if (!crash) assert.deepEqual(crashes, [], 'the bot ended unexpectedly');
      if (isToStop) {
        const clean = { status: 0, signal: null };
        assert.deepEqual({ status, signal }, clean, 'the bot did not stop as it should');
      }
    },
  };

  if (options.start === false) return bot;
  try {
    await sandbox.startBot();
  } catch (error) {
    await sandbox.close();
    await store.close();
    throw error;
  }
  return bot;
}

/**
 * Starts a bot for the current test only and closes it afterwards. Use this for tests that must create something before the
 * bot, such as a clock.
 */
export async function oneBot(options: BotOptions & Expected = {}): Promise<Bot> {
  const bot = await openBot(options);
  onTestFinished(() => bot.close(options));
  return bot;
}

/** Runs /setkey, submits its modal, and returns the reply. */
export async function setKey(person: Person, key: string): Promise<Answer> {
  const modal = modalOf(await person.slash('setkey'));
  const [field] = modalFields(modal.data);
  assert(field, 'the modal of /setkey has no field');
  return person.submit(modal, { [field.id]: key });
}

/** An action's result, or a message. */
export type Shown = Answer | SeenMessage;

/**
 * Returns everything that a member can read in a message or modal, including embeds, buttons and files, formatted as in the
 * sandbox.
 */
export function textOf(shown: Shown): string {
  const answer = 'kind' in shown ? shown : ({ kind: 'message', message: shown } as const);
  return showAnswer(answer, aReader());
}

/** Returns the message that an action produced. Fails if the result isn't a message. */
export function messageOf(answer: Shown): SeenMessage {
  if (!('kind' in answer)) return answer;
  assert(answer.kind === 'message', `expected a message, got: ${textOf(answer)}`);
  return answer.message;
}

/** Returns the modal that an action opened. Fails if the result isn't a modal. */
export function modalOf(answer: Answer): SeenModal {
  assert(answer.kind === 'modal', `expected a modal, got: ${textOf(answer)}`);
  return answer.modal;
}

/** Parses the message or modal in a request body. Returns `{}` if there isn't one. */
export function messageIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // In a multipart form with files, the message is the JSON part.
    return JSON.parse(/^\{.*\}\r?$/mu.exec(body)?.[0] ?? '{}');
  }
}

const LAST_WORDS = 12;

/**
 * Creates a bot that runs in the test process, where it starts ten times faster than in its own process. `stop` ignores the
 * signal and always stops the bot normally.
 */
export function createBotInProcess(
  { env, onLine, onExit }: BotProcessDeps,
  given: Pick<AppDeps, 'timing' | 'languages'> = {},
): BotProcess {
  let run: { stop(why: { readonly wanted: boolean }): void } | undefined;
  let end: Promise<Exit> = Promise.resolve({ status: null, signal: null, wanted: true, lastWords: [] });

  function start(): void {
    if (run !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<Exit>();
    const lastWords: string[] = [];
    const say = (line: string) => {
      lastWords.push(line);
      lastWords.splice(0, lastWords.length - LAST_WORDS);
      onLine(line);
    };
    let isEnding = false;
    // To every bot in this process, the gateway seems silent when a test advances the clock.
    const config = readConfig({ EXIT_WHEN_SILENT_SECONDS: '0', ...env });
    const app = createApp({
      config,
      logger: createLogger({
        level: config.logLevel,
        output: { write: (lines) => void say(lines.trimEnd()) },
      }),
      onFatal: fail,
      ...given,
    });

    async function stop({ wanted }: { readonly wanted: boolean }): Promise<void> {
      if (isEnding) return;
      isEnding = true;
      await app.stop();
      run = undefined;
      const exit: Exit = { status: wanted ? 0 : 1, signal: null, wanted, lastWords };
      onExit(exit);
      resolve(exit);
    }

    function fail(error: unknown): void {
      say(`server-listing-bot: ${error instanceof Error ? error.message : String(error)}`);
      void stop({ wanted: false });
    }

    end = promise;
    run = { stop: (why) => void stop(why) };
    app.start().catch(fail);
  }

  return {
    get running() {
      return run !== undefined;
    },
    pid: process.pid,
    start,
    readLog: () => undefined,
    exited: () => end,
    stop() {
      run?.stop({ wanted: true });
      return end;
    },
  };
}

interface Searched {
  /** Everything that the bot has printed. */
  readonly output: string;
  /** Everything in the bot's database, as a string. */
  readonly database?: string;
  /** The value of ENCRYPTION_KEY. */
  readonly encryptionKeys?: string | undefined;
  /** The URL of the bot's database. It may contain a password. */
  readonly databaseUrl?: string;
}

/**
 * Finds secrets that a stopped bot has leaked in its output, in its requests to Discord, or in plain text in its database
 * and files. Returns a sentence about each leak.
 */
export async function leaksOf(
  { token, discord, listing, data }: Pick<Sandbox, 'token' | 'discord' | 'listing' | 'data'>,
  { output, database = '', encryptionKeys = '', databaseUrl = '' }: Searched,
): Promise<readonly string[]> {
  const interactionTokens = discord.requests.flatMap(({ path }) => {
    const found = /\/(?:interactions|webhooks)\/\d+\/([^/?]+)/.exec(path)?.[1];
    return found === undefined ? [] : [decodeURIComponent(found)];
  });
  const secrets = new Map([
    [token, 'the bot token'],
    [URL.parse(databaseUrl)?.password ?? '', 'the password of the database'],
    ...encryptionKeys.split(',').map((value) => [value.trim(), 'ENCRYPTION_KEY'] as const),
    ...interactionTokens.map((value) => [value, 'an interaction token'] as const),
    ...listing.requests.map(({ key }) => [key, 'an API key'] as const),
  ]);
  secrets.delete('');
  const files = await filesIn(data);
  const leaks: string[] = [];
  for (const [secret, what] of secrets) {
    if (output.includes(secret)) leaks.push(`the bot printed ${what}`);
    // The bot must send its own token and interaction tokens to Discord, but no other secrets.
    const sent = what.endsWith('token') ? [] : discord.findSecret(secret);
    for (const { path } of sent) leaks.push(`${what} was sent to Discord: ${path}`);
    if (database.includes(secret)) leaks.push(`${what} is in clear in the database`);
    for (const [name, bytes] of files)
      if (bytes.includes(secret)) leaks.push(`${what} is in clear in ${name}`);
  }
  return leaks;
}

async function filesIn(folder: string): Promise<readonly (readonly [path: string, bytes: Buffer])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(paths.map(async (path) => [path, await readFile(path)] as const));
}

const FILE = fileURLToPath(new URL('loopback.pem', import.meta.url));

/** Returns a self-signed certificate for 127.0.0.1 and its private key. */
export function selfSigned(): Certificate {
  const pem = readFileSync(FILE, 'utf8');
  return { key: pem, cert: pem, file: FILE };
}
