import { GuildWithCountsResponseSchema, MyGuildResponseSchema } from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import { type GuildState, roleObject } from '../world/guilds.ts';
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
    answers: GuildWithCountsResponseSchema,
    handle({ params }) {
      const guild = guilds.get(params.guild ?? '');
      switch (guild?.status) {
        case 'available':
          return ok(guildObject(guild));
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

/** Discord docs: Guild Object. */
const guildObject = (guild: GuildState): object => ({
  id: guild.id,
  name: guild.name,
  owner_id: guild.ownerId,
  preferred_locale: guild.locale,
  roles: [...guild.roles.values()].map(roleObject),
  icon: null,
  description: null,
  home_header: null,
  splash: null,
  discovery_splash: null,
  banner: null,
  application_id: null,
  region: 'deprecated',
  features: [],
  emojis: [],
  stickers: [],
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw_level: 0,
  nsfw: false,
  premium_tier: 0,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
  afk_timeout: 300,
  afk_channel_id: null,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  widget_enabled: false,
  widget_channel_id: null,
  max_presences: null,
  max_members: 500_000,
  max_stage_video_channel_users: 50,
  max_video_channel_users: 25,
  vanity_url_code: null,
  incidents_data: null,
});
