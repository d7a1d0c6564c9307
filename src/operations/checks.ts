import { createDiscordApi, type DiscordApi } from '../discord/api.ts';
import { clockTrouble } from '../discord/clock.ts';
import { checkDiscord, type DoctorChecksDeps, withDeadline } from './discord-checks.ts';
import { CheckFailure, CheckSkipped, type Finding, find } from './finding.ts';
import { checkListing } from './listing-check.ts';
import { checkBackups, checkDisk, checkEncryption, checkMemory, checkStore } from './store-checks.ts';
import { checkSurroundings } from './surroundings-check.ts';

/** Every check that needs the configuration and the right Node. They take 20 seconds at most. */
export async function checksOf({ config, commands }: DoctorChecksDeps): Promise<readonly Finding[]> {
  const nothing = () => undefined;
  const logger = { error: nothing, warn: nothing };
  const api = createDiscordApi({ apiUrl: config.discordApiUrl, token: config.discordToken, logger });
  try {
    return [
      ...(await checkDiscord(withDeadline(api), { config, commands })),
      await find('Clock', () => checkClock(api)),
      await find('Listing service', () => checkListing(config)),
      await find('Store', () => checkStore(config)),
      await find('Encryption key', () => checkEncryption(config)),
      await find('Disk', () => checkDisk(config)),
      await find('Backups', () => checkBackups(config)),
      await find('Memory', () => checkMemory()),
      await find('Surroundings', () => checkSurroundings(process.env)),
    ];
  } finally {
    api.close().catch(() => undefined);
  }
}
async function checkClock(api: DiscordApi): Promise<string> {
  const aheadMs = await api.clockAheadMs();
  if (aheadMs === undefined) throw new CheckSkipped('Discord was not reached to compare it');
  const trouble = clockTrouble(aheadMs);
  if (trouble) throw new CheckFailure(trouble.says, trouble.mend);
  return "agrees with Discord's";
}
