import { ChannelType } from 'discord.js';
import { type Channel, USUAL_BOT_PERMISSIONS } from './channels.ts';
import type { Snowflakes } from './snowflakes.ts';

/** What stands for a guild's id where there is none (Discord docs: Interaction Structure, Authorizing Integration Owners). */
export const NO_GUILD = '0';

/** What the bot and one person have for themselves. */
export interface DirectChannel extends Channel {
  readonly userId: string;
}

/** Why Discord opens no channel for the bot: too many were opened, or its anti-spam system has flagged the bot. */
export type DirectMessageStop = 'opened too fast' | 'flagged as spam';

/** The channels of the bot's direct messages: one for each person, from the first message of either. */
export function createDirectMessages({ snowflakes }: { readonly snowflakes: Snowflakes }) {
  const channels = new Map<string, DirectChannel>();
  let stop: DirectMessageStop | undefined;
  return {
    stop: () => stop,
    setStop(reason: DirectMessageStop | undefined): void {
      stop = reason;
    },
    get: (channelId: string) => [...channels.values()].find(({ id }) => id === channelId),
    /** The same for the same person, each time. */
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
    /** Who takes none of the bot. */
    refusing: new Set<string>(),
  };
}
