import { setTimeout as sleep } from 'node:timers/promises';
import { DiscordAPIError, type REST, type RESTGetCurrentApplicationResult, Routes } from 'discord.js';
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

/** How the bot comes into a server. */
export interface Invitation {
  readonly invite: string;
  /** Anyone can invite it; otherwise its owner or team alone. */
  readonly isPublic: boolean;
}

/**
 * Tells the operator what is set in the Developer Portal that will bring trouble. Never throws.
 * @returns how to invite the bot; `undefined` when Discord does not answer
 */
export async function tellOfApplication(
  rest: Pick<REST, 'get'>,
  logger: Logger,
): Promise<Invitation | undefined> {
  let application: Application;
  try {
    application = (await rest.get(Routes.currentApplication())) as Application;
  } catch (error) {
    logger.warn({ err: error }, "the application's settings could not be read from Discord");
    return undefined;
  }
  const { id, bot_public: isPublic, interactions_endpoint_url: endpoint } = application;
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
  return { invite: inviteLink(id), isPublic };
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

/** The most that Discord lists at once (Discord docs: Users Resource, "Get Current User Guilds"). */
const PAGE = 200;
/** Pauses before a question that failed is asked again, in milliseconds. Nobody waits for the answer. */
const PAUSES: readonly number[] = [250, 1_000, 3_000];
/** Refusals with these codes are about the bot's account or its network, and not about a guild (JSON Error Codes). */
const ABOUT_THE_BOT = { from: 40_000, below: 50_000 };

export interface GuildListOptions {
  /** Aborted when nobody wants to know any more. */
  readonly signal?: AbortSignal | undefined;
  /** {@link PAUSES} unless told. */
  readonly pauses?: readonly number[] | undefined;
}

/**
 * The ids of every guild whose members the bot is among, also of those that have an outage. All of them, or an
 * error: a list that lacks some would look as if the bot had been removed there. It ends with an empty page, since a
 * page that is not full may have more behind it (discord-api-docs#5886).
 */
export async function listGuilds(
  rest: Pick<REST, 'get'>,
  { signal, pauses = PAUSES }: GuildListOptions = {},
): Promise<readonly string[]> {
  const all: string[] = [];
  for (;;) {
    const last = all.at(-1);
    const query = new URLSearchParams({ limit: String(PAGE), ...(last !== undefined && { after: last }) });
    const read = async () => idsOf(await rest.get(Routes.userGuilds(), { query, ...(signal && { signal }) }));
    const page = await again(read, { signal, pauses });
    if (page.length === 0) return all;
    for (const id of page) {
      const previous = all.at(-1);
      if (previous !== undefined && BigInt(id) <= BigInt(previous)) {
        throw new Error('Discord lists the guilds of this bot in another order than it documents');
      }
      all.push(id);
    }
  }
}

/**
 * Whether Discord says of a guild that it is unknown to the bot or closed to it: the bot is no member there. `false`
 * when the bot is one.
 * @throws when Discord says neither, as while it has an outage
 */
export async function isForeign(
  rest: Pick<REST, 'get'>,
  guildId: string,
  { signal }: Pick<GuildListOptions, 'signal'> = {},
): Promise<boolean> {
  try {
    const { id } = Object(await rest.get(Routes.guild(guildId), { ...(signal && { signal }) }));
    if (id === guildId) return false;
  } catch (error) {
    if (error instanceof DiscordAPIError && isAboutGuild(error)) return true;
    throw error;
  }
  throw new Error('Discord did not answer with the guild that it was asked for');
}

/** Whether a limited request is that question: it is not waited for, since what comes of it can wait for the next check. */
export const isGuildQuestion = ({ route }: { readonly route: string }): boolean => route === '/guilds/:id';

/** What is no answer of Discord's own, such as a proxy's page, has no code. */
function isAboutGuild({ status, code }: DiscordAPIError): boolean {
  if ((status !== 403 && status !== 404) || typeof code !== 'number') return false;
  return code < ABOUT_THE_BOT.from || code >= ABOUT_THE_BOT.below;
}

async function again<Result>(
  read: () => Promise<Result>,
  { signal, pauses = [] }: GuildListOptions,
): Promise<Result> {
  for (const pause of pauses) {
    try {
      return await read();
    } catch {
      await sleep(pause, undefined, { signal, ref: false });
    }
  }
  return read();
}

function idsOf(page: unknown): readonly string[] {
  const guilds: readonly unknown[] = Array.isArray(page) ? page : [undefined];
  return guilds.map((guild) => {
    const { id } = Object(guild);
    if (typeof id !== 'string' || !/^\d{1,20}$/.test(id)) {
      throw new Error('Discord did not answer with a list of guilds');
    }
    return id;
  });
}
