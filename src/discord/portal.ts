import { type RESTGetCurrentApplicationResult, Routes, UserFlags } from 'discord.js';
import type { DiscordApi } from './api.ts';

const PORTAL = 'https://discord.com/developers/applications';
/** Keys of the installation types (Discord docs: Application Resource, "Application Integration Types"). */
const GUILD = '0';
const USER = '1';

/** The application's settings in the Developer Portal. */
export type Application = RESTGetCurrentApplicationResult;

export const readApplication = async (
  api: Pick<DiscordApi, 'get'>,
  signal?: AbortSignal,
): Promise<Application> => (await api.get(Routes.currentApplication(), { signal })) as Application;

export const portalPage = ({ id }: Pick<Application, 'id'>, page: 'information' | 'installation'): string =>
  `${PORTAL}/${id}/${page}`;

export const NEW_TOKEN = `create a new one: ${PORTAL}, your application, "Bot", "Reset Token" (it is shown only once)`;

export function inviteLink(applicationId: string): string {
  const query = `client_id=${applicationId}&scope=bot+applications.commands&permissions=0&integration_type=0`;
  return `https://discord.com/oauth2/authorize?${query}`;
}

export interface Transport {
  readonly interactions: 'gateway' | 'http';
  /** In hexadecimal; required for `http`. */
  readonly discordPublicKey?: string | undefined;
}

export function endpointTrouble(
  application: Application,
  { interactions, discordPublicKey }: Transport,
): { readonly text: string; readonly fix: string } | undefined {
  const { interactions_endpoint_url: url, verify_key: key } = application;
  const page = portalPage(application, 'information');
  if (interactions === 'gateway') {
    if (!url) return undefined;
    return {
      text: 'this application has an Interactions Endpoint URL, so this bot does not receive commands',
      fix: `clear "Interactions Endpoint URL" on ${page} and save, or set INTERACTIONS=http`,
    };
  }
  if (key !== discordPublicKey?.toLowerCase()) {
    return {
      text: 'DISCORD_PUBLIC_KEY does not belong to this application, so every request from Discord is rejected',
      fix: `copy "Public Key" from ${page}`,
    };
  }
  if (url) return undefined;
  return {
    text: 'this application does not have an Interactions Endpoint URL, so this bot does not receive commands',
    fix:
      `while the bot is running, enter the https URL of its /interactions on ${page}, as ` +
      '"Interactions Endpoint URL", and save: Discord tests it immediately',
  };
}

/** Returns sentences about settings that let people add the commands without the bot user, or to a user account. */
export function installationTroubles(application: Application): readonly string[] {
  const { integration_types_config: kinds, install_params: legacy, custom_install_url: url } = application;
  const link = url === undefined ? undefined : readLink(url);
  const guild = kinds?.[GUILD];
  return [
    kinds !== undefined &&
      guild === undefined &&
      'Guild Install is off, so Discord servers cannot add the bot.',
    lacksBot(guild?.oauth2_install_params?.scopes) &&
      'The Default Install Settings for Guild Install lack the scope "bot": "Add App" would add the commands without the bot.',
    lacksBot(legacy?.scopes) &&
      'The in-app authorization link lacks the scope "bot": it would add the commands without the bot.',
    lacksBot(link?.scopes) &&
      'The custom install link lacks the scope "bot": "Add App" would add the commands without the bot.',
    (kinds?.[USER] !== undefined || link?.isForUsers) &&
      'Users can install this application for themselves, but its commands do not appear there. Turn off User Install.',
    application.bot_require_code_grant &&
      '"Requires OAuth2 Code Grant" is on (page "Bot"): the invite link would add the commands without the bot. Turn it off.',
  ].filter((trouble) => typeof trouble === 'string');
}

const GUILDS_TO_WARN_AT = 75;
const MAX_UNVERIFIED_GUILDS = 100;

export const nameTroubles = ({ name }: Pick<Application, 'name'>): readonly string[] =>
  /discord/i.test(name) ? ['Discord does not verify an application with "discord" in its name.'] : [];

export function verificationTroubles(application: Application): readonly string[] {
  const { approximate_guild_count: guilds = 0, bot } = application;
  const isVerified = (Number(bot?.public_flags ?? 0) & UserFlags.VerifiedBot) !== 0;
  if (guilds < GUILDS_TO_WARN_AT || isVerified) return [];
  const lacks = unmetVerificationRequirements(application);
  const needs = lacks.length === 0 ? '' : ` It still needs ${lacks.join(', ')}.`;
  return [
    `About ${guilds} Discord servers have the bot. After ${MAX_UNVERIFIED_GUILDS}, no other server can add it until the application is verified.${needs}`,
  ];
}

/** Discord docs: "Enabling Discovery". */
function unmetVerificationRequirements(application: Application): readonly string[] {
  return [
    !application.team && 'a team with a verified owner',
    !application.terms_of_service_url && 'a Terms of Service URL',
    !application.privacy_policy_url && 'a Privacy Policy URL',
    !application.description && 'a description',
    (application.tags ?? []).length === 0 && 'tags',
  ].filter((what) => typeof what === 'string');
}

const lacksBot = (scopes: readonly string[] | undefined): boolean =>
  scopes !== undefined && !scopes.includes('bot');

/** Returns `undefined` for links to pages other than Discord's authorization page, because they can't be checked. */
function readLink(text: string) {
  const url = URL.parse(text);
  const isDiscords = url !== null && /(^|\.)discord(app)?\.com$/.test(url.hostname);
  if (!isDiscords || !/\/oauth2\/authorize\/?$/.test(url.pathname)) return undefined;
  return {
    // Without scopes in the link, Discord uses the scopes in the Default Install Settings.
    scopes: url.searchParams.get('scope')?.split(/\s+/),
    isForUsers: url.searchParams.get('integration_type') === USER,
  };
}
