import { ApplicationCommandOptionType } from 'discord.js';
import type { Command, Context, Reply } from '../src/interactions/command.ts';
import { button, customId, rows } from '../src/interactions/controls.ts';
import { pageButtons, pageFooter, pageOf, readPage } from '../src/interactions/pager.ts';
import type { Game } from '../src/listing/contract.ts';
import { type AllowedGames, gamesAmong } from '../src/listing/game-search.ts';
import { optionText } from '../src/words/command-text.ts';
import { cut, escapeCode, escapeText } from '../src/words/escape.ts';
import { gameChoices } from '../src/words/games.ts';
import { namedText, sentences } from '../src/words/sentences.ts';
import type { CommandDeps } from './deps.ts';
import { slashCommand } from './slash-command.ts';

/** Short enough for the custom id of the page buttons (100 characters) to carry it. */
const MAX_SEARCH_LENGTH = 60;
const GAMES_PER_PAGE = 20;
/** UTF-16 units of a name: 20 lines, the heading and the source fit into the 4,096 units of an embed. */
const LONGEST_LISTED_NAME = 85;
const LONGEST_ALIAS = 80;
/** How many games that may not be submitted here are named. */
const MOST_NOT_ALLOWED = 5;

/** /games: names and aliases, in pages whose buttons carry all their state, so that they survive a restart. */
export function gamesCommand({ games, settings, suggestions }: CommandDeps): Command {
  /** @param isShort whether the games that are not allowed here are named above the list */
  async function page(context: Context, search: string, wanted: number, isShort = false): Promise<Reply> {
    const { t } = context;
    const { games: chosen } = await settings.getOrThrow(context.guildId);
    const among = gamesAmong(games, chosen);
    const found = search === '' ? among.all : among.search(search, among.all.length);
    const notAllowed = chosen === undefined || isShort ? '' : notAllowedText(context, search, among);
    if (found.length === 0) {
      if (notAllowed === '') {
        const all = button(customId('games', 'all'), t('games.showAll'), 'primary');
        return { content: t('games.none', { search: escapeText(search) }), components: rows([all]) };
      }
      const allowed = among.all.length === 0 ? {} : await page(context, '', 1, true);
      return { ...allowed, content: notAllowed };
    }
    const current = pageOf({ count: found.length, perPage: GAMES_PER_PAGE, wanted });
    const shown = found.slice(current.offset, current.offset + current.limit);
    const count = { count: found.length };
    const heading =
      search === '' ? t('games.total', count) : t('games.found', { ...count, search: escapeText(search) });
    const embed = {
      title: t('games.title'),
      description: [
        heading,
        '',
        ...shown.map(line),
        '',
        ...(chosen === undefined ? [] : [sentences(t('games.chosen'), notAllowed)]),
        source(context),
      ].join('\n'),
      ...pageFooter(context, current),
    };
    const turn = pageButtons(context, current, { command: 'games', action: 'page', state: search });
    return { embeds: [embed], components: rows(turn) };
  }

  /** Names the games that fit the search and may not be submitted here; empty if there are none. */
  function notAllowedText({ t }: Context, search: string, { isAllowed }: AllowedGames): string {
    const found = games.search(search, games.all.length).filter((game) => !isAllowed(game));
    if (found.length === 0) return '';
    const names = found.slice(0, MOST_NOT_ALLOWED).map(({ name }) => escapeText(name, LONGEST_LISTED_NAME));
    return t('games.notAllowed', { games: namedText(t, names, found.length) });
  }

  function source({ t }: Context): string {
    const fetchedAt = games.fetchedAt();
    if (fetchedAt === undefined) return t('games.builtIn');
    const read = t('games.fromService', { seconds: Math.floor(fetchedAt / 1000) });
    return games.isFresh() ? read : sentences(read, t('games.stale'));
  }

  return {
    data: slashCommand('games', [
      {
        type: ApplicationCommandOptionType.String,
        ...optionText('games', 'search'),
        autocomplete: true,
        max_length: MAX_SEARCH_LENGTH,
      },
    ]),
    // An old list is good enough to show immediately; none at all is worth waiting for.
    answers: () => (games.fetchedAt() === undefined ? 'later' : 'immediate'),
    async run(context) {
      if (games.fetchedAt() === undefined) await games.refresh(context.guildId);
      else games.refreshSoon(context.guildId);
      // Discord counts the option in code points, a custom id may have 100 UTF-16 units.
      return page(context, cut(context.field('search').trim(), MAX_SEARCH_LENGTH), 1);
    },
    complete: async ({ guildId }, typed) => gameChoices(await suggestions.games(guildId, typed)),
    presses: {
      all: { answers: 'immediate update', run: (context) => page(context, '', 1) },
      page: {
        answers: 'immediate update',
        async run(context) {
          const { wanted, state: search } = readPage(context.argument);
          return page(context, search, wanted);
        },
      },
    },
  };
}

const line = ({ name, alias }: Game): string =>
  `**${escapeText(name, LONGEST_LISTED_NAME)}** \`${escapeCode(alias, LONGEST_ALIAS)}\``;
