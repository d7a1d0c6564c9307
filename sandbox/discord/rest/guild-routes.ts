import { GuildWithCountsResponseSchema, MyGuildResponseSchema } from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import type { World } from '../world/world.ts';
import { missingAccess, unknownGuild } from './denial.ts';
import { ok, type Route } from './route.ts';

/** The guilds that a bot is in: the list, and one of them. */
export const guildRoutes = ({ guilds }: World): readonly Route[] => [
  {
    // Ascending by id, pages of at most 200 (Discord docs: User, Get Current User Guilds).
    method: 'GET',
    path: '/users/@me/guilds',
    auth: 'bot',
    answers: z.array(MyGuildResponseSchema),
    handle({ query }) {
      const after = BigInt(query.get('after') ?? 0);
      const limit = Math.min(Number(query.get('limit') ?? 200), guilds.pageSize);
      const page = guilds
        .joined()
        .filter(({ id }) => BigInt(id) > after)
        .slice(0, limit);
      const shown = { icon: null, banner: null, owner: false, permissions: '0', features: [] };
      return ok(page.map(({ id, name }) => ({ id, name, ...shown })));
    },
  },
  {
    method: 'GET',
    path: '/guilds/:guild',
    auth: 'bot',
    // Of a guild, what this bot reads.
    answers: z.partial(GuildWithCountsResponseSchema),
    handle({ params }) {
      const guild = guilds.get(params.guild ?? '');
      switch (guild?.status) {
        case 'available':
          return ok({ id: guild.id, name: guild.name, preferred_locale: guild.locale });
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
