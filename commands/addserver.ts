import { ApplicationCommandOptionType } from 'discord.js';
import { MAX_PORT, MIN_PORT } from '../src/addresses/port.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type { Command } from '../src/interactions/command.ts';
import { EMPTY_ROW } from '../src/server-lists/row.ts';
import { optionText } from '../src/words/command-text.ts';
import { gameChoices } from '../src/words/games.ts';
import type { CommandDeps } from './deps.ts';
import { slashCommand } from './slash-command.ts';
import { enterFields, fieldsOf } from './submit/enter-fields.ts';
import { fromPanel } from './submit/game-field.ts';
import { submitId } from './submit/ids.ts';
import { fieldsModal, MAX_ADDRESS_FIELD_LENGTH } from './submit/modals.ts';

const portOption = (name: 'port' | 'query_port') => ({
  type: ApplicationCommandOptionType.Integer as const,
  ...optionText('addserver', name),
  min_value: MIN_PORT,
  max_value: MAX_PORT,
});

const DATA = slashCommand('addserver', [
  {
    type: ApplicationCommandOptionType.String,
    ...optionText('addserver', 'game'),
    required: true,
    autocomplete: true,
    min_length: 1,
    max_length: LIMITS.choiceValue,
  },
  {
    type: ApplicationCommandOptionType.String,
    ...optionText('addserver', 'server'),
    required: true,
    min_length: 1,
    max_length: MAX_ADDRESS_FIELD_LENGTH,
  },
  portOption('port'),
  portOption('query_port'),
]);

export const addServer = (deps: CommandDeps): Command => ({
  data: DATA,
  answers: 'later',
  complete: async ({ guildId }, typed) => gameChoices(await deps.suggestions.games(guildId, typed)),
  run: (context) => enterFields(context, context.interactionId, fieldsOf(context), deps),
  presses: {
    // Handles a panel's button, which never expires. The argument is the game to preselect in the modal.
    new: {
      answers: 'modal',
      replaces: async () => [DATA.name],
      run: (context) =>
        fromPanel(context, deps, () =>
          fieldsModal(context, submitId('fields'), { ...EMPTY_ROW, game: context.argument }, deps),
        ),
    },
  },
});
