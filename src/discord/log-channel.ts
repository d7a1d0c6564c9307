import {
  type APIChannel,
  type APIGuild,
  type APIGuildMember,
  type APIOverwrite,
  type APIRole,
  PermissionFlagsBits,
  PermissionsBitField,
  type REST,
  Routes,
} from 'discord.js';
import { UserError } from '../user-error.ts';
import { type LogPermission, missingText } from '../words/settings.ts';
import { memberText } from '../words/words.ts';
import type { PressContext } from './command.ts';
import { type ChannelPosts, type LogTrouble, troubleOf } from './guild-log.ts';

/** What the log needs in its channel: its entries are embeds. */
const LOG_NEEDS = ['ViewChannel', 'SendMessages', 'EmbedLinks'] as const satisfies readonly LogPermission[];

/** Where a guild's log is to be, and whom it mentions. */
export interface LogChoice {
  readonly guildId: string;
  readonly channelId?: string | undefined;
  readonly roleId?: string | undefined;
}

/** What Discord says of a guild's log channel and of the role that it mentions, at this moment. */
export interface LogState {
  /** Why nothing can be posted; `undefined` when it can, and without a channel. */
  readonly trouble: LogTrouble | undefined;
  /** What the bot lacks in the channel. */
  readonly missing: readonly LogPermission[];
  /** Why the role is not notified: it is gone, or the bot may not mention it. */
  readonly role: 'gone' | 'unmentionable' | undefined;
}

export interface LogInspectionDeps {
  /** Requests with the bot's own token. */
  readonly rest: Pick<REST, 'get'>;
  /** The bot user. */
  readonly botId: () => string;
}

/**
 * `undefined`: Discord could not be asked, or did not answer within 2 seconds, or there is neither a channel nor a
 * role to ask about. Never throws.
 */
export type InspectLog = (choice: LogChoice) => Promise<LogState | undefined>;

/** How long an admin waits for what Discord says, in milliseconds. */
const TIMEOUT_MS = 2_000;

/** Asks Discord, since nothing of a guild is in a cache: the channel, the guild's roles, and those of the bot. */
export function createLogInspection({ rest, botId }: LogInspectionDeps): InspectLog {
  async function ask({ guildId, channelId, roleId }: LogChoice): Promise<LogState> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const get = (route: `/${string}`) => rest.get(route, { signal });
    const [channel, guild, member] = await Promise.all([
      channelId === undefined
        ? undefined
        : (get(Routes.channel(channelId)) as Promise<APIChannel>).catch(refusalOf),
      get(Routes.guild(guildId)) as Promise<APIGuild>,
      get(Routes.guildMember(guildId, botId())) as Promise<APIGuildMember>,
    ]);
    const role = guild.roles.find(({ id }) => id === roleId);
    const overwrites = typeof channel === 'string' ? undefined : overwritesOf(channel);
    const may = permissionsOf(guild, { id: botId(), roles: member.roles }, overwrites);
    const missing =
      channelId === undefined || channel === 'gone'
        ? []
        : channel === 'no-access'
          ? (['ViewChannel'] as const)
          : LOG_NEEDS.filter((name) => !may.has(PermissionFlagsBits[name]));
    return {
      trouble: typeof channel === 'string' ? channel : troubleFor(missing),
      missing,
      role: roleId === undefined ? undefined : roleTrouble(role, may),
    };
  }

  return async (choice) => {
    if (choice.channelId === undefined && choice.roleId === undefined) return undefined;
    return ask(choice).catch(() => undefined);
  };
}

/** Whether a limited request is one of these questions: it is not waited for, since an admin waits. */
export const isLogQuestion = ({
  method,
  route,
}: {
  readonly method: string;
  readonly route: string;
}): boolean => method === 'GET' && (route === '/channels/:id' || route === '/guilds/:id/members/:id');

function refusalOf(error: unknown): LogTrouble {
  const trouble = troubleOf(error);
  if (trouble === undefined) throw error;
  return trouble;
}

const overwritesOf = (channel: APIChannel | undefined): readonly APIOverwrite[] | undefined =>
  channel && (('permission_overwrites' in channel && channel.permission_overwrites) || []);

const troubleFor = (missing: readonly LogPermission[]): LogTrouble | undefined =>
  missing.includes('ViewChannel') ? 'no-access' : missing.length > 0 ? 'no-permission' : undefined;

/** Discord docs: Role Object, `mentionable`; Permissions, MENTION_EVERYONE, which is for all roles too. */
function roleTrouble(role: APIRole | undefined, may: Readonly<PermissionsBitField>): LogState['role'] {
  if (role === undefined) return 'gone';
  return role.mentionable || may.has(PermissionFlagsBits.MentionEveryone) ? undefined : 'unmentionable';
}

