import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import type { Command, Context, Reply } from '../src/discord/command.ts';
import { pageOf, readPage } from '../src/discord/components/pager.ts';
import { LIMITS } from '../src/discord/limits.ts';
import { isAllowed } from '../src/discord/permission.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { csvFiles } from '../src/server-lists/csv-output.ts';
import type { History, HistoryFilter } from '../src/submissions/history.ts';
import { UserError } from '../src/user-error.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { gameChoices } from '../src/words/games.ts';
import { cut } from '../src/words/shorten.ts';
import {
  gameMark,
  historyFilter,
  LONGEST_SERVER_FILTER,
  readFilter,
  type SubmissionFilter,
} from './submissions-filter.ts';
import { fileHeading, fileRow, PER_PAGE, submissionsView } from './submissions-view.ts';

export interface SubmissionsDeps {
  readonly history: Pick<History, 'count' | 'page' | 'all' | 'games' | 'isFull'>;
  readonly games: Pick<GameCatalog, 'find' | 'search' | 'list'>;
}

/** /submissions: what was submitted in this guild, in pages whose buttons carry the filter, and as a file. */
export function submissionsCommand({ history, games }: SubmissionsDeps): Command {
  const nameOf = (alias: string) => games.find(alias)?.name ?? alias;

  /**
   * Members see their own entries only, whatever a button or option asks for.
   * @throws UserError when they ask for those of another member
   */
  function permitted(context: Context, filter: SubmissionFilter): SubmissionFilter {
    if (isAllowed(context, 'manage-guild')) return filter;
    if (filter.userId !== '' && filter.userId !== context.user.id) {
      throw new UserError(context.t('submissions.othersNotAllowed'));
    }
    return { ...filter, userId: context.user.id };
  }

  const wanted = (context: Context, filter: SubmissionFilter): Promise<HistoryFilter> =>
    historyFilter(permitted(context, filter), [
      () => games.list().games.map(({ alias }) => alias),
      () => history.games(context.guildId),
    ]);

  async function show(context: Context, filter: SubmissionFilter, wantedPage: number): Promise<Reply> {
    const { guildId } = context;
    const which = await wanted(context, filter);
    const count = await history.count(guildId, which);
    const page = pageOf({ count, perPage: PER_PAGE, wanted: wantedPage });
    const entries = await history.page(guildId, which, page);
    const isFull = await history.isFull(guildId);
    return submissionsView(context, { entries, count, filter, page, isFull, nameOf });
  }

  async function* rows(
    context: Context,
    which: HistoryFilter,
  ): AsyncGenerator<readonly (readonly string[])[]> {
    for await (const entries of history.all(context.guildId, which)) {
      yield entries.map((entry) => fileRow(context, entry));
    }
  }

  /** All entries as files; what does not fit into those of one message is said. */
  async function exported(context: Context, filter: SubmissionFilter): Promise<Reply> {
    const { t } = context;
    const which = await wanted(context, filter);
    const count = await history.count(context.guildId, which);
    const found = await csvFiles(rows(context, which), {
      heading: fileHeading(context),
      mostBytes: LIMITS.fileBytes,
      mostFiles: LIMITS.files,
    });
    const left = Math.max(0, count - found.rows);
    return {
      content: [
        t('submissions.exported', { count: found.rows }),
        ...(found.files.length > 1 ? [t('submissions.inFiles', { count: found.files.length })] : []),
        ...(left > 0 ? [t('submissions.leftOut', { count: left })] : []),
      ].join('\n'),
      files: found.files.map((data, i) => ({
        name: found.files.length === 1 ? 'submissions.csv' : `submissions-${i + 1}.csv`,
        data,
      })),
    };
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('submissions'),
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
    async run(context) {
      const game = (context.options.getString('game') ?? '').trim();
      const filter: SubmissionFilter = {
        userId: context.options.getUser('member')?.id ?? '',
        game: game === '' ? '' : gameMark(games.find(game)?.alias ?? game),
        server: cut((context.options.getString('server') ?? '').trim(), LONGEST_SERVER_FILTER),
      };
      return show(context, filter, 1);
    },
    presses: {
      page: {
        answer: 'update',
        async run(context) {
          const { wanted: page, state } = readPage(context.argument);
          return show(context, readFilter(state), page);
        },
      },
      export: {
        answer: 'reply',
        run: (context) => exported(context, readFilter(readPage(context.argument).state)),
      },
    },
  };
}
