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
import { type BotStore, botStore, newBotDatabase } from './database.ts';
import { timeOf } from './machine.ts';
import { showWhenATestFails } from './outputs.ts';

/** `env` are more variables for the bot, or other values than the sandbox's; `http` is as `INTERACTIONS` says by default. */
export interface BotOptions
  extends Pick<SandboxOptions, 'env' | 'wrapper' | 'data' | 'http' | 'discord' | 'listing'>,
    Pick<AppDeps, 'timing' | 'languages'> {
  /** A process of its own: for what only a process proves, such as signals, `kill -9` and the environment. */
  readonly asProcess?: boolean;
  /** `false`: the test starts the bot itself. */
  readonly start?: boolean;
  /** Discord and the listing service over TLS, with HTTP/2 on offer. */
  readonly tls?: boolean;
}

/** Whether bots are over HTTP where a test does not say. */
export const OVER_HTTP = process.env.INTERACTIONS === 'http';

/** Rules of Discord that a bot breaks when Discord is unwell, or somebody is faster than people are. */
export const BREACHES = {
  /** A first response to an interaction whose time was over. */
  tooLate: 'Unknown interaction',
  /** A second first response. */
  twice: 'Interaction has already been acknowledged.',
  /** An edit with a token whose time was over. */
  afterTheEnd: 'Unknown Webhook',
  tooOften: 'You are being rate limited.',
  /** A first response that a test still takes, and Discord does not. */
  late: 'A first response comes within three seconds',
} as const;

/** What {@link Bot.close} is not to complain of. */
export interface Expected {
  /** The bot ended by itself, as the test wanted. */
  readonly crash?: boolean;
}

/** The bot between both stand-ins. */
export interface Bot extends Pick<Sandbox, 'discord' | 'listing' | 'token' | 'data' | 'restart'> {
  readonly store: BotStore;
  readonly process: BotProcess;
  /** Starts it, and waits until it is connected and its commands are published. */
  start(): Promise<void>;
  /** Ends it in the middle of whatever it does. */
  kill(): Promise<Exit>;
  /** Everything that every run of it has printed. */
  output(): string;
  /** Its log, entry by entry; what is no JSON is left out. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** The test provokes that a rule of Discord is broken, so often at most: one of {@link BREACHES}, or another title. */
  mayBreak(title: string, most: number): void;
  /** What the test before was allowed to break is over. */
  mayBreakNoMore(): void;
  /** A guild that it has just joined, where nobody has done anything but enter the key. */
  newGuild(about?: AboutGuild): Promise<TestGuild>;
  person(who: { readonly role?: Role; readonly guild?: number; readonly locale?: string }): Person;
  /**
   * Stops everything. Fails when a rule of Discord was broken more often than it may be, when the bot ended by itself or
   * did not end with status 0 when it was told to stop, when the listing service was asked for anything but `POST /api`,
   * or when a secret shows in what the bot printed, in what it sent to Discord, or in clear in its files.
   */
  close(expected?: Expected): Promise<void>;
}

interface AboutGuild {
  /** Set with /setkey; without it none. */
  readonly key?: string | undefined;
  /** The guild's language at Discord. */
  readonly locale?: string;
}

/** A guild with its people, for one test. */
export interface TestGuild extends Guild, Pick<Bot, 'discord' | 'listing'> {
  /** May manage the server. */
  readonly admin: Person;
  readonly member: Person;
  person(who: { readonly role?: Role; readonly locale?: string }): Person;
}

export interface BotTestOptions extends BotOptions, Expected {
  /** The key of each test's guild, which the service knows; `null`: none. */
  readonly key?: string | null;
}

/** Tests of the whole bot. It runs in the tests' process, for all tests of the file; each test has a guild of its own. */
export const botTest = (options: BotTestOptions = {}) => testsOver(options, 'file');

/** The same with a bot of its own for each test, which may stop it, kill it, or break what it stands on. */
export const ownBotTest = (options: BotTestOptions = {}) => testsOver(options, 'test');