/**
 * What a member may do in a channel (Discord docs: Permissions, "Permission Overwrites"): what its roles allow in the
 * guild, then in this order what the channel takes and gives @everyone, its roles together, and the member itself.
 * @param overwrites of the channel; without them it is what the member may in the guild as a whole
 */
export function permissionsOf(
  guild: Pick<APIGuild, 'id'> & { readonly roles: readonly Pick<APIRole, 'id' | 'permissions'>[] },
  member: { readonly id: string; readonly roles: readonly string[] },
  overwrites?: readonly APIOverwrite[],
): Readonly<PermissionsBitField> {
  const has = (id: string) => id === guild.id || member.roles.includes(id);
  const union = (bits: readonly string[]) => bits.reduce((sum, each) => sum | BigInt(each), 0n);
  const ofRoles = union(guild.roles.filter(({ id }) => has(id)).map(({ permissions }) => permissions));
  const targets = [
    (id: string) => id === guild.id,
    (id: string) => id !== guild.id && has(id),
    (id: string) => id === member.id,
  ];
  const isAdministrator = (ofRoles & PermissionFlagsBits.Administrator) !== 0n;
  if (overwrites === undefined || isAdministrator)
    return new PermissionsBitField(isAdministrator ? PermissionsBitField.All : ofRoles).freeze();
  const here = targets.reduce((may, isTarget) => {
    const some = overwrites.filter(({ id }) => isTarget(id));
    return (may & ~union(some.map(({ deny }) => deny))) | union(some.map(({ allow }) => allow));
  }, ofRoles);
  // Who does not see a channel may do nothing in it.
  return new PermissionsBitField((here & PermissionFlagsBits.ViewChannel) === 0n ? 0n : here).freeze();
}

export interface LogChoiceDeps {
  readonly posts: ChannelPosts;
  readonly inspectLog: InspectLog;
  /** Where the bot user can be added to a guild that has the commands alone; `undefined` when it is there, or nobody knows. */
  readonly addBotLink: (guildId: string) => Promise<string | undefined>;
}

/**
 * The channel that was chosen for the log, after a first message in it.
 * @throws UserError when the log cannot be there; the permissions that are missing are named
 */
export async function chosenLogChannel(
  context: PressContext,
  { posts, addBotLink }: LogChoiceDeps,
): Promise<string> {
  const { t, guildT, user } = context;
  const [chosen] = context.channels;
  if (!chosen) throw new UserError(t('settings.channelGone'));
  const channelId = chosen.id;
  const link = await addBotLink(context.guildId);
  if (link !== undefined) throw new UserError(t('settings.logNeedsBot', { link }));
  // Discord says what the bot may do there; should it not, the first message tells.
  const missing = LOG_NEEDS.filter((name) => chosen.botPermissions?.has(PermissionFlagsBits[name]) === false);
  if (missing.length > 0) throw new UserError(missingText(context, channelId, missing));
  const description = guildT('guildLog.opened', { member: memberText(user) });
  switch (await posts.post(channelId, { embed: { description } })) {
    case 'gone':
      throw new UserError(t('settings.channelGone'));
    case 'no-access':
      throw new UserError(missingText(context, channelId, ['ViewChannel']));
    case 'no-permission':
      throw new UserError(missingText(context, channelId, ['SendMessages', 'EmbedLinks']));
    case 'failed':
      throw new UserError(t('settings.channelUntested', { channelId }));
    case 'posted':
      return channelId;
  }
}

/**
 * The role that was chosen to be notified.
 * @throws UserError when it cannot be: @everyone never, and none that the bot may not mention
 */
export async function chosenRole(
  context: PressContext,
  { inspectLog, addBotLink }: Pick<LogChoiceDeps, 'inspectLog' | 'addBotLink'>,
  logChannelId: string | undefined,
): Promise<string> {
  const { t, guildId } = context;
  const [roleId] = context.roles;
  if (roleId === undefined) throw new UserError(t('settings.roleGone'));
  if (roleId === guildId) throw new UserError(t('settings.roleEveryone'));
  const found = await inspectLog({ guildId, channelId: logChannelId, roleId });
  if (found === undefined) {
    const link = await addBotLink(guildId);
    throw new UserError(
      link === undefined ? t('settings.roleUntested', { roleId }) : t('settings.logNeedsBot', { link }),
    );
  }
  if (found.role === 'gone') throw new UserError(t('settings.roleGone'));
  if (found.role === 'unmentionable')
    throw new UserError(t('settings.roleUnmentionable', { roleId, mend: t('settings.roleMend') }));
  return roleId;
}
