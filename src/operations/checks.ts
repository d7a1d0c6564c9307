import {
  type RESTGetAPIGatewayBotResult,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Config } from '../config/config.ts';
import { createDiscordApi, type DiscordApi } from '../discord/api.ts';
import { clockTrouble } from '../discord/clock.ts';
import {
  type Application,
  endpointTrouble,
  growthTroubles,
  installationTroubles,
  inviteLink,
  NEW_TOKEN,
  portalPage,
  readApplication,
} from '../discord/portal.ts';
import { fingerprint, publishedKey, readCommands } from '../discord/publish.ts';
import { whyUnreachable } from '../discord/unreachable.ts';
import { createListingApi } from '../listing/client.ts';
import type { GamesOutcome } from '../listing/contract.ts';
import { Secret } from '../secret.ts';
import { useValues } from '../storage/store.ts';
import { CheckFailure, CheckSkipped, type Finding, find } from './finding.ts';
import { checkDisk, checkEncryption, checkMemory, checkStore } from './store-checks.ts';

export interface DoctorChecksDeps {
  readonly config: Config;
  readonly commands: readonly RESTPostAPIApplicationCommandsJSONBody[];
}

/** With fewer IDENTIFYs left for the day a start is a risk: at the last one Discord resets the token. */
const FEW_IDENTIFIES = 100;
/** How long Discord may take for all questions together, and the listing service for its answer, in milliseconds. */
const DISCORD_MS = 8_000;
const LISTING_MS = 5_000;

/** Every check that needs the configuration and the right Node. They take 20 seconds at most. */
export async function checksOf({ config, commands }: DoctorChecksDeps): Promise<readonly Finding[]> {
  const nothing = () => undefined;
  const logger = { error: nothing, warn: nothing };
  const api = createDiscordApi({ apiUrl: config.discordApiUrl, token: config.discordToken, logger });
  try {
    return [
      ...(await checksOfDiscord(withDeadline(api), config, commands)),
      await find('Clock', () => checkClock(api)),
      await find('Listing service', () => checkListing(config)),
      await find('Store', () => checkStore(config)),
      await find('Encryption key', () => checkEncryption(config)),
      await find('Disk', () => checkDisk(config)),
      await find('Memory', () => checkMemory()),
    ];
  } finally {
    api.close().catch(() => undefined);
  }
}

/** Reads from Discord. @throws CheckFailure saying what keeps Discord from answering, and what to do about it */
type DiscordReader = Pick<DiscordApi, 'get'>;

/** Ends all questions to Discord after the same time, also those that wait for a rate limit or a block. */
function withDeadline(api: DiscordApi): DiscordReader {
  const signal = AbortSignal.timeout(DISCORD_MS);
  const tooLate = new Error(`no answer within ${DISCORD_MS / 1000} seconds`);
  return {
    async get(route, options) {
      try {
        return await api.get(route, { ...options, signal });
      } catch (error) {
        throw explained(signal.aborted ? tooLate : error, api.block.leftMs());
      }
    },
  };
}

function explained(error: unknown, blockedMs: number): CheckFailure {
  if (Object(error).status === 401) {
    return new CheckFailure('Discord does not accept DISCORD_TOKEN', NEW_TOKEN);
  }
  if (blockedMs > 0) {
    return new CheckFailure(
      `Discord blocks this address or this bot for ${Math.ceil(blockedMs / 1000)} seconds or more`,
      'wait an hour; look for another program on the same address, or another bot with the same token',
    );
  }
  const retryAfter = Number(Object(error).retryAfter);
  if (retryAfter > 0) {
    return new CheckFailure(
      `Discord limits this bot for another ${Math.ceil(retryAfter / 1000)} seconds`,
      'wait; on a shared address others may use up its limit: another address helps',
    );
  }
  const why = whyUnreachable(error) ?? (error instanceof Error ? error.message : String(error));
  return new CheckFailure(
    `Discord cannot be reached: ${why}`,
    'look at the network, the firewall and DISCORD_API_URL; https to discord.com has to go out',
  );
}

async function checksOfDiscord(
  discord: DiscordReader,
  config: Config,
  commands: DoctorChecksDeps['commands'],
): Promise<readonly Finding[]> {
  let application: Application | undefined;
  const findKnowing = (check: string, look: (known: Application) => Promise<string> | string) =>
    find(check, () => {
      if (application === undefined) throw new CheckSkipped('the token first');
      return look(application);
    });
  return [
    await find('Token', async () => {
      application = await readApplication(discord);
      return `Discord takes it: ${application.name}, application ${application.id}`;
    }),
    await findKnowing('Application', (known) => checkApplication(known, config)),
    await findKnowing('Invitation', checkInvitation),
    await findKnowing('IDENTIFYs', () => checkIdentifies(discord, config)),
    await findKnowing('Commands', ({ id }) => checkCommands(discord, id, { config, commands })),
  ];
}

