import type { Config } from '../config/config.ts';
import { createDiscordApi, type DiscordApi } from '../discord/api.ts';
import { clockTrouble } from '../discord/clock.ts';
import { createSteam } from '../game-servers/steam.ts';
import { SILENT } from '../logger.ts';
import { reason } from '../storage/store-error.ts';
import type { Secret } from '../text/secret.ts';
import { checkDiscord, type DoctorChecksDeps, withDeadline } from './discord-checks.ts';
import { CheckFailedError, CheckSkippedError, CheckWarningError, type Finding, find } from './finding.ts';
import { checkListing } from './listing-check.ts';
import { readOperatorUrl } from './operator-urls.ts';
import { checkBackups, checkDisk, checkEncryption, checkMemory, checkStore } from './store-checks.ts';
import { checkSurroundings } from './surroundings-check.ts';

/** Runs all checks that need a valid configuration and the right Node version. */
export async function runChecks({ config, commands }: DoctorChecksDeps): Promise<readonly Finding[]> {
  const { discordApiUrl: apiUrl, discordToken: token } = config;
  const api = createDiscordApi({ apiUrl, token, logger: SILENT });
  return [
    ...(await checkDiscord(withDeadline(api), { config, commands })),
    await find('Clock', () => checkClock(api)),
    await find('Listing service', () => checkListing(config)),
    await find('Listing page', () => checkListingPage(config)),
    await find('Server lookup', () => checkServerLookup(config)),
    await find('Store', () => checkStore(config)),
    await find('Encryption key', () => checkEncryption(config)),
    await find('Disk', () => checkDisk(config)),
    await find('Backups', () => checkBackups(config)),
    await find('Webhook', () => checkOperatorUrl('OPERATOR_WEBHOOK_URL', config.operatorWebhookUrl)),
    await find('Heartbeat', () => checkOperatorUrl('HEARTBEAT_URL', config.heartbeatUrl)),
    await find('Memory', () => checkMemory()),
    await find('Surroundings', () => checkSurroundings(process.env)),
  ];
}

function checkListingPage({ listingUrl }: Config): string {
  if (listingUrl !== undefined) return listingUrl;
  throw new CheckSkippedError(
    'LISTING_URL is not set: members have to ask an admin whether an unconfirmed submission has arrived',
  );
}

/** An address on Valve's network, where game servers usually run. */
const SAMPLE_ADDRESS = '155.133.248.36';

async function checkServerLookup({ serverLookup, steamApiUrl }: Config): Promise<string> {
  if (serverLookup === 'off') throw new CheckSkippedError('SERVER_LOOKUP is off');
  const steam = createSteam({ steamApiUrl, logger: SILENT });
  const fix = 'check STEAM_API_URL and the network; submissions work without it';
  const failed = (error: unknown) => {
    throw new CheckWarningError(`Steam isn't responding as expected: ${reason(error)}`, fix);
  };
  const [first] = await steam.ask(SAMPLE_ADDRESS).catch(failed).finally(steam.close);
  if (first === undefined) return `Steam responds, but doesn't list a game server at ${SAMPLE_ADDRESS}`;
  return `Steam responds; its first game server at ${SAMPLE_ADDRESS}: ${JSON.stringify(first)}`;
}

async function checkOperatorUrl(name: string, url: Secret | undefined): Promise<string> {
  if (url === undefined) throw new CheckSkippedError(`${name} is not set: see "Alarms" in docs/monitor.md`);
  try {
    await readOperatorUrl(url);
    return `${name} responds`;
  } catch (error) {
    throw new CheckFailedError(
      `${name} isn't responding as expected: ${reason(error)}`,
      'copy it again, or remove it, then restart the bot',
    );
  }
}

async function checkClock(api: DiscordApi): Promise<string> {
  const aheadMs = await api.clockAheadMs();
  if (aheadMs === undefined) throw new CheckSkippedError('could not reach Discord to get the time');
  const trouble = clockTrouble(aheadMs);
  if (trouble) throw new CheckFailedError(trouble.text, trouble.fix);
  return "agrees with Discord's";
}
