import type { Config } from '../config/config.ts';
import { type Application, inviteLink } from '../discord/portal.ts';
import type { Breaker } from '../listing/breaker.ts';
import type { Logger } from '../logger.ts';
import { VERSION } from '../version.ts';
import { probeListing } from './listing-probe.ts';

export interface OnlineState {
  readonly commands: number;
  readonly application: Application;
}

/** Returns how the listing service responded during the start. Without `LISTING_API_KEY`, the start doesn't send a request. */
function listingState({ latest }: Pick<Breaker, 'latest'>): string {
  const found = latest();
  if (found === undefined) return 'not tried yet';
  return found.trouble ?? 'responds';
}

/**
 * Logs the settings and state of the started bot, without secrets, and its invitation link. Warns if the listing service
 * can't be reached, unless the start has already sent a request.
 */
export async function reportStart(
  config: Config,
  logger: Logger,
  breaker: Pick<Breaker, 'latest'>,
  online: OnlineState,
): Promise<void> {
  logger.info(
    {
      version: VERSION,
      listing: config.listingApiUrl,
      listingState: listingState(breaker),
      gamesKey: config.listingApiKey ? 'LISTING_API_KEY' : 'not set; using the keys of the guilds',
      commands: online.commands,
      allowedGuilds: config.allowedGuilds?.length ?? 'all',
      blockedGuilds: config.blockedGuilds?.length ?? 0,
      blockedUsers: config.blockedUsers?.length ?? 0,
      public: online.application.bot_public,
      serverLookup: config.serverLookup === 'on' ? `sends addresses to ${config.steamApiUrl} and DNS` : 'off',
      store: config.storeUrl.name,
      encryptionKey: config.encryptionKey ? 'ENCRYPTION_KEY' : 'in a file next to the database',
      off: switchedOff(config),
    },
    'ready',
  );
  logger.info({}, `invite the bot: ${inviteLink(online.application.id)}`);
  if (breaker.latest() === undefined) await probeListing(config.listingApiUrl, logger);
}

function switchedOff(config: Config): readonly string[] {
  return [
    config.httpPort === undefined && 'health and metrics (HTTP_PORT)',
    config.exitWhenSilentSeconds === 0 && 'exit when the gateway is silent (EXIT_WHEN_SILENT_SECONDS)',
    config.storeUrl.kind === 'sqlite' &&
      config.backupEveryHours === 0 &&
      'regular backups (BACKUP_EVERY_HOURS)',
    config.directMessages === 'off' && 'direct messages about decisions (DIRECT_MESSAGES)',
    config.serverLookup === 'off' && 'server lookup (SERVER_LOOKUP)',
    config.operatorWebhookUrl === undefined && 'alarms in Discord (OPERATOR_WEBHOOK_URL)',
    config.heartbeatUrl === undefined && 'heartbeats to a monitor (HEARTBEAT_URL)',
    config.listingUrl === undefined && 'the link to the list (LISTING_URL)',
    config.supportUrl === undefined && 'the link to your support (SUPPORT_URL)',
    config.privacyUrl === undefined && 'the link to your privacy policy (PRIVACY_URL)',
  ].filter((what) => what !== false);
}
