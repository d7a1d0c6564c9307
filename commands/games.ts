import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
} from 'discord.js';
import { type Command, type Context, customId, type Reply } from '../src/discord/command.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { escapeCode, escapeText } from '../src/words/escape.ts';
import { gameChoices } from '../src/words/games.ts';
import { cut } from '../src/words/shorten.ts';
import { GUILD_ONLY } from './guild-only.ts';
import { keyForReading } from './key-for-reading.ts';

export interface GamesDeps {
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'refresh' | 'refreshSoon'>;
  readonly keys: Pick<ApiKeys, 'get' | 'isRefused'>;
}

/** Short enough for the custom id of the page buttons (100 characters) to carry it. */
const MAX_SEARCH_LENGTH = 60;
const GAMES_PER_PAGE = 20;
/** UTF-16 units in a line: 20 lines, the heading and the source fit into the 4,096 of an embed. */
const LONGEST_NAME = 85;
const LONGEST_ALIAS = 80;

/** /games: names and aliases, in pages whose buttons carry all their state, so that they survive a restart. */
export function gamesCommand({ games, keys }: GamesDeps): Command {
  function page(context: Context, search: string, wanted: number): Reply {
    const { t } = context;
    const { games: all } = games.list();
    const found = search === '' ? all : games.search(search, all.length);
    if (found.length === 0) return { content: t('games.none', { search: escapeText(search) }) };
    const pages = Math.ceil(found.length / GAMES_PER_PAGE);
    const current = Math.min(Math.max(wanted, 1), pages);
    const shown = found.slice((current - 1) * GAMES_PER_PAGE, current * GAMES_PER_PAGE);
    const count = { count: found.length };
    const heading =
      search === '' ? t('games.total', count) : t('games.found', { ...count, search: escapeText(search) });
    const embed = {
      title: t('games.title'),
      description: [heading, '', ...shown.map((game) => line(context, game)), '', source(context)].join('\n'),
      ...(pages > 1 && { footer: { text: t('games.page', { page: current, pages }) } }),
    };
    return { embeds: [embed], components: pages > 1 ? [buttons(context, search, current, pages)] : [] };
  }

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
      ...GUILD_ONLY,
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
    complete: (_call, typed) => gameChoices(games.search(typed)),
    presses: {
      page: {
        answer: 'update',
        async run(context) {
          const [wanted = '1', ...search] = context.argument.split(':');
          return page(context, search.join(':'), Number.parseInt(wanted, 10) || 1);
        },
      },
    },
  };
}

function line({ t }: Context, { name, alias }: Game): string {
  return t('games.line', { name: escapeText(name, LONGEST_NAME), alias: escapeCode(alias, LONGEST_ALIAS) });
}

function buttons(
  { t }: Context,
  search: string,
  current: number,
  pages: number,
): ActionRowBuilder<ButtonBuilder> {
  const button = (label: string, page: number) =>
    new ButtonBuilder()
      .setCustomId(customId('games', 'page', `${page}:${search}`))
      .setLabel(label)
      .setStyle(ButtonStyle.Secondary)
      .setDisabled(page < 1 || page > pages);
  return new ActionRowBuilder<ButtonBuilder>().addComponents(
    button(t('games.previous'), current - 1),
    button(t('games.next'), current + 1),
  );
}
