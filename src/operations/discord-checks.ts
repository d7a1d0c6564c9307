import {
  type RESTGetAPIGatewayBotResult,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Config } from '../config/config.ts';
import type { DiscordApi } from '../discord/api.ts';
import {
  type Application,
  endpointTrouble,
  installationTroubles,
  inviteLink,
  NEW_TOKEN,
  nameTroubles,
  portalPage,
  readApplication,
  verificationTroubles,
} from '../discord/portal.ts';
import { fingerprint, fingerprintKey, readCommands } from '../discord/publish.ts';
import { whyUnreachable } from '../discord/unreachable.ts';
import { useValues } from '../storage/store.ts';
import { CheckFailedError, CheckSkippedError, CheckWarningError, type Finding, find } from './finding.ts';

export interface DoctorChecksDeps {
  readonly config: Config;
  readonly commands: readonly RESTPostAPIApplicationCommandsJSONBody[];
}

/** Starting is risky if fewer IDENTIFYs are left today, because Discord resets the token after the last one. */
const FEW_IDENTIFIES = 100;
const DISCORD_TIMEOUT_MS = 8_000;

/** Reads from Discord. Throws a CheckFailedError that explains why the request failed and what to do. */
export type DiscordReader = Pick<DiscordApi, 'get'>;

export type PortalConfig = Pick<
  Config,
  'discordToken' | 'discordApiUrl' | 'interactions' | 'discordPublicKey'
>;

/** Applies one time limit to all requests to Discord together, including time spent waiting for rate limits and blocks. */
export function withDeadline(api: DiscordApi): DiscordReader {
  const signal = AbortSignal.timeout(DISCORD_TIMEOUT_MS);
  const tooLate = new Error(`no response within ${DISCORD_TIMEOUT_MS / 1000} seconds`);
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

function explained(error: unknown, blockedMs: number): CheckFailedError {
  if (Object(error).status === 401) {
    return new CheckFailedError('Discord rejects DISCORD_TOKEN', NEW_TOKEN);
  }
  if (blockedMs > 0) {
    return new CheckFailedError(
      `Discord is blocking this address or this bot for ${Math.ceil(blockedMs / 1000)} seconds or more`,
      'wait an hour; look for another program on the same address, or another bot with the same token',
    );
  }
  const retryAfter = Number(Object(error).retryAfter);
  if (retryAfter > 0) {
    return new CheckFailedError(
      `Discord is rate-limiting this bot for another ${Math.ceil(retryAfter / 1000)} seconds`,
      'wait; on a shared address, others may use up the limit, so use another address',
    );
  }
  const why = whyUnreachable(error) ?? (error instanceof Error ? error.message : String(error));
  return new CheckFailedError(
    `cannot reach Discord: ${why}`,
    'check the network, the firewall and DISCORD_API_URL; outgoing https to discord.com must be allowed',
  );
}

export interface PortalFindings {
  readonly findings: readonly Finding[];
  readonly application: Application | undefined;
}

export async function checkPortal(discord: DiscordReader, config: PortalConfig): Promise<PortalFindings> {
  let application: Application | undefined;
  const findings = [
    await find('Token', async () => {
      application = await readApplication(discord);
      return `Discord accepts it: ${application.name}, application ${application.id}`;
    }),
    await findIn(application, 'Application', (known) => checkApplication(known, config)),
    await findIn(application, 'Invitation', checkInvitation),
    await findIn(application, 'Profile', checkProfile),
  ];
  return { findings, application };
}

const findIn = (
  application: Application | undefined,
  check: string,
  look: (known: Application) => Promise<string> | string,
): Promise<Finding> =>
  find(check, () => {
    if (application === undefined) throw new CheckSkippedError('needs a valid token');
    return look(application);
  });

export async function checkDiscord(
  discord: DiscordReader,
  { config, commands }: DoctorChecksDeps,
): Promise<readonly Finding[]> {
  const { findings, application } = await checkPortal(discord, config);
  return [
    ...findings,
    await findIn(application, 'IDENTIFYs', () => checkIdentifies(discord, config)),
    await findIn(application, 'Commands', ({ id }) => checkCommands(discord, id, { config, commands })),
  ];
}

function checkApplication(application: Application, config: PortalConfig): string {
  const trouble = endpointTrouble(application, config);
  if (trouble !== undefined) throw new CheckFailedError(trouble.text, trouble.fix);
  if (config.interactions === 'gateway') return 'interactions come over the gateway';
  return `Discord posts interactions to ${application.interactions_endpoint_url}`;
}

function checkInvitation(application: Application): string {
  const troubles = [...installationTroubles(application), ...nameTroubles(application)];
  if (troubles.length === 0) {
    const { approximate_guild_count: count } = application;
    const where = count === undefined ? '' : ` (about ${count} servers have it)`;
    return `${inviteLink(application.id)}${where}`;
  }
  throw new CheckFailedError(
    troubles.join('\n'),
    `change it on ${portalPage(application, 'installation')}; see "Run it for real" in README.md`,
  );
}

function checkProfile(application: Application): string {
  const page = portalPage(application, 'information');
  const [trouble] = verificationTroubles(application);
  if (trouble !== undefined)
    throw new CheckFailedError(trouble, `${page}; docs/install.md lists the requirements of Discord`);
  if (application.description) return 'it has a description';
  throw new CheckWarningError(
    'it does not have a description, which is the first thing that new users see',
    `write one: ${page}`,
  );
}

async function checkIdentifies(discord: DiscordReader, { interactions }: Config): Promise<string> {
  if (interactions === 'http') throw new CheckSkippedError('the bot does not use the gateway');
  const { session_start_limit: limit } = (await discord.get(
    Routes.gatewayBot(),
  )) as RESTGetAPIGatewayBotResult;
  const left = `${limit.remaining} of ${limit.total} IDENTIFYs are left for today`;
  if (limit.remaining >= FEW_IDENTIFIES) return left;
  throw new CheckFailedError(
    left,
    'first find and stop the program that restarts the bot or also uses its token',
  );
}

async function checkCommands(
  discord: DiscordReader,
  applicationId: string,
  { config: { storeUrl }, commands: ours }: DoctorChecksDeps,
): Promise<string> {
  const { others: published } = await readCommands(discord, applicationId);
  const names = new Set(published.map(({ name }) => name));
  const areAllThere = names.size === ours.length && ours.every(({ name }) => names.has(name));
  // If the store can't be read, another check reports that.
  const before = await useValues(storeUrl, ({ get }) => get(fingerprintKey(applicationId))).catch(
    () => undefined,
  );
  const areOurs = before === undefined || before === fingerprint(ours, published);
  if (areAllThere && areOurs) return `Discord has all ${ours.length}`;
  if (published.length === 0 && before === undefined) {
    throw new CheckSkippedError('they will be published at the first start');
  }
  throw new CheckFailedError(
    published.length === 0 ? 'Discord does not have any of them' : 'Discord has different commands',
    'start the bot, which publishes them; if Discord rejects them, its log has the reason',
  );
}
