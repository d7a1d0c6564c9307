import type {
  REST,
  RESTGetCurrentApplicationResult,
  RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { DefaultUserAgent, DiscordAPIError, Routes } from 'discord.js';
import type { Config } from '../config/config.ts';
import { installationTroubles, inviteLink } from '../discord/application.ts';
import { createClient } from '../discord/client.ts';
import { readGlobalCommands, sameCommands } from '../discord/publish.ts';
import { createHttpAgent } from '../http-agent.ts';
import { createListingApi } from '../listing/client.ts';
import { Secret } from '../secret.ts';
import {
  CheckFailure,
  checkDisk,
  checkEncryption,
  checkStore,
  type Finding,
  find,
} from './checks-of-disk.ts';

export interface DoctorChecksDeps {
  readonly config: Config;
  readonly commands: readonly RESTPostAPIApplicationCommandsJSONBody[];
}

const PORTAL = 'https://discord.com/developers/applications';
/** How far the clock may be off, in milliseconds. Discord gives an interaction's time, and waits 3 seconds for an answer. */
const MOST_CLOCK_ERROR_MS = 5_000;
/** Below so many IDENTIFYs of the day a start is a risk: at none Discord resets the token. */
const FEW_IDENTIFIES = 100;
const TIMEOUT_MS = 10_000;

type Application = RESTGetCurrentApplicationResult;

/** Every check but those of the configuration and of Node, which these need. */
export async function checksOf({ config, commands }: DoctorChecksDeps): Promise<readonly Finding[]> {
  const { client, close } = createClient({ apiUrl: config.discordApiUrl });
  const rest = client.rest.setToken(config.discordToken.reveal());
  try {
    let application: Application | undefined;
    const token = await find('Token', async () => {
      application = await readApplication(rest);
      return `Discord takes it: ${application.name}, application ${application.id}`;
    });
    return [
      token,
      ...(await checksOfApplication({ rest, application, commands })),
      await find('Clock', () => checkClock(config.discordApiUrl)),
      await find('Listing service', () => checkListing(config)),
      await find('Store', () => checkStore(config)),
      await find('Encryption key', () => checkEncryption(config)),
      await find('Disk', () => checkDisk(config)),
    ];
  } finally {
    await close();
  }
}

async function checksOfApplication(about: {
  readonly rest: REST;
  readonly application: Application | undefined;
  readonly commands: DoctorChecksDeps['commands'];
}): Promise<readonly Finding[]> {
  const { rest, application, commands } = about;
  const names = ['Application', 'Invitation', 'IDENTIFYs', 'Commands'];
  if (application === undefined) {
    return names.map((check) => ({ check, state: 'skipped', says: 'the token first' }));
  }
  return [
    await find('Application', () => checkApplication(application)),
    await find('Invitation', () => checkInvitation(application)),
    await find('IDENTIFYs', () => checkIdentifies(rest)),
    await find('Commands', () => checkCommands(rest, application.id, commands)),
  ];
}

async function readApplication(rest: REST): Promise<Application> {
  try {
    return (await rest.get(Routes.currentApplication())) as Application;
  } catch (error) {
    if (error instanceof DiscordAPIError && error.status === 401) {
      throw new CheckFailure(
        'Discord does not accept DISCORD_TOKEN',
        `copy it again: ${PORTAL}, your application, "Bot", "Reset Token"; it is shown once`,
      );
    }
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckFailure(
      `Discord cannot be reached: ${why}`,
      'look at the network, the firewall and DISCORD_API_URL; https to discord.com has to go out',
    );
  }
}

function checkApplication({ id, interactions_endpoint_url: endpoint }: Application): string {
  if (!endpoint) return 'interactions come over the gateway';
  throw new CheckFailure(
    'it has an Interactions Endpoint URL, so Discord sends no command to this bot',
    `clear it: ${PORTAL}/${id}/information, "Interactions Endpoint URL", then save`,
  );
}

function checkInvitation(application: Application): string {
  const troubles = installationTroubles(application);
  if (troubles.length === 0) {
    const { approximate_guild_count: count } = application;
    const where = count === undefined ? '' : ` (about ${count} servers have it)`;
    return `${inviteLink(application.id)}${where}`;
  }
  throw new CheckFailure(
    troubles.join('\n'),
    `change it on ${PORTAL}/${application.id}/installation; "Run it for real" in README.md says how`,
  );
}

async function checkIdentifies(rest: REST): Promise<string> {
  const { session_start_limit: limit } = (await rest.get(Routes.gatewayBot())) as {
    readonly session_start_limit: { readonly total: number; readonly remaining: number };
  };
  const left = `${limit.remaining} of ${limit.total} starts are left of this day`;
  if (limit.remaining >= FEW_IDENTIFIES) return left;
  throw new CheckFailure(left, 'find what restarts the bot or uses its token beside it, and stop that first');
}

async function checkCommands(rest: REST, id: string, ours: DoctorChecksDeps['commands']): Promise<string> {
  const { others: published } = await readGlobalCommands(rest, id);
  if (sameCommands(published, ours)) return `Discord has all ${ours.length} as they are here`;
  throw new CheckFailure(
    published.length === 0 ? 'Discord has none of them' : 'Discord has others than these',
    'start the bot: it publishes them; its log says so when Discord refuses',
  );
}

async function checkClock(apiUrl: string): Promise<string> {
  const agent = createHttpAgent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  try {
    const { origin, pathname } = new URL(`${apiUrl}/v10/gateway`);
    const sentAt = Date.now();
    const { headers, body } = await agent.request({
      origin,
      path: pathname,
      method: 'GET',
      headers: { 'user-agent': DefaultUserAgent },
    });
    await body.dump();
    const at = Date.parse(String(headers.date));
    if (Number.isNaN(at)) return 'Discord did not say what time it is';
    // Discord's time is cut to the second, and was right some time between asking and hearing.
    const ahead = Math.round((sentAt + Date.now()) / 2 - (at + 500));
    if (Math.abs(ahead) <= MOST_CLOCK_ERROR_MS) return "agrees with Discord's";
    throw new CheckFailure(
      `is ${Math.round(Math.abs(ahead) / 1000)} seconds ${ahead > 0 ? 'ahead of' : 'behind'} Discord's`,
      'let it be set over the network: timedatectl set-ntp true',
    );
  } catch (error) {
    if (error instanceof CheckFailure) throw error;
    throw new CheckFailure('Discord was not reached to compare it', 'see "Token"');
  } finally {
    await agent.close();
  }
}

/** A key that no account has; the service says so, and thereby that it is there. */
const NO_KEY = 'doctor-asks-without-a-key';

async function checkListing(config: Config): Promise<string> {
  const { listingApiKey: key } = config;
  const api = createListingApi({
    baseUrl: config.listingApiUrl,
    timeoutMs: Math.min(config.listingApiTimeoutMs, TIMEOUT_MS),
    arrayFormat: config.listingApiArrayFormat,
  });
  try {
    const outcome = await api.games(key ?? new Secret(NO_KEY));
    if (outcome.kind === 'games') return `answers, with ${outcome.games.length} games`;
    if (outcome.kind === 'rejected') {
      if (key === undefined) return 'answers; without LISTING_API_KEY the keys of the servers are used';
      throw new CheckFailure(
        `does not take LISTING_API_KEY: ${outcome.message}`,
        'copy the key again from your account at the service, or take the variable out',
      );
    }
    throw new CheckFailure(
      `does not answer as it should: ${outcome.reason}, ${outcome.detail}`,
      'look at LISTING_API_URL (requests go to its /api), at the network and at the service itself',
    );
  } finally {
    await api.close();
  }
}

const MARKS = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' } as const;

/** The findings, a line each, what fails with its mend below it. */
export function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat('skipped'.length + 2 + width + 2);
  const lines = findings.flatMap(({ check, state, says, mend }) => [
    `${MARKS[state].padEnd('skipped'.length)}  ${check.padEnd(width)}  ${says.replaceAll('\n', `\n${indent}`)}`,
    ...(mend === undefined ? [] : [`${indent}→ ${mend}`]),
  ]);
  const failed = findings.filter(({ state }) => state === 'failed').length;
  const summary = failed === 0 ? 'Everything is in order.' : `${failed} of ${findings.length} checks failed.`;
  return `${lines.join('\n')}\n\n${summary}\n`;
}
