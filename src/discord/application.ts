import { type REST, type RESTGetCurrentApplicationResult, Routes } from 'discord.js';
import type { Logger } from '../logger.ts';

const PORTAL = 'https://discord.com/developers/applications';
/** Discord docs: Application Resource, "Application Integration Types". */
const GUILD = '0';
const USER = '1';

type Application = Pick<
  RESTGetCurrentApplicationResult,
  | 'id'
  | 'bot_public'
  | 'bot_require_code_grant'
  | 'custom_install_url'
  | 'install_params'
  | 'integration_types_config'
  | 'interactions_endpoint_url'
>;

/** The link that adds the bot to a server: bot user and commands, no permissions. */
export function inviteLink(applicationId: string): string {
  const query = `client_id=${applicationId}&scope=bot+applications.commands&permissions=0&integration_type=0`;
  return `https://discord.com/oauth2/authorize?${query}`;
}

/** Tells the operator how to invite the bot, and what is set in the Developer Portal that will bring trouble. Never throws. */
export async function tellOfApplication(rest: Pick<REST, 'get'>, logger: Logger): Promise<void> {
  let application: Application;
  try {
    application = (await rest.get(Routes.currentApplication())) as Application;
  } catch (error) {
    logger.warn({ err: error }, "the application's settings could not be read from Discord");
    return;
  }
  const { id, bot_public: isPublic, interactions_endpoint_url: endpoint } = application;
  logger.info(
    { invite: inviteLink(id), public: isPublic },
    `invite the bot with ${inviteLink(id)} (${isPublic ? 'it is public: anyone can' : 'it is private: only its owner or team can'})`,
  );
  if (endpoint) {
    logger.error(
      {},
      'this application has an Interactions Endpoint URL, so Discord sends no command to this bot. ' +
        `Clear it: ${PORTAL}/${id}/information, "Interactions Endpoint URL", then save`,
    );
  }
  for (const trouble of installationTroubles(application)) {
    logger.warn(
      {},
      `${trouble} See "Run it for real" in README.md; the page is ${PORTAL}/${id}/installation`,
    );
  }
}

/** What would put the commands into a server without the bot user, or to a user, one sentence each. */
export function installationTroubles(application: Application): readonly string[] {
  const { integration_types_config: kinds, install_params: legacy, custom_install_url: url } = application;
  const link = url === undefined ? undefined : readLink(url);
  const guild = kinds?.[GUILD];
  return [
    kinds !== undefined && guild === undefined && 'Guild Install is off, so no server can add the bot.',
    lacksBot(guild?.oauth2_install_params?.scopes) &&
      'The Default Install Settings for Guild Install lack the scope "bot": "Add App" would add the commands without the bot.',
    lacksBot(legacy?.scopes) &&
      'The in-app authorization link lacks the scope "bot": it would add the commands without the bot.',
    lacksBot(link?.scopes) &&
      'The custom install link lacks the scope "bot": "Add App" would add the commands without the bot.',
    (kinds?.[USER] !== undefined || link?.isForUsers) &&
      'Users can install this application for themselves, where its commands do not appear: turn User Install off.',
    application.bot_require_code_grant &&
      '"Requires OAuth2 Code Grant" is on (page "Bot"): the invite link would add the commands without the bot. Turn it off.',
  ].filter((trouble) => typeof trouble === 'string');
}

const lacksBot = (scopes: readonly string[] | undefined): boolean =>
  scopes !== undefined && !scopes.includes('bot');

/** What a link to Discord's own authorization page asks for; other pages say nothing of that. */
function readLink(
  text: string,
): { readonly scopes: readonly string[] | undefined; readonly isForUsers: boolean } | undefined {
  const url = URL.parse(text);
  const isDiscords = url !== null && /(^|\.)discord(app)?\.com$/.test(url.hostname);
  if (!isDiscords || !/\/oauth2\/authorize\/?$/.test(url.pathname)) return undefined;
  return {
    // Without scopes Discord takes those of the Default Install Settings.
    scopes: url.searchParams.get('scope')?.split(/\s+/),
    isForUsers: url.searchParams.get('integration_type') === USER,
  };
}
