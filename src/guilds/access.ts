/** The guilds and users that the operator allows or blocks, as Discord ids. */
export interface AccessLists {
  /** The only guilds allowed to use the bot. If omitted, all guilds are allowed. */
  readonly allowedGuilds?: readonly string[] | undefined;
  readonly blockedGuilds?: readonly string[] | undefined;
  readonly blockedUsers?: readonly string[] | undefined;
}

export type Access = ReturnType<typeof createAccess>;

export function createAccess({ allowedGuilds, blockedGuilds, blockedUsers }: AccessLists) {
  return {
    blocked(guildId: string, userId: string): 'guild' | 'user' | undefined {
      const isAllowed = allowedGuilds?.includes(guildId) ?? true;
      if (!isAllowed || blockedGuilds?.includes(guildId)) return 'guild';
      return blockedUsers?.includes(userId) ? 'user' : undefined;
    },
  };
}
