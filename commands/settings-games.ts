import { createHash } from 'node:crypto';
import type { Context, PressContext, Reply } from '../src/discord/command.ts';
import { button, rows, select } from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import { type Page, pageButtons, pageOf, readPage, writePage } from '../src/discord/components/pager.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type { GuildSettings, Settings } from '../src/guilds/settings.ts';
import type { Game } from '../src/listing/contract.ts';
import { UserError } from '../src/user-error.ts';
import { gameOption, isSelectable } from '../src/words/games.ts';
import { gamesText } from './settings-view.ts';

interface Shown {
  readonly now: Settings;
  /** The service's list. */
  readonly games: readonly Game[];
  /** From 1; anything else is brought into range. */
  readonly wanted: number;
}

interface Offered {
  readonly page: Page;
  readonly games: readonly Game[];
  /** Tells whether the page still offers the same games when something is chosen on it. */
  readonly mark: string;
}

/** The games of the service to choose from, as many on a page as a select takes. */
export function gamesView(context: Context, { now, games, wanted }: Shown): Reply {
  const { t } = context;
  const { page, games: offered, mark } = offeredOn(games, wanted);
  const chosen = select({
    id: customId('settings', 'choose', writePage(page.number, mark)),
    placeholder: t('settings.gamesPlaceholder', { page: page.number, pages: page.pages }),
    options: offered.map((game) => ({
      ...gameOption(game),
      default: now.games?.includes(game.alias) ?? false,
    })),
    any: true,
  });
  return {
    embeds: [
      {
        title: t('settings.gamesTitle'),
        description: `${t('settings.gamesHow')}\n\n${gamesText(context, now, games)}`,
      },
    ],
    components: rows(
      [chosen],
      [
        ...pageButtons(context, page, { command: 'settings', action: 'games' }),
        button(customId('settings', 'allgames'), t('settings.allowAll'), {
          disabled: now.games === undefined,
        }),
        button(customId('settings', 'back'), t('settings.back')),
      ],
    ),
  };
}

/**
 * Puts what was chosen on a page in place of what was chosen on it before; other pages stay. The list may be another
 * one since the page was shown, and then a game that was not on it could be taken for one that was taken back.
 * @throws UserError when the page no longer offers the same games
 */
export async function chooseGames(
  context: PressContext,
  { settings, games }: { readonly settings: Pick<GuildSettings, 'change'>; readonly games: readonly Game[] },
): Promise<Reply> {
  const { wanted, state: mark } = readPage(context.argument);
  const page = offeredOn(games, wanted);
  if (page.mark !== mark) throw new UserError(context.t('settings.gamesChanged'));
  const offered = new Set(page.games.map(({ alias }) => alias));
  const chosen = context.values.filter((alias) => offered.has(alias));
  const now = await settings.change(context.guildId, ({ games: former = [], ...others }) => {
    const some = [...former.filter((alias) => !offered.has(alias)), ...chosen];
    return some.length === 0 ? others : { ...others, games: some };
  });
  return gamesView(context, { now, games, wanted });
}

function offeredOn(games: readonly Game[], wanted: number): Offered {
  const usable = games.filter(isSelectable);
  const page = pageOf({ count: usable.length, perPage: LIMITS.choices, wanted });
  const offered = usable.slice(page.offset, page.offset + page.limit);
  const mark = createHash('sha256')
    .update(JSON.stringify(offered.map(({ alias }) => alias)))
    .digest('base64url')
    .slice(0, 12);
  return { page, games: offered, mark };
}
