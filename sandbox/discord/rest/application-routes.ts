import {
  GatewayBotResponseSchema,
  GatewayResponseSchema,
  PrivateApplicationResponseSchema,
} from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import type { Endpoint } from '../endpoint.ts';
import type { World } from '../world/world.ts';
import { ok, type Route } from './route.ts';

/** What the owner of the application has set on its pages; by default as this bot's README asks. */
export interface ApplicationSettings {
  readonly bot_public?: boolean;
  readonly bot_require_code_grant?: boolean;
  /** The Installation page: what "Add App" asks for, by kind of installation (0 guild, 1 user). */
  readonly integration_types_config?: Readonly<
    Record<string, { readonly oauth2_install_params?: InstallParams }>
  >;
  readonly install_params?: InstallParams;
  readonly custom_install_url?: string;
}

interface InstallParams {
  readonly scopes: readonly string[];
  readonly permissions: string;
}

/** What a bot asks about itself and about the gateway. */
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
      // The doctor reads the time of its answer.
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
