import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import type { Call, Command } from '../src/discord/command.ts';
import { cut } from '../src/discord/limits.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { commandText, optionText } from '../src/locales/command-text.ts';
import { csvFile } from '../src/submissions/csv-output.ts';
import type { History, HistoryEntry } from '../src/submissions/history.ts';
import { UserError } from '../src/user-error.ts';
import { gameChoices } from './game-choices.ts';
import { GUILD_ONLY } from './guild-only.ts';
import { isManager } from './may-manage.ts';
import {
  filtered,
  gameMark,
  LONGEST_SERVER_FILTER,
  readFilter,
  type SubmissionFilter,
} from './submissions-filter.ts';
import { submissionsFile, submissionsView } from './submissions-view.ts';

export interface SubmissionsDeps {
  readonly history: Pick<History, 'list'>;
  readonly games: Pick<GameCatalog, 'find' | 'search'>;
}

/** /submissions: what was submitted in this guild, in pages whose buttons carry the filter, and as a file. */
export function submissionsCommand({ history, games }: SubmissionsDeps): Command {
  const nameOf = (alias: string) => games.find(alias)?.name ?? alias;

  /**
   * Members see their own entries only, whatever a button or option asks for.
   * @throws UserError when they ask for those of another member
   */
  function permitted(call: Call, filter: SubmissionFilter): SubmissionFilter {
    if (isManager(call)) return filter;
    if (filter.userId !== '' && filter.userId !== call.user.id) {
      throw new UserError(call.t('submissions.othersNotAllowed'));
    }
    return { ...filter, userId: call.user.id };
  }

  async function entries(call: Call, filter: SubmissionFilter): Promise<readonly HistoryEntry[]> {
    return filtered(await history.list(call.guildId), permitted(call, filter));
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('submissions'),
      ...GUILD_ONLY,
      options: [
        { type: ApplicationCommandOptionType.User, ...optionText('submissions', 'member') },
        {
          type: ApplicationCommandOptionType.String,
          ...optionText('submissions', 'game'),
          autocomplete: true,
          max_length: 100,
        },
        {
          type: ApplicationCommandOptionType.String,
          ...optionText('submissions', 'server'),
          max_length: LONGEST_SERVER_FILTER,
        },
      ],
    },
    audience: 'member',
    complete: (_call, typed) => gameChoices(games.search(typed)),
    async run(call) {
      const game = (call.options.getString('game') ?? '').trim();
      const filter: SubmissionFilter = {
        userId: call.options.getUser('member')?.id ?? '',
        game: game === '' ? '' : gameMark(games.find(game)?.alias ?? game),
        server: cut((call.options.getString('server') ?? '').trim(), LONGEST_SERVER_FILTER),
      };
      return submissionsView(call, { entries: await entries(call, filter), filter, page: 1, nameOf });
    },
    presses: {
      page: {
        answer: 'update',
        async run(call) {
          const { page, filter } = readFilter(call.argument);
          return submissionsView(call, { entries: await entries(call, filter), filter, page, nameOf });
        },
      },
      export: {
        answer: 'reply',
        async run(call) {
          const found = await entries(call, readFilter(call.argument).filter);
          const data = Buffer.from(csvFile(submissionsFile(call, found)));
          return {
            content: call.t('submissions.exported', { count: found.length }),
            files: [{ name: 'submissions.csv', data }],
          };
        },
      },
    },
  };
}
