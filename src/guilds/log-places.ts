import type { GuildSettings, Settings } from './settings.ts';

/** Where each guild's log is, and what is wrong with the channel, as its settings have them. */
export function logPlaces(settings: Pick<GuildSettings, 'get' | 'change'>) {
  return {
    async placeOf(guildId: string) {
      const { logChannelId: channelId, locale, logTrouble: trouble } = await settings.get(guildId);
      return channelId === undefined ? undefined : { channelId, locale, trouble };
    },
    async noteTrouble(guildId: string, channelId: string, trouble: Settings['logTrouble']) {
      await settings.change(guildId, (now) => {
        // Another channel may have been chosen meanwhile.
        if (now.logChannelId !== channelId) return now;
        const { logTrouble: _former, ...others } = now;
        return trouble === undefined ? others : { ...others, logTrouble: trouble };
      });
    },
  };
}
