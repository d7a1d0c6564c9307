import type { Upload } from '../contract.ts';
import { partialChannel } from '../world/channels.ts';
import { roleObject } from '../world/guilds.ts';
import type { World } from '../world/world.ts';
import { type Actor, partialMember, user } from './member.ts';

/** Collects `resolved`: what the ids in an interaction stand for (Discord docs: Interactions, Resolved Data). */
export interface Resolved {
  user(id: string): void;
  role(id: string): void;
  channel(id: string): void;
  mentionable(id: string): void;
  /** Uploads it, and returns its id. */
  file(upload: Upload): string;
  /** Whether an id stood for something. */
  knows(id: string): boolean;
  /** `undefined` when nothing was collected. */
  all(): object | undefined;
}

export function createResolved(world: World, actor: Actor): Resolved {
  const kinds = new Map<string, Map<string, unknown>>();
  const add = (kind: string, id: string, value: unknown) => {
    kinds.set(kind, (kinds.get(kind) ?? new Map<string, unknown>()).set(id, value));
  };

  function addUser(id: string): void {
    const member = actor.guild?.members.get(id);
    if (id === world.bot.id) add('users', id, world.bot);
    else if (member !== undefined) {
      add('users', id, user(member));
      add('members', id, partialMember(member));
    } else if (id === actor.userId) add('users', id, user(actor));
  }

  function addRole(id: string): void {
    const role = actor.guild?.roles.get(id);
    if (role !== undefined)
      add('roles', id, roleObject(role, [...(actor.guild?.roles.keys() ?? [])].indexOf(id)));
  }

  return {
    user: addUser,
    role: addRole,
    channel(id) {
      const { guild, member } = actor;
      const channel = guild?.channels.get(id);
      if (guild === undefined || channel === undefined) return;
      const about = { guild, lastMessageId: world.messages.lastIn(id) };
      const memberPermissions = member?.permissions ?? 0n;
      add('channels', id, partialChannel(channel, { ...about, memberPermissions }));
    },
    mentionable(id) {
      addUser(id);
      addRole(id);
    },
    file({ filename, bytes, size, contentType }) {
      const attachment = world.files.keep({
        filename,
        bytes,
        size,
        contentType,
        ephemeral: true,
        owner: world.applicationId,
      });
      add('attachments', attachment.id, attachment);
      return attachment.id;
    },
    knows: (id) => [...kinds.values()].some((values) => values.has(id)),
    all: () =>
      kinds.size === 0
        ? undefined
        : Object.fromEntries([...kinds].map(([kind, values]) => [kind, Object.fromEntries(values)])),
  };
}
