import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import {
  ADDED,
  GAMES,
  type LightDiscord,
  type LightListing,
  type Seen,
  startLightDiscord,
} from './services.ts';

interface Services {
  readonly discord: LightDiscord;
  readonly listing: LightListing;
}

/**
 * Starts a bot that uses these services and has no limits.
 * @param command arguments for Node that start the bot
 */
export function startBot(
  command: readonly string[],
  { discord, listing }: Services,
  env: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(process.execPath, command, {
    // A folder without a .env file.
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      DISCORD_API_URL: discord.apiUrl,
      BACKUP_EVERY_HOURS: '0',
      DISCORD_TOKEN: 'MTExMTExMTExMTExMTExMTEx.bench.not-a-token',
      LISTING_API_URL: listing.url,
      LISTING_API_KEY: 'bench-operator-key',
      MEMBER_LIMIT: '20000/1',
      GUILD_LIMIT: '20000/1',
      ...env,
    },
  });
}

export async function endBot(bot: ChildProcess): Promise<void> {
  bot.kill('SIGKILL');
  if (bot.exitCode === null && bot.signalCode === null) await once(bot, 'exit');
}

export interface Running {
  readonly discord: LightDiscord;
  readonly bot: ChildProcess;
  /** The time from the start of the process to its first reply, in milliseconds. */
  readonly readyMs: number;
}

/** Starts a bot, waits until it has replied to /help, and stops it after `use`. */
export async function runBot(
  about: {
    /** Arguments for Node that start the bot. */
    readonly command: readonly string[];
    readonly listing: LightListing;
    readonly guilds: number;
    readonly env: Readonly<Record<string, string>>;
  },
  use: (running: Running) => Promise<void>,
): Promise<void> {
  const discord = await startLightDiscord(about);
  const startedAt = performance.now();
  const bot = startBot(about.command, { discord, listing: about.listing }, about.env);
  const ended = once(bot, 'exit').then(() => Promise.reject(new Error('the bot ended')));
  try {
    await Promise.race([discord.identified, ended]);
    await help(discord, 0);
    await use({ discord, bot, readyMs: performance.now() - startedAt });
  } finally {
    ended.catch(() => undefined);
    await endBot(bot);
    await discord.close();
  }
}

/** Returns how often the work is completed per second while `maxConcurrent` users keep repeating it. */
export async function perSecond(
  work: (guild: number) => Promise<void>,
  forSeconds: number,
  maxConcurrent: number,
): Promise<number> {
  const start = performance.now();
  const until = start + forSeconds * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: maxConcurrent }, async (_, guild) => {
      while (performance.now() < until) {
        await work(guild);
        done += 1;
      }
    }),
  );
  return (done * 1000) / (performance.now() - start);
}

/** Runs /help, which both bots answer immediately. */
export async function help(discord: LightDiscord, guild: number): Promise<void> {
  expectType(await discord.send(slash('help'), guild).acknowledged, 4);
}

/** Submits a single server with a new host each time, and waits for the report. */
export function submissions(discord: LightDiscord) {
  let number = 0;
  return async (guild: number): Promise<void> => {
    number += 1;
    const server = `s${number}.example.com:27015`;
    const sent = discord.send(slash('addserver', { game: `game${number % GAMES}`, server }), guild);
    await sent.acknowledged;
    await sent.answered;
  };
}

/**
 * Submits `count` servers with new hosts each time, and waits for the report: opens the form, enters the list and, if the
 * bot shows the list first, presses the button to submit it.
 */
export function listSubmissions(discord: LightDiscord, count: number) {
  let number = 0;
  return async (guild: number): Promise<void> => {
    number += 1;
    const line = (_: unknown, n: number) => `l${number}-${n}.example.com:27015 game${n % GAMES}`;
    const servers = Array.from({ length: count }, line).join('\n');
    const shown = await enter(discord, guild, 'addservers', { servers });
    const [, button] = /"custom_id":"(submit:send:[^"]*)"/.exec(shown) ?? [];
    if (button !== undefined) await press(discord, button, guild);
    else if (!shown.includes(ADDED)) throw new Error(`the list was not submitted: ${shown}`);
  };
}

/** Sets a guild's key as its admin. */
export async function setKey(discord: LightDiscord, guild: number): Promise<void> {
  await enter(discord, guild, 'setkey', { key: `bench-key-of-guild-${guild}` });
}

/** Component types (Discord docs: Component Reference). */
const LABEL = 18;
const TEXT_INPUT = 4;

/** A field of a form. */
interface Label {
  readonly type: number;
  readonly component: { readonly type: number; readonly custom_id: string };
}

/**
 * Opens a command's form and submits it.
 * @returns the body of the request with the bot's reply
 */
async function enter(
  discord: LightDiscord,
  guild: number,
  command: string,
  typed: Readonly<Record<string, string>>,
): Promise<string> {
  const opened = await discord.send(slash(command), guild).acknowledged;
  expectType(opened, 9);
  const { custom_id, components: shown } = opened.callback.data ?? {};
  // Discord returns every field, even if it's empty.
  const labels = (shown as readonly Label[]).filter(({ type }) => type === LABEL);
  const components = labels.map(({ component: { type, custom_id } }, id) => ({
    type: LABEL,
    id,
    component: {
      type,
      id,
      custom_id,
      ...(type === TEXT_INPUT ? { value: typed[custom_id] ?? '' } : { values: [] }),
    },
  }));
  const { acknowledged, answered } = discord.send({ type: 5, data: { custom_id, components } }, guild);
  await acknowledged;
  return answered;
}

const COMMAND_ID = '666666666666666666';
const option = (name: string, value: string) => ({ type: 3, name, value });

export const slash = (name: string, given: Readonly<Record<string, string>> = {}) => ({
  type: 2,
  data: {
    id: COMMAND_ID,
    name,
    type: 1,
    options: Object.entries(given).map(([key, value]) => option(key, value)),
  },
});

/** Adds an uploaded file to a command. */
export function withFile({ type, data }: ReturnType<typeof slash>, url: string) {
  const id = '777777777777777777';
  const file = { id, filename: 'list.txt', size: 1, url, proxy_url: url };
  const options = [...data.options, { type: 11, name: 'file', value: id }];
  return { type, data: { ...data, options, resolved: { attachments: { [id]: file } } } };
}

/** Presses a button on one of the bot's replies, and waits for the new reply. */
export async function press(discord: LightDiscord, customId: string, guild: number): Promise<void> {
  const message = { id: '888888888888888888', channel_id: '333333333333333333', flags: 64 };
  const data = { custom_id: customId, component_type: 2 };
  const { acknowledged, answered } = discord.send({ type: 3, data, message }, guild);
  await acknowledged;
  await answered;
}

export const completing = (typed: string) => ({
  type: 4,
  data: {
    id: COMMAND_ID,
    name: 'addserver',
    type: 1,
    options: [{ ...option('game', typed), focused: true }],
  },
});

/** Throws an error unless the callback has this type (Discord docs: Interaction Callback Type). */
export function expectType({ callback }: Seen, type: number): void {
  if (callback.type !== type) throw new Error(`expected a callback of type ${type}, got ${callback.type}`);
}
