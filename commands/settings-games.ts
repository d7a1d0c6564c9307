import { createHash } from 'node:crypto';
import { ActionRowBuilder, ButtonBuilder, ButtonStyle, StringSelectMenuBuilder } from 'discord.js';
import { type Context, customId, type PressContext, type Reply } from '../src/discord/command.ts';
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
  readonly page: number;
}

interface Page {
  readonly number: number;
  readonly pages: number;
  readonly games: readonly Game[];
  /** Tells whether the page still offers the same games when something is chosen on it. */
  readonly mark: string;
}

/** The games of the service to choose from, as many on a page as a select takes. */
export function gamesView(context: Context, { now, games, page }: Shown): Reply {
  const { t } = context;
  const { number, pages, games: offered, mark } = pageOf(games, page);
  const select = new StringSelectMenuBuilder()
    .setCustomId(customId('settings', 'choose', `${number}:${mark}`))
    .setPlaceholder(t('settings.gamesPlaceholder', { page: number, pages }))
    .setMinValues(0)
    .setMaxValues(offered.length)
    .addOptions(
      offered.map((game) => ({ ...gameOption(game), default: now.games?.includes(game.alias) ?? false })),
    );
  const button = (id: string, label: string) =>
    new ButtonBuilder().setCustomId(id).setLabel(label).setStyle(ButtonStyle.Secondary);
  const turn = (label: string, to: number) =>
    // Two buttons may not have the same custom id, and both ends of one page would.
    button(customId('settings', 'games', String(to)), label).setDisabled(to < 1 || to > pages);
  return {
    embeds: [
      {
        title: t('settings.gamesTitle'),
        description: `${t('settings.gamesHow')}\n\n${gamesText(context, now, games)}`,
      },
    ],
    components: [
      // Discord takes no select without options.
      ...(offered.length > 0 ? [new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(select)] : []),
      new ActionRowBuilder<ButtonBuilder>().addComponents(
        ...(pages > 1
          ? [turn(t('settings.previous'), number - 1), turn(t('settings.next'), number + 1)]
          : []),
        button(customId('settings', 'allgames'), t('settings.allowAll')).setDisabled(now.games === undefined),
        button(customId('settings', 'back'), t('settings.back')),
      ),
    ],
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
  const [wanted = '', mark] = context.argument.split(':');
  const page = pageOf(games, Number.parseInt(wanted, 10));
  if (page.mark !== mark) throw new UserError(context.t('settings.gamesChanged'));
  const offered = new Set(page.games.map(({ alias }) => alias));
  const chosen = context.values.filter((alias) => offered.has(alias));
  const now = await settings.change(context.guildId, ({ games: former = [], ...others }) => {
    const some = [...former.filter((alias) => !offered.has(alias)), ...chosen];
    return some.length === 0 ? others : { ...others, games: some };
  });
  return gamesView(context, { now, games, page: page.number });
}

function pageOf(games: readonly Game[], wanted: number): Page {
  const usable = games.filter(isSelectable);
  const pages = Math.max(1, Math.ceil(usable.length / LIMITS.choices));
  const number = Math.min(Math.max(Number.isInteger(wanted) ? wanted : 1, 1), pages);
  const offered = usable.slice((number - 1) * LIMITS.choices, number * LIMITS.choices);
  const mark = createHash('sha256')
    .update(JSON.stringify(offered.map(({ alias }) => alias)))
    .digest('base64url')
    .slice(0, 12);
  return { number, pages, games: offered, mark };
}
