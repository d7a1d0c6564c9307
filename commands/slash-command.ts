import { type APIApplicationCommandOption, ApplicationCommandType } from 'discord.js';
import { commandText } from '../src/words/command-text.ts';

export const slashCommand = (
  name: Parameters<typeof commandText>[0],
  options?: readonly APIApplicationCommandOption[],
) => ({
  type: ApplicationCommandType.ChatInput as const,
  ...commandText(name),
  ...(options && { options: [...options] }),
});
