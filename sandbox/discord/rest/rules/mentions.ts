import type { Flaw, Path } from './flaws.ts';
import type { AllowedMentions, ComponentBody, MessageBody } from './message-body.ts';

/** Rule 44: a kind may be parsed from the text or listed by id, not both. */
export function mentionFlaws(allowed: AllowedMentions, at: Path): Flaw[] {
  return (['users', 'roles'] as const)
    .filter((kind) => allowed?.parse?.includes(kind) && (allowed[kind]?.length ?? 0) > 0)
    .map((kind) => ({
      rule: 44,
      path: at,
      code: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
      message: `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
    }));
}

/** Discord docs: Message, Allowed Mentions. */
const PINGED_BY_INTERACTIONS = ['users'];
export const PINGED_BY_CHANNEL_MESSAGES = ['users', 'roles', 'everyone'];

/** Whom a message pings: ids, and whether everyone (or everyone who is online) is. */
export interface Pings {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
}

/**
 * Whom a text would ping (rule 44). Without `allowed_mentions` an interaction's message pings users only, and one
 * that a bot posts in a channel whoever it names. A mention in a code block counts too, although Discord would not
 * ping: a test should rather hear of one ping too many.
 */
export function resolveMentions(
  text: string,
  allowed: AllowedMentions,
  unlessSaid: readonly string[] = PINGED_BY_INTERACTIONS,
): Pings {
  const { parse, users, roles } = allowed ?? { parse: unlessSaid };
  const named = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].flatMap(([, id]) => id ?? []))];
  const may = (kind: string, ids: readonly (string | null)[] | null | undefined) => (id: string) =>
    parse?.includes(kind) || ids?.includes(id);
  return {
    users: named(/<@!?(\d+)>/g).filter(may('users', users)),
    roles: named(/<@&(\d+)>/g).filter(may('roles', roles)),
    everyone: Boolean(parse?.includes('everyone')) && /@(everyone|here)\b/.test(text),
  };
}

/**
 * Those of the roles that a message of a channel pings. One that the bot lists by id has to be mentionable by anyone,
 * or the bot to have the permission "Mention @everyone, @here, and All Roles" there (Discord docs: Permissions,
 * MENTION_EVERYONE; Role Object, `mentionable`; discord-api-docs#1604): else it is only shown. A role of that id there
 * has to be, and @everyone is none that can be pinged so. What was not listed, and so perhaps not meant, counts
 * always: a test should rather hear of one ping too many.
 */
export function pingedRoles(
  named: readonly string[],
  allowed: AllowedMentions,
  { everyoneId, isMentionable }: RolesThere,
): readonly string[] {
  return named.filter((id) => !allowed?.roles?.includes(id) || (id !== everyoneId && isMentionable(id)));
}

export interface RolesThere {
  /** The guild's id, which is that of its role @everyone. */
  readonly everyoneId: string;
  /** Whether the bot may mention this role there. */
  readonly isMentionable: (id: string) => boolean;
}

/** The text of a message that can ping: its content and its text displays, never its embeds. */
export function pingingText({ content, components }: Pick<MessageBody, 'content' | 'components'>): string {
  const below = (component: ComponentBody): string[] => [
    component.content ?? '',
    ...(component.components ?? []).flatMap(below),
  ];
  return [content ?? '', ...(components ?? []).flatMap(below)].filter((text) => text !== '').join('\n');
}
