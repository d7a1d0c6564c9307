import type { GuildLogTiming } from './discord/guild-log.ts';

/** How long the bot waits by itself, in milliseconds, where it is not to be the usual time: a test waits for nobody. */
export interface Timing {
  /** Before Discord is asked again for a page of the guilds, try by try. */
  readonly guildListPauses?: readonly number[];
  readonly guildLog?: GuildLogTiming;
  /** What the check for guilds that were left may take when the bot stops. */
  readonly departuresStop?: number;
}
