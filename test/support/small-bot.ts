import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PermissionFlagsBits } from 'discord.js';
import type { DiscordStandIn, Person } from '../../sandbox/discord/contract.ts';
import { type StandInOptions, startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createDiscordApi, type DiscordApi } from '../../src/discord/api.ts';
import type { Command } from '../../src/discord/command.ts';
import { createDispatcher, type Dispatcher } from '../../src/discord/dispatch.ts';
import { createGateway } from '../../src/discord/gateway.ts';
import { asPublished, createPublishing } from '../../src/discord/publish.ts';
import { createWriters } from '../../src/discord/reply.ts';
import { createTraces } from '../../src/discord/traces.ts';
import { createUnanswered, type Unanswered, type UnansweredDeps } from '../../src/discord/unanswered.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { createStore, type Store } from '../../src/storage/store.ts';
import { sqliteAt } from '../../src/store-url.ts';
import { createWords } from '../../src/words/words.ts';
import { type Line, recorder } from '../storage/temporary.ts';
import { TOKEN } from './discord-api.ts';
import { onlyOne } from './only-one.ts';

export interface Who {
  readonly name?: string;
  readonly permissions?: bigint;
  readonly locale?: string;
}

/** What stands between a command and Discord, with commands of the test. */
export interface SmallBot {
  readonly discord: DiscordStandIn;
  readonly api: DiscordApi;
  readonly dispatcher: Dispatcher;
  readonly store: Store;
  /** The file of the store. */
  readonly path: string;
  readonly log: readonly Line[];
  /** What the guild's log was told. */
  readonly told: readonly string[];
  person(who?: Who): Person;
  /** What the bot sends to Discord from now on, such as `PATCH`, until the function is called. */
  sending(): () => readonly string[];
  /** The same record of interactions as another run of the bot has it. */
  restarted(deps?: Partial<UnansweredDeps>): Unanswered;
  stop(): Promise<void>;
}

export async function startSmallBot(
  commands: readonly Command[],
  options: Omit<StandInOptions, 'token'> = {},
): Promise<SmallBot> {
  const discord = await startDiscord({ token: TOKEN, reactionMs: 0, ...options });
  const logger = recorder();
  const folder = mkdtempSync(join(tmpdir(), 'small-bot-'));
  const path = join(folder, 'bot.sqlite');
  const store = createStore({ url: sqliteAt(path), logger });
  await store.start?.();
  const token = new Secret(TOKEN);
  const api = createDiscordApi({ apiUrl: discord.apiUrl, token, logger });
  const published = commands.map(asPublished);
  const publishing = createPublishing({ api, values: store.values, commands: published, onlyOne, logger });
  const wording = { ...createWords(), mention: publishing.mention };
  const encryption = createEncryption([randomBytes(32)]);
  const told: string[] = [];
  const tellGuild: UnansweredDeps['tellGuild'] = async (_guildId, makeText) =>
    void told.push(makeText(wording.wordsFor('en-US')));
  const writers = createWriters();
  const restarted = (deps: Partial<UnansweredDeps> = {}) =>
    createUnanswered({
      store,
      owner: randomUUID(),
      encryption,
      api,
      writers,
      wording,
      endSubmissions: async () => undefined,
      reportOf: async () => undefined,
      tellGuild,
      logger,
      ...deps,
    });
  const dispatcher = createDispatcher({
    api,
    commands,
    wording,
    unanswered: restarted(),
    writers,
    traces: createTraces({ logger }),
    tellGuild,
    onUse: () => undefined,
    logger,
  });
  const gateway = createGateway({
    api,
    token,
    onInteraction: (payload) => void dispatcher.handle(payload),
    onFatal: () => undefined,
    logger,
  });
  const stopping = new AbortController();
  await gateway.connect(stopping.signal);
  await publishing.publish(discord.applicationId, stopping.signal);
  await discord.ready();
  return {
    discord,
    api,
    dispatcher,
    store,
    path,
    log: logger.lines,
    told,
    person({ name = 'mia', permissions = PermissionFlagsBits.ViewChannel, locale = 'en-US' } = {}) {
      const [guild] = discord.guilds;
      if (!guild) throw new Error('the stand-in has no guild');
      return discord.person({ guild, name, permissions, locale });
    },
    sending() {
      const before = discord.requests.length;
      return () =>
        discord.requests
          .slice(before)
          .map(({ method, path: route }) => (route.includes('/callback') ? 'callback' : method));
    },
    restarted,
    async stop() {
      stopping.abort();
      api.stopWaiting();
      await gateway.disconnect();
      await api.close();
      await store.stop?.();
      await discord.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
