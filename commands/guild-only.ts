import { ApplicationIntegrationType, InteractionContextType } from 'discord.js';

/** Where every command of the bot is: in guilds only, and only where the bot itself is installed. */
export const GUILD_ONLY = {
  contexts: [InteractionContextType.Guild],
  integration_types: [ApplicationIntegrationType.GuildInstall],
};
