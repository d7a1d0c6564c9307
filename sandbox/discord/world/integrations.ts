/** One line of a server's Integrations page (Discord docs: Application Commands, Permissions). */
export interface Overwrite {
  readonly id: string;
  readonly type: 'role' | 'user' | 'channel';
  readonly allow: boolean;
}

/**
 * Who may use what in a guild, as its administrators set it: by command, and by application for all commands that
 * have no overwrites of their own.
 */
export interface Integrations {
  of(guildId: string, target: string): readonly Overwrite[];
  /** At most 100 for one target. Ids: a role, a member, a channel; the guild's id is @everyone, minus one all channels. */
  set(guildId: string, target: string, overwrites: readonly Overwrite[]): void;
  /** Drops what was set for a command, in every guild. */
  forget(target: string): void;
}

export function createIntegrations(): Integrations {
  const guilds = new Map<string, Map<string, readonly Overwrite[]>>();
  return {
    of: (guildId, target) => guilds.get(guildId)?.get(target) ?? [],
    set(guildId, target, overwrites) {
      if (overwrites.length > 100) throw new RangeError('a command has at most 100 overwrites');
      const targets = guilds.get(guildId) ?? new Map<string, readonly Overwrite[]>();
      targets.set(target, overwrites);
      guilds.set(guildId, targets);
    },
    forget(target) {
      for (const targets of guilds.values()) targets.delete(target);
    },
  };
}
