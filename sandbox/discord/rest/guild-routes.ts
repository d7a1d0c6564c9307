import {
  GuildMemberResponseSchema,
  GuildWithCountsResponseSchema,
  MyGuildResponseSchema,
} from 'discord-api-spec/zod';
import { array } from 'zod/mini';
import { guildUpdate } from '../gateway/payloads.ts';
import { type GuildState, isMember } from '../world/guilds.ts';
import { timestamp, userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';
import { type Denial, missingAccess } from './denial.ts';
import { noContent, ok, type Reply, type Route } from './route.ts';
import { type Flaw, invalidForm } from './rules/flaws.ts';

const unknownMember: Denial = {
  blameless: true,
  rule: 53,
  status: 404,
  code: 10007,
  message: 'Unknown Member',
};
const unknownGuild: Denial = { rule: 53, status: 404, code: 10004, message: 'Unknown Guild' };

/** The guilds a bot is in: the list, one of them, leaving one. */
export function guildRoutes(world: World, remove: (guildId: string) => void): readonly Route[] {
  return [
    {
      // Ascending by id, pages of at most 200 (Discord docs: User, Get Current User Guilds).
      method: 'GET',
      path: '/users/@me/guilds',
      auth: 'bot',
      answers: array(MyGuildResponseSchema),
      handle({ query }) {
        const refusal = invalidForm(pageFlaws(query));
        if (refusal !== undefined) return refusal;
        const limit = Math.min(Number(query.get('limit') ?? 200), world.guilds.pageSize);
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
      answers: 'nothing',
      handle({ params }) {
        const guild = world.guilds.get(params.guild ?? '');
        if (guild === undefined || !isMember(guild)) return unknownGuild;
        remove(guild.id);
        return noContent;
      },
    },
    {
      // To ask is the only way to know, so a refusal breaks no rule.
      method: 'GET',
      path: '/guilds/:guild',
      auth: 'bot',
      answers: GuildWithCountsResponseSchema,
      handle({ params }) {
        const guild = world.guilds.get(params.guild ?? '');
        return guild?.status === 'available' ? ok(guildObject(guild)) : closedGuild(guild);
      },
    },
    {
      // One member by its id takes no intent (Discord docs: Guild, Get Guild Member).
      method: 'GET',
      path: '/guilds/:guild/members/:user',
      auth: 'bot',
      answers: GuildMemberResponseSchema,
      handle({ params }) {
        const guild = world.guilds.get(params.guild ?? '');
        if (guild?.status !== 'available') return closedGuild(guild);
        const userId = params.user ?? '';
        if (userId === world.bot.id) return ok(memberObject(world.bot, [], timestamp(world.clock.now())));
        const member = guild.members.get(userId);
        return member === undefined
          ? unknownMember
          : ok(memberObject(userObject({ id: userId, name: member.name }), member.roles, member.joinedAt));
      },
    },
  ];
}

/** Why a guild that is not there says nothing. */
function closedGuild(guild: GuildState | undefined): Denial | Reply {
  if (guild?.status === 'commands only') return { ...missingAccess, blameless: true };
  return guild?.status === 'unavailable'
    ? { status: 503, body: { message: '503: Service Unavailable', code: 0 } }
    : { ...unknownGuild, blameless: true };
}

/** Discord docs: Guild Member Object. */
const memberObject = (user: object, roles: readonly string[], joinedAt: string) => ({
  user,
  nick: null,
  avatar: null,
  banner: null,
  roles,
  joined_at: joinedAt,
  premium_since: null,
  deaf: false,
  mute: false,
  flags: 0,
  pending: false,
  communication_disabled_until: null,
});

/** Discord docs: Guild Object. */
function guildObject(guild: GuildState): object {
  return {
    ...guildUpdate(guild),
    description: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    application_id: null,
    region: 'deprecated',
    widget_enabled: false,
    widget_channel_id: null,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_subscription_count: 0,
    safety_alerts_channel_id: null,
    incidents_data: null,
  };
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
