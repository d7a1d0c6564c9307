import { type APIApplication, ApplicationCommandType } from 'discord.js';
import {
  ApplicationCommandResponseSchema,
  CommandPermissionsResponseSchema,
  GatewayBotResponseSchema,
  GatewayResponseSchema,
  GuildWithCountsResponseSchema,
  PrivateApplicationResponseSchema,
} from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import type { Endpoint } from '../endpoint.ts';
import { type CommandBody, withoutLocalizations } from '../world/commands.ts';
import { roleObject } from '../world/guilds.ts';
import type { World } from '../world/world.ts';
import { type Denial, entryPointRemoved, missingAccess, otherApplication, unknownGuild } from './denial.ts';
import { type Call, ok, type Reply, type Route } from './route.ts';
import { checkCommands } from './rules.ts';

/** The application's settings in the Developer Portal. The defaults are the settings recommended in this bot's README. */
export type ApplicationSettings = Partial<APIApplication>;

/** Routes for requests about the bot itself and the gateway. */
export function applicationRoutes(
  world: World,
  deps: {
    readonly connectionInfo: () => { readonly url: string };
    readonly endpoint: Pick<Endpoint, 'url' | 'publicKey'>;
    readonly settings: ApplicationSettings;
  },
): readonly Route[] {
  const application = () => ({
    id: world.applicationId,
    name: world.bot.username,
    description: 'Submits game servers.',
    bot_public: true,
    bot_require_code_grant: false,
    integration_types_config: {
      0: { oauth2_install_params: { scopes: ['applications.commands', 'bot'], permissions: '0' } },
    },
    interactions_endpoint_url: deps.endpoint.url() ?? null,
    verify_key: deps.endpoint.publicKey,
    flags: 0,
    approximate_guild_count: world.guilds.joined().length,
    ...deps.settings,
  });

  return [
    {
      // The doctor command checks the machine's clock against the Date header of this response.
      method: 'GET',
      path: '/gateway',
      auth: 'none',
      answers: GatewayResponseSchema,
      handle: () => ok({ url: deps.connectionInfo().url }),
    },
    {
      method: 'GET',
      path: '/gateway/bot',
      auth: 'bot',
      answers: GatewayBotResponseSchema,
      handle: () => ok(deps.connectionInfo()),
    },
    {
      method: 'GET',
      path: '/applications/@me',
      auth: 'bot',
      answers: z.partial(PrivateApplicationResponseSchema),
      handle: () => ok(application()),
    },
  ];
}

/** Routes for requests about a guild. */
export const guildRoutes = ({ guilds }: World): readonly Route[] => [
  {
    method: 'GET',
    path: '/guilds/:guild',
    auth: 'bot',
    // The response only contains the guild properties that this bot reads.
    answers: z.partial(GuildWithCountsResponseSchema),
    handle({ params }) {
      const guild = guilds.get(params.guild ?? '');
      switch (guild?.status) {
        case 'available':
          return ok({
            id: guild.id,
            name: guild.name,
            preferred_locale: guild.locale,
            roles: [...guild.roles.values()].map(roleObject),
          });
        case 'unavailable':
          return { status: 503, body: { message: '503: Service Unavailable', code: 0 } };
        case 'commands only':
          return missingAccess;
        default:
          return unknownGuild;
      }
    },
  },
];

/** Routes that publish the bot's commands. */
export function commandRoutes({ commands, guilds, applicationId }: World): readonly Route[] {
  const list = (isLocalized: boolean) =>
    ok(isLocalized ? commands.list() : commands.list().map(withoutLocalizations));

  function replace({ json }: Call): Reply | Denial {
    const denial = checkCommands(json);
    if (denial !== undefined) return denial;
    const bodies = json as readonly CommandBody[];
    const hasEntryPoint = (all: readonly { readonly type?: ApplicationCommandType | undefined }[]) =>
      all.some(({ type }) => type === ApplicationCommandType.PrimaryEntryPoint);
    if (hasEntryPoint(commands.list()) && !hasEntryPoint(bodies)) return entryPointRemoved;
    commands.replace(bodies);
    return list(true);
  }

  const ownAlone = (handle: (call: Call) => Reply | Denial) => (call: Call) =>
    call.params.app === applicationId ? handle(call) : otherApplication;
  const common = {
    path: '/applications/:app/commands',
    auth: 'bot',
    answers: z.array(ApplicationCommandResponseSchema),
  } as const;
  return [
    {
      ...common,
      method: 'GET',
      handle: ownAlone(({ query }) => list(query.get('with_localizations') === 'true')),
    },
    { ...common, method: 'PUT', handle: ownAlone(replace) },
    {
      // Needs no user's token, unlike changing the permissions (Discord docs: Get Guild Application Command Permissions).
      method: 'GET',
      path: '/applications/:app/guilds/:guild/commands/permissions',
      auth: 'bot',
      answers: z.array(CommandPermissionsResponseSchema),
      handle: ownAlone(({ params: { guild: guildId = '' } }) => {
        const guild = guilds.get(guildId);
        if (guild === undefined || guild.status === 'left') return missingAccess;
        const entries = [...guild.integrations].map(([id, permissions]) => ({
          id,
          application_id: applicationId,
          guild_id: guildId,
          permissions,
        }));
        return ok(entries);
      }),
    },
  ];
}
