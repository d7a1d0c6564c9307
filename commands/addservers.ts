import { ApplicationCommandOptionType } from 'discord.js';
import { LIMITS } from '../src/discord/limits.ts';
import type { Command } from '../src/interactions/command.ts';
import { optionText } from '../src/words/command-text.ts';
import { gameChoices } from '../src/words/games.ts';
import type { CommandDeps } from './deps.ts';
import { slashCommand } from './slash-command.ts';
import { enterList } from './submit/enter-list.ts';
import { fromPanel } from './submit/game-field.ts';
import { FILE_TYPES, listModal } from './submit/modals.ts';

const DATA = slashCommand('addservers', [
  {
    type: ApplicationCommandOptionType.Attachment,
    ...optionText('addservers', 'file'),
    file_types: [...FILE_TYPES],
  },
  {
    type: ApplicationCommandOptionType.String,
    ...optionText('addservers', 'game'),
    autocomplete: true,
    max_length: LIMITS.choiceValue,
  },
]);

export const addServers = (deps: CommandDeps): Command => ({
  data: DATA,
  answers: ({ file }) => (file('file') ? 'later' : 'modal'),
  complete: async ({ guildId }, typed) => gameChoices(await deps.suggestions.games(guildId, typed)),
  async run(context) {
    const { field, file } = context;
    if (file('file')) return enterList(context, deps);
    return listModal(context, { game: field('game').trim() }, deps);
  },
  presses: {
    // Handles a panel's button, which never expires. The argument is the game to preselect in the modal.
    new: {
      answers: 'modal',
      replaces: async () => [DATA.name],
      run: (context) => fromPanel(context, deps, () => listModal(context, { game: context.argument }, deps)),
    },
  },
});
