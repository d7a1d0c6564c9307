import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PermissionFlagsBits } from 'discord.js';
import { onTestFinished } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createDiscordApi, type DiscordApi, type DiscordApiDeps } from '../../src/discord/api.ts';
import { createChannelPosts } from '../../src/discord/channel-posts.ts';
import { createGateway } from '../../src/discord/gateway.ts';
import { asPublished, createPublishing } from '../../src/discord/publish.ts';
import { createAccess } from '../../src/guilds/access.ts';
import { type AfterCrashDeps, createAfterCrash } from '../../src/interactions/after-crash.ts';
import { type AnswerDeps, createAnswering } from '../../src/interactions/answer.ts';
import type { Command } from '../../src/interactions/command.ts';
import { createDispatcher } from '../../src/interactions/dispatch.ts';
import { createEditOrder } from '../../src/interactions/edit-order.ts';
import {
  createInteractionStore,
  type InteractionStoreDeps,
} from '../../src/interactions/interaction-store.ts';
import { createTakeover, type TakeoverDeps } from '../../src/interactions/takeover.ts';
import { createTraces } from '../../src/interactions/traces.ts';
import { createUnderWay, type UnderWay } from '../../src/interactions/under-way.ts';
import { createWorkTurns } from '../../src/pacing/turns.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { createStore } from '../../src/storage/store.ts';
import { sqliteAt } from '../../src/store-url.ts';
import { Secret } from '../../src/text/secret.ts';
import { createWords } from '../../src/words/words.ts';
import { ANSWER_WITHIN_MS } from './bot.ts';
import { claimJob } from './builders.ts';
import { createDatabaseFile } from './database.ts';
import { recorder, timeOf } from './machine.ts';

/** Starts the bot's layers between commands and Discord, with the test's own commands and a new store. */
export async function startSmallBot(
  commands: readonly Command[],
  { largeTurnMs }: Pick<AnswerDeps, 'largeTurnMs'> = {},
) {
  const discord = await startDiscord({
    token: TOKEN,
    reactionMs: 0,
    answerWithinMs: ANSWER_WITHIN_MS,
    botTime: timeOf,
  });
  const logger = recorder();
  const folder = mkdtempSync(join(tmpdir(), 'small-bot-'));
  const path = join(folder, 'bot.sqlite');
  await createDatabaseFile(path);
  const store = createStore({ url: sqliteAt(path), logger });
  await store.start?.();
  const token = new Secret(TOKEN);
  const api = createDiscordApi({
    apiUrl: discord.apiUrl,
    token,
    firstResponseMs: ANSWER_WITHIN_MS,
    firstAttemptMs: ANSWER_WITHIN_MS,
    logger,
  });
  const published = commands.map(asPublished);
  const publishing = createPublishing({ api, values: store.values, claimJob, logger });
  const words = createWords();
  const wording = {
    ...words,
    guildWords: async (_guildId: string, locale = 'en-US') => words.wordsFor(locale),
    mention: publishing.mention,
  };
  const encryption = createEncryption([randomBytes(32)]);
  const guildLog: string[] = [];
  const notifyGuild: InteractionPartsDeps['notifyGuild'] = async (_guildId, makeText) =>
    void guildLog.push(makeText(wording.wordsFor('en-US')));
  const underWay = createUnderWay();
  /** Creates the parts that handle interactions, as after a restart. */
  const restarted = (deps: Partial<InteractionPartsDeps> = {}) =>
    interactionParts({
      store,
      processId: randomUUID(),
      isShared: true,
      encryption,
      api,
      wording,
      submissions: {
        by: async () => [],
        guildIdsWithAbandoned: async () => [],
        endAbandoned: async () => undefined,
      },
      reportOf: async () => undefined,
      notifyGuild,
      underWay,
      logger,
      ...deps,
    });
  const { interactionStore, editOrder, takeOver } = restarted();
  const answering = createAnswering({
    api,
    interactionStore,
    underWay,
    editOrder,
    reportOf: async () => undefined,
    posts: createChannelPosts({ api, logger }),
    notifyGuild,
    announcements: { channelOf: async () => undefined, setTrouble: async () => undefined },
    myTurn: createWorkTurns(),
    largeTurnMs,
    logger,
  });
  const dispatcher = createDispatcher({
    api,
    commandPermissions: { deniesAll: async () => false },
    access: createAccess({}),
    supportUrl: undefined,
    commands,
    actions: {},
    wording,
    answering,
    interactionStore,
    traces: createTraces({ logger }),
    notifyGuild,
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
  await publishing.publish(discord.applicationId, published, stopping.signal);
  await discord.ready();
  return {
    discord,
    api,
    dispatcher,
    store,
    /** The store's file. */
    path,
    log: logger.lines,
    /** Everything that was posted to the guild's log. */
    guildLog,
    person({ permissions = PermissionFlagsBits.ViewChannel, locale = 'en-US' } = {}): Person {
      const [guild] = discord.guilds;
      if (!guild) throw new Error('the stand-in has no guild');
      return discord.person({ guild, name: 'mia', permissions, locale });
    },
    /**
     * Starts recording requests to Discord. @returns a function that lists these requests, each as `callback` or as its
     * method, such as `PATCH`
     */
    sending() {
      const before = discord.requests.length;
      return () =>
        discord.requests
          .slice(before)
          .map(({ method, path: route }) => (route.includes('/callback') ? 'callback' : method));
    },
    underWay,
    takeOver,
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

export const TOKEN = 'MTExMTExMTExMTExMTExMTEx.tests.a-token-of-the-tests-of-discord-123456';

/** Creates an API client for a Discord stand-in, and closes it after the test. */
export function openApi(apiUrl: string, deps: Partial<DiscordApiDeps> = {}): DiscordApi {
  const api = createDiscordApi({ apiUrl, token: new Secret(TOKEN), logger: recorder(), ...deps });
  onTestFinished(() => {
    api.stopWaiting();
    return api.close();
  });
  return api;
}

type OwnParts = 'interactionStore' | 'underWay' | 'editOrder' | 'notifyUnreplied';

interface InteractionPartsDeps
  extends Omit<
      InteractionStoreDeps & TakeoverDeps & AfterCrashDeps,
      OwnParts | 'stateOfDraft' | 'logUnreportedSubmissions' | 'onTakenOver'
    >,
    Partial<Pick<AfterCrashDeps, 'stateOfDraft' | 'logUnreportedSubmissions'>> {
  readonly underWay?: UnderWay;
}

/** Creates the parts that record interactions and, after a crash, notify members. */
export function interactionParts(deps: InteractionPartsDeps) {
  const interactionStore = createInteractionStore(deps);
  const { underWay = createUnderWay() } = deps;
  const editOrder = createEditOrder(deps);
  const notifyUnreplied = createAfterCrash({
    stateOfDraft: async () => undefined,
    logUnreportedSubmissions: async () => undefined,
    ...deps,
    interactionStore,
    underWay,
    editOrder,
  });
  const takeOver = createTakeover({
    ...deps,
    notifyUnreplied,
    onTakenOver: () => undefined,
  });
  return {
    interactionStore,
    underWay,
    editOrder,
    takeOver: () => takeOver(new AbortController().signal),
  };
}
