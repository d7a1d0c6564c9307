/** Whom the operator lets use the bot, by the ids of Discord. */
export interface AccessLists {
  /** Absent: all guilds. */
  readonly allowedGuilds?: readonly string[] | undefined;
  readonly blockedGuilds?: readonly string[] | undefined;
  readonly blockedUsers?: readonly string[] | undefined;
}

export type Access = ReturnType<typeof createAccess>;

export function createAccess({ allowedGuilds, blockedGuilds, blockedUsers }: AccessLists) {
  return {
    /** What keeps a member from using the bot: the guild, or the user; `undefined`: nothing. */
    blocked(guildId: string, userId: string): 'guild' | 'user' | undefined {
      const isAllowed = allowedGuilds?.includes(guildId) ?? true;
      if (!isAllowed || blockedGuilds?.includes(guildId)) return 'guild';
      return blockedUsers?.includes(userId) ? 'user' : undefined;
    },
  };
}
