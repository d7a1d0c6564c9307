import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import type { Command, Context, Reply } from '../src/discord/command.ts';
import { rows } from '../src/discord/components/controls.ts';
import { pageButtons, pageFooter, pageOf, readPage } from '../src/discord/components/pager.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog, Suggestions } from '../src/listing/game-catalog.ts';
import { gamesAmong } from '../src/listing/game-search.ts';
import type { Secret } from '../src/secret.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { gameChoices } from '../src/words/games.ts';
import { cut, escapeCode, escapeText } from '../src/words/words.ts';

export interface GamesDeps {
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'refresh' | 'refreshSoon'>;
  readonly keys: Pick<ApiKeys, 'get' | 'isRefused'>;
  readonly settings: Pick<GuildSettings, 'allowedGames'>;
  readonly suggestions: Pick<Suggestions, 'games'>;
}

/** Short enough for the custom id of the page buttons (100 characters) to carry it. */
const MAX_SEARCH_LENGTH = 60;
const GAMES_PER_PAGE = 20;
/** UTF-16 units in a line: 20 lines, the heading and the source fit into the 4,096 of an embed. */
const LONGEST_LISTED_NAME = 85;
const LONGEST_ALIAS = 80;

/** /games: names and aliases, in pages whose buttons carry all their state, so that they survive a restart. */
export function gamesCommand({ games, keys, settings, suggestions }: GamesDeps): Command {
  function page(context: Context, search: string, wanted: number): Reply {
    const { t } = context;
    const found = allowed({ games, settings }, context.guildId, search);
    if (found.length === 0) return { content: t('games.none', { search: escapeText(search) }) };
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
        ...shown.map((game) => line(context, game)),
        '',
        ...chosenText(context),
        source(context),
      ].join('\n'),
      ...pageFooter(context, current),
    };
    const turn = pageButtons(context, current, { command: 'games', action: 'page', state: search });
    return { embeds: [embed], components: rows(turn) };
  }

  const chosenText = ({ t, guildId }: Context): readonly string[] =>
    settings.allowedGames(guildId) === undefined ? [] : [`-# ${t('games.chosen')}`];

  function source({ t }: Context): string {
    const { fetchedAt, fresh } = games.list();
    if (fetchedAt === undefined) return `-# ${t('games.builtIn')}`;
    const seconds = Math.floor(fetchedAt / 1000);
    return `-# ${fresh ? t('games.fromService', { seconds }) : t('games.stale', { seconds })}`;
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('games'),
      options: [
        {
          type: ApplicationCommandOptionType.String,
          ...optionText('games', 'search'),
          autocomplete: true,
          max_length: MAX_SEARCH_LENGTH,
        },
      ],
    },
    audience: 'member',
    async run(context) {
      const key = await keyForReading(keys, context.guildId);
      // An old list is good enough to show at once; none at all is worth waiting for.
      if (games.list().fetchedAt === undefined) await games.refresh(key);
      else games.refreshSoon(key);
      // Discord counts the option in code points, a custom id may have 100 UTF-16 units.
      return page(context, cut((context.options.getString('search') ?? '').trim(), MAX_SEARCH_LENGTH), 1);
    },
    complete: ({ guildId }, typed) => gameChoices(suggestions.games(guildId, typed)),
    presses: {
      page: {
        answer: 'update',
        async run(context) {
          const { wanted, state: search } = readPage(context.argument);
          return page(context, search, wanted);
        },
      },
    },
  };
}

/** The games that a guild allows, all that fit to what was typed; those that fit best are first. */
function allowed(
  { games, settings }: Pick<GamesDeps, 'games' | 'settings'>,
  guildId: string,
  typed: string,
): readonly Game[] {
  const { all, search } = gamesAmong(games, settings.allowedGames(guildId));
  return typed === '' ? all : search(typed, all.length);
}

/**
 * The guild's key for refreshing the games list, or none; none too when the service has refused it. A key that
 * cannot be read must not keep anyone from looking at the list; commands that need it say so themselves.
 */
async function keyForReading(keys: GamesDeps['keys'], guildId: string): Promise<Secret | undefined> {
  try {
    return (await keys.isRefused(guildId)) ? undefined : await keys.get(guildId);
  } catch {
    return undefined;
  }
}

function line({ t }: Context, { name, alias }: Game): string {
  return t('games.line', {
    name: escapeText(name, LONGEST_LISTED_NAME),
    alias: escapeCode(alias, LONGEST_ALIAS),
  });
}
