import { ChannelType } from 'discord.js';
import { type Channel, USUAL_BOT_PERMISSIONS } from './channels.ts';
import type { Snowflakes } from './snowflakes.ts';

/**
 * The guild id that Discord sends for interactions in direct messages (Discord docs: Interaction Structure, Authorizing
 * Integration Owners).
 */
export const NO_GUILD = '0';

/** The direct message channel between the bot and a user. */
export interface DirectChannel extends Channel {
  readonly userId: string;
}

/** Why Discord stops the bot from opening more channels: the bot opened them too fast, or was flagged as spam. */
type DirectMessageStop = 'opened too fast' | 'flagged as spam';

/** Stores the bot's direct message channels, one per user. A channel is created when it is first needed. */
export function createDirectMessages({ snowflakes }: { readonly snowflakes: Snowflakes }) {
  const channels = new Map<string, DirectChannel>();
  let stop: DirectMessageStop | undefined;
  return {
    stop: () => stop,
    setStop(reason: DirectMessageStop | undefined): void {
      stop = reason;
    },
    get: (channelId: string) => [...channels.values()].find(({ id }) => id === channelId),
    /** Returns the channel with this user, and creates it if necessary. */
    with(userId: string): DirectChannel {
      const channel = channels.get(userId) ?? {
        id: snowflakes.next(),
        name: '',
        type: ChannelType.DM,
        botPermissions: USUAL_BOT_PERMISSIONS,
        userId,
      };
      channels.set(userId, channel);
      return channel;
    },
    /** The users who don't accept direct messages from the bot. */
    rejecting: new Set<string>(),
  };
}
