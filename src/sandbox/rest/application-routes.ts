import type { World } from '../world/world.ts';
import { noContent, ok, type Route } from './route.ts';
import { type Flaw, invalidForm } from './rules/refusal.ts';

/** What a bot asks about itself and about the gateway. */
export function applicationRoutes(
  world: World,
  gateway: {
    /** The answer of `GET /gateway/bot` (Discord docs: Gateway, Get Gateway Bot). */
    readonly connectionInfo: () => { readonly url: string };
    readonly remove: (guildId: string) => void;
  },
): readonly Route[] {
  const application = () => ({
    id: world.applicationId,
    name: world.bot.username,
    icon: null,
    description: '',
    bot: world.bot,
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: 0,
    approximate_guild_count: world.guilds.joined().length,
    integration_types_config: { 0: {} },
  });

  return [
    {
      method: 'GET',
      path: '/gateway',
      auth: 'none',
      handle: () => ok({ url: gateway.connectionInfo().url }),
    },
    { method: 'GET', path: '/gateway/bot', auth: 'bot', handle: () => ok(gateway.connectionInfo()) },
    { method: 'GET', path: '/users/@me', auth: 'bot', handle: () => ok(world.bot) },
    { method: 'GET', path: '/applications/@me', auth: 'bot', handle: () => ok(application()) },
    { method: 'GET', path: '/oauth2/applications/@me', auth: 'bot', handle: () => ok(application()) },
    {
      // The list of guilds: ascending by id, pages of at most 200 (Discord docs: User, Get Current User Guilds).
      method: 'GET',
      path: '/users/@me/guilds',
      auth: 'bot',
      handle({ query }) {
        const refusal = invalidForm(pageFlaws(query));
        if (refusal !== undefined) return refusal;
        const limit = Number(query.get('limit') ?? 200);
        const after = BigInt(query.get('after') ?? 0);
        const before = query.get('before');
        const within = world.guilds
          .joined()
          .filter(({ id }) => BigInt(id) > after && (before === null || BigInt(id) < BigInt(before)));
        const page = before === null ? within.slice(0, limit) : within.slice(-limit);
        return ok(
          page.map(({ id, name }) => ({
            id,
            name,
            icon: null,
            banner: null,
            owner: false,
            permissions: '0',
            features: [],
          })),
        );
      },
    },
    {
      // Leaving a guild: the bot is then told so like of any other removal (rule 53).
      method: 'DELETE',
      path: '/users/@me/guilds/:guild',
      auth: 'bot',
      handle({ params }) {
        const guild = world.guilds.get(params.guild ?? '');
        if (guild === undefined || guild.status === 'left')
          return { rule: 53, status: 404, code: 10004, message: 'Unknown Guild' };
        gateway.remove(guild.id);
        return noContent;
      },
    },
  ];
}

/** Rule 10 for `before` and `after`; how many there may be on a page is in Discord's documentation of the route. */
function pageFlaws(query: URLSearchParams): Flaw[] {
  const ids = ['before', 'after'].flatMap((name): Flaw[] => {
    const id = query.get(name) ?? '0';
    const message = `Value "${id}" is not snowflake.`;
    return /^\d{1,20}$/.test(id) ? [] : [{ rule: 10, path: [name], code: 'NUMBER_TYPE_COERCE', message }];
  });
  const limit = query.get('limit') ?? '200';
  const message = 'int value should be between 1 and 200.';
  const fits = /^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 200;
  return fits ? ids : [...ids, { rule: 1, path: ['limit'], code: 'NUMBER_TYPE_MAX', message }];
}
