import { ChannelType } from 'discord.js';
import { type Channel, USUAL_BOT_PERMISSIONS } from './channels.ts';
import type { Snowflakes } from './snowflakes.ts';

/** The guild id outside a guild (Discord docs: Interaction Structure, Authorizing Integration Owners). */
export const NO_GUILD = '0';

/** The direct channel of the bot and one user. */
export interface DirectChannel extends Channel {
  readonly userId: string;
}

/** The reason why Discord opens no channel for the bot: too many were opened, or its anti-spam system has flagged the bot. */
export type DirectMessageStop = 'opened too fast' | 'flagged as spam';

/** Creates the bot's direct channels: one per user, from the first message of either. */
export function createDirectMessages({ snowflakes }: { readonly snowflakes: Snowflakes }) {
  const channels = new Map<string, DirectChannel>();
  let stop: DirectMessageStop | undefined;
  return {
    stop: () => stop,
    setStop(reason: DirectMessageStop | undefined): void {
      stop = reason;
    },
    get: (channelId: string) => [...channels.values()].find(({ id }) => id === channelId),
    /** Returns the channel with a user, which stays the same. */
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
    /** The users who reject the bot's direct messages. */
    refusing: new Set<string>(),
  };
}
