/**
 * Says something to a guild's admins where they read it: in the log channel, if they have chosen one. It never
 * throws, since nothing that is told this way may depend on being read.
 */
export type TellGuild = (guildId: string, text: string) => Promise<void>;
