import { ApplicationCommandOptionType } from 'discord.js';
import type { Command, Context, Reply } from '../src/interactions/command.ts';
import { button, customId, rows } from '../src/interactions/controls.ts';
import { pageButtons, pageFooter, pageOf, readPage } from '../src/interactions/pager.ts';
import type { Game } from '../src/listing/contract.ts';
import { type AllowedGames, gamesAmong } from '../src/listing/game-search.ts';
import { cut } from '../src/text/one-line.ts';
import { optionText } from '../src/words/command-text.ts';
import { escapeCode, escapeText } from '../src/words/escape.ts';
import { gameChoices } from '../src/words/games.ts';
import { namedText, sentences } from '../src/words/sentences.ts';
import type { CommandDeps } from './deps.ts';
import { slashCommand } from './slash-command.ts';

/** A search term has to fit into the page buttons' custom ids (up to 100). */
const MAX_SEARCH_LENGTH = 60;
const GAMES_PER_PAGE = 20;
/** 20 names and some text have to fit into an embed (4,096). */
const MAX_LISTED_NAME_LENGTH = 85;
const MAX_ALIAS_LENGTH = 80;
const MAX_DISALLOWED_NAMED = 5;

/** /games: lists games and their aliases. All state is in custom ids, so the page buttons work after a restart. */
export function gamesCommand({ games, settings, suggestions }: CommandDeps): Command {
  /** @param omitsDisallowed set if the reply already names the disallowed games */
  async function page(
    context: Context,
    search: string,
    wanted: number,
    omitsDisallowed = false,
  ): Promise<Reply> {
    const { t } = context;
    const { games: chosen } = await settings.getOrThrow(context.guildId);
    const among = gamesAmong(games, chosen);
    const found = search === '' ? among.all : among.search(search, among.all.length);
    const notAllowed =
      chosen === undefined || omitsDisallowed ? '' : disallowedMatchesText(context, search, among);
    if (found.length === 0) {
      if (notAllowed === '') {
        const all = button(customId('games', 'all'), t('pager.showAll'), 'primary');
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

  function disallowedMatchesText({ t }: Context, search: string, { isAllowed }: AllowedGames): string {
    const found = games.search(search, games.all.length).filter((game) => !isAllowed(game));
    if (found.length === 0) return '';
    const names = found
      .slice(0, MAX_DISALLOWED_NAMED)
      .map(({ name }) => escapeText(name, MAX_LISTED_NAME_LENGTH));
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
    // If a list has been fetched, it's shown immediately, even if outdated. Otherwise, the reply waits for the service.
    answers: () => (games.fetchedAt() === undefined ? 'later' : 'immediate'),
    async run(context) {
      if (games.fetchedAt() === undefined) await games.refresh(context.guildId);
      else games.refreshSoon(context.guildId);
      // Discord measures an option's length in code points, but a custom id's length (at most 100) in UTF-16 units.
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
  `**${escapeText(name, MAX_LISTED_NAME_LENGTH)}** \`${escapeCode(alias, MAX_ALIAS_LENGTH)}\``;