function testsOver(options: BotTestOptions, scope: 'file' | 'test') {
  return (
    test
      .extend('options', { scope: 'file' }, options)
      // vitest tells the two scopes apart by their types; what is used here is the same in both.
      .extend('bot', { scope: scope as 'file' }, async ({ options }, { onCleanup }) => {
        const bot = await openBot(options);
        onCleanup(() => bot.close(options));
        return bot;
      })
      .extend('guild', async ({ bot, options }) => {
        const { key = 'sandbox-key', start = true } = options;
        // Whatever the test before has done.
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
      /** What it has got counts from the beginning of the test. */
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

/** How long the bot may take for a first response in these tests, in milliseconds. `clock.advance` lets it pass at once. */
export const ANSWER_WITHIN_MS = 30_000;

/** Nothing is waited for by itself, and what has to end by a time may end. */
const NO_WAITING: Timing = {
  firstResponseMs: ANSWER_WITHIN_MS,
  firstAttemptMs: ANSWER_WITHIN_MS,
  recordPauses: [1, 1],
  listingFirstWait: 1,
  listReadingMs: ANSWER_WITHIN_MS,
  guildLog: { collectMs: 20, gapMs: 20 },
  decisionMessages: { everyMs: 20, gatherMs: 0 },
};

/** The bot between both stand-ins, in the test's own process unless that is the point. It is to be closed. */
export async function openBot(options: BotOptions = {}): Promise<Bot> {
  const { asProcess = false, timing, languages } = options;
  const given = { timing: { ...NO_WAITING, ...timing }, ...(languages && { languages }) };
  const createBot = asProcess ? createBotProcess : (deps: BotProcessDeps) => createBotInProcess(deps, given);
  const lines: string[] = [];
  const crashes: Exit[] = [];
  /** Where others have the processors, neither the bot nor Discord can help being late. */
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
    // This bot listens for what people press before they can see it: nobody has to be slow for it.
    // Where the three seconds are not the point, a slow machine has ten times as long.
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
  const { discord, listing, bot: run, people, token, data } = sandbox;
  const store = botStore(postgres?.database, data);
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
      assert.deepEqual(
        listing.strays,
        [],
        'the listing service was asked for something that it does not know',
      );
      assert.deepEqual(leaks, [], leaks.join('\n'));
      const shown = discord.requests.map(({ body }) => body).filter((body) => body.includes('"components"'));
      const unfitting = withoutRoom(shown.map(messageIn));
      assert.deepEqual(unfitting, [], `Discord would cut:\n${unfitting.join('\n')}`);
      if (!crash) assert.deepEqual(crashes, [], 'the bot ended by itself');
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

/** A bot for the present test alone, which ends with it: where something has to be made before the bot, such as a clock. */
export async function oneBot(options: BotOptions & Expected = {}): Promise<Bot> {
  const bot = await openBot(options);
  onTestFinished(() => bot.close(options));
  return bot;
}

/** Runs /setkey and submits its modal; the answer to that. */
export async function setKey(person: Person, key: string): Promise<Answer> {
  const modal = modalOf(await person.slash('setkey'));
  const [field] = modalFields(modal.data);
  assert(field, 'the modal of /setkey has no field');
  return person.submit(modal, { [field.id]: key });
}

/** What came of an action, or the message that it showed. */
export type Shown = Answer | SeenMessage;

/** What a member reads: words, embeds, buttons, files, as the sandbox shows them. */
export function textOf(shown: Shown): string {
  const answer = 'kind' in shown ? shown : ({ kind: 'message', message: shown } as const);
  return showAnswer(answer, aReader());
}

/** The message that came of an action; fails when something else did. */
export function messageOf(answer: Shown): SeenMessage {
  if (!('kind' in answer)) return answer;
  assert(answer.kind === 'message', `a message was expected, and this came: ${textOf(answer)}`);
  return answer.message;
}

/** The modal that an action opened; fails when something else came. */
export function modalOf(answer: Answer): SeenModal {
  assert(answer.kind === 'modal', `a modal was expected, and this came: ${textOf(answer)}`);
  return answer.modal;
}

/** What was sent in a request: a message, a window, or nothing that is one. */
export function messageIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A form with files: the message is its part in JSON.
    return JSON.parse(/^\{.*\}\r?$/mu.exec(body)?.[0] ?? '{}');
  }
}

const LAST_WORDS = 12;

/**
 * The whole bot in the test's own process, to be used as one of its own: it starts in a tenth of the time.
 * It knows no signals: whatever it is stopped with, it stops as an operator would stop it.
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
    const config = readConfig(env);
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

/**
 * What the bot says when it cannot start with these variables, in this process.
 * @throws Error when it says less or more than one line, or ends otherwise than with status 1
 */
export async function lastWords(env: Readonly<Record<string, string>>): Promise<string> {
  const said: string[] = [];
  const ended = Promise.withResolvers<Exit>();
  const onLine = (line: string) => void (line.startsWith('{') || said.push(line));
  createBotInProcess({ env, surroundings: {}, onLine, onExit: ended.resolve }).start();
  const { status, wanted } = await ended.promise;
  assert.deepEqual({ status, wanted, lines: said.length }, { status: 1, wanted: false, lines: 1 });
  return `${said[0]}\n`;
}

export interface Searched {
  /** Everything that the bot has printed. */
  readonly output: string;
  /** All that its database holds, as text. */
  readonly database?: string;
  /** As they stand in ENCRYPTION_KEY. */
  readonly encryptionKeys?: string | undefined;
  /** Where its database is, perhaps with a password. */
  readonly databaseUrl?: string;
}

/**
 * Where a secret of a bot that has stopped can be found: in what it printed, in what it sent to Discord, or in clear in
 * its database and its files. A sentence for each; none when all is well.
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
    // The two tokens have to be sent to Discord; nothing else has.
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

/** A certificate for 127.0.0.1, with its key, that nothing vouches for. */
export function selfSigned(): Certificate {
  const pem = readFileSync(FILE, 'utf8');
  return { key: pem, cert: pem, file: FILE };
}