function checkApplication(application: Application, config: Config): string {
  const trouble = endpointTrouble(application, config);
  if (trouble !== undefined) throw new CheckFailure(trouble.says, trouble.mend);
  if (config.interactions === 'gateway') return 'interactions come over the gateway';
  return `Discord posts interactions to ${application.interactions_endpoint_url}`;
}

function checkInvitation(application: Application): string {
  const troubles = [...installationTroubles(application), ...growthTroubles(application)];
  if (troubles.length === 0) {
    const { approximate_guild_count: count } = application;
    const where = count === undefined ? '' : ` (about ${count} servers have it)`;
    return `${inviteLink(application.id)}${where}`;
  }
  throw new CheckFailure(
    troubles.join('\n'),
    `change it on ${portalPage(application, 'installation')}; "Run it for real" in README.md says how`,
  );
}

async function checkIdentifies(discord: DiscordReader, { interactions }: Config): Promise<string> {
  if (interactions === 'http') throw new CheckSkipped('the bot opens no session at the gateway');
  const { session_start_limit: limit } = (await discord.get(
    Routes.gatewayBot(),
  )) as RESTGetAPIGatewayBotResult;
  const left = `${limit.remaining} of ${limit.total} starts are left of this day`;
  if (limit.remaining >= FEW_IDENTIFIES) return left;
  throw new CheckFailure(left, 'find what restarts the bot or uses its token beside it, and stop that first');
}

async function checkCommands(
  discord: DiscordReader,
  applicationId: string,
  { config: { storeUrl }, commands: ours }: DoctorChecksDeps,
): Promise<string> {
  const { others: published } = await readCommands(discord, applicationId);
  const names = new Set(published.map(({ name }) => name));
  const areAllThere = names.size === ours.length && ours.every(({ name }) => names.has(name));
  // Another check reports a store that cannot be read.
  const before = await useValues(storeUrl, ({ get }) => get(publishedKey(applicationId))).catch(
    () => undefined,
  );
  const areOurs = before === undefined || before === fingerprint(ours, published);
  if (areAllThere && areOurs) return `Discord has all ${ours.length}`;
  throw new CheckFailure(
    published.length === 0 ? 'Discord has none of them' : 'Discord has others than these',
    'start the bot: it publishes them; its log says so when Discord refuses',
  );
}

async function checkClock(api: DiscordApi): Promise<string> {
  const aheadMs = await api.clockAheadMs();
  if (aheadMs === undefined) throw new CheckSkipped('Discord was not reached to compare it');
  const trouble = clockTrouble(aheadMs);
  if (trouble) throw new CheckFailure(trouble.says, trouble.mend);
  return "agrees with Discord's";
}

/** A key that no account has: the service refuses it, and thereby shows that it is there. */
const NO_KEY = new Secret('doctor-asks-without-a-key');

/** What the service under `baseUrl` answers to `action=games`. */
async function askListing(config: Config, baseUrl: string, key = NO_KEY): Promise<GamesOutcome> {
  const api = createListingApi({
    baseUrl,
    timeoutMs: Math.min(config.listingApiTimeoutMs, LISTING_MS),
    arrayFormat: config.listingApiArrayFormat,
  });
  try {
    return await api.games(key);
  } finally {
    await api.close();
  }
}

/** The address without the `/api` at its end, where the service answers under that; otherwise `undefined`. */
export async function listingUrlWithoutApi(config: Config): Promise<string | undefined> {
  const shorter = /^(.*)\/api$/.exec(config.listingApiUrl)?.[1];
  if (shorter === undefined || 'reason' in (await askListing(config, shorter))) return undefined;
  return shorter;
}

async function checkListing(config: Config): Promise<string> {
  const { listingApiKey: key, listingApiUrl: baseUrl } = config;
  const outcome = await askListing(config, baseUrl, key);
  if (outcome.kind === 'games') {
    const { games, leftOut = 0 } = outcome;
    const behind = leftOut > 0 ? `; ${leftOut} more stand behind these, and cannot be chosen` : '';
    return `answers, with ${games.length} games${behind}`;
  }
  if (outcome.kind === 'rejected') {
    if (key === undefined) return 'answers; without LISTING_API_KEY the keys of the servers are used';
    throw new CheckFailure(
      `does not take LISTING_API_KEY: ${outcome.message}`,
      'copy the key again from your account at the service, or take the variable out',
    );
  }
  const better = await listingUrlWithoutApi(config);
  throw new CheckFailure(
    `${baseUrl}/api does not answer as it should: ${outcome.reason}, ${outcome.detail}`,
    better === undefined
      ? 'look at LISTING_API_URL, at the network and at the service itself'
      : `set LISTING_API_URL=${better}, where the service answers`,
  );
}
