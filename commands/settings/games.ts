import { LIMITS } from '../../src/discord/limits.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import type { PressContext } from '../../src/interactions/command.ts';
import { button, select } from '../../src/interactions/controls.ts';
import { pageButtons, pageOf } from '../../src/interactions/pager.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { Game } from '../../src/listing/contract.ts';
import { escapeText } from '../../src/words/escape.ts';
import { gameOption, isSelectable } from '../../src/words/games.ts';
import { namedText } from '../../src/words/sentences.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import {
  BROKEN,
  changeId,
  FINE,
  type Setting,
  type SettingsView,
  switchedOptions,
  withSwitched,
} from './setting.ts';

const MAX_NAMED_IN_LINE = 2;
const MAX_NAMED_IN_LOG = 10;
const MAX_NAME_LENGTH = 22;

/** Shows as many games per page as fit into a select menu. */
export const gamesSetting = ({ games, history }: CommandDeps): Setting => ({
  id: 'games',
  name: (t) => t('settings.games.name'),
  line: gamesLine,
  difference(t, { now: { games: before } }, { now: { games: after }, games: all }) {
    if (before === undefined || after === undefined) return undefined;
    const text = (key: 'added' | 'removed', some: readonly string[], others: readonly string[]) => {
      const aliases = some.filter((alias) => !others.includes(alias));
      const names = gameNames(t, aliases, all, MAX_NAMED_IN_LOG);
      return aliases.length > 0 && `${FINE} ${t(`guildLog.games.${key}`, { names })}`;
    };
    return [text('added', after, before), text('removed', before, after)].filter(Boolean).join('\n');
  },
  about: ({ t }, now) => (now.games === undefined ? t('settings.games.aboutAll') : t('settings.games.about')),
  controls(context, { now, games: all }, wanted) {
    const { t } = context;
    const options = gameOptions(all, now);
    const page = pageOf({ count: options.length, perPage: LIMITS.choices, wanted });
    const control = select({
      id: changeId('games', 'choose', 'games', page.number),
      placeholder: t('settings.gamesPlaceholder', { page: page.number, pages: page.pages }),
      options: options.slice(page.offset, page.offset + page.limit),
      minChosen: 0,
    });
    return {
      selects: [control],
      buttons: [
        ...pageButtons(context, page, { command: 'settings', action: 'open', state: 'games' }),
        now.games === undefined
          ? button(changeId('games', 'submitted'), t('settings.games.onlySubmitted'))
          : button(changeId('games', 'all'), t('settings.allowAll')),
      ],
    };
  },
  handlers: {
    choose(context) {
      const known = games.isFresh() ? games.all : undefined;
      return { make: (before) => withGames(before, context, known) };
    },
    all: () => ({ make: ({ games: _some, goneGames: _gone, ...before }) => before }),
    async submitted({ t, guildId }) {
      const submitted = new Set(await history.latestGames(guildId));
      const chosen = games.all.map(({ alias }) => alias).filter((alias) => submitted.has(alias));
      if (chosen.length === 0) throw new UserError(t('submissions.none'));
      return { make: (before) => ({ ...before, games: chosen }) };
    },
  },
});

const gameOptions = (games: readonly Game[], now: Settings) =>
  games
    .filter(isSelectable)
    .map((game) => ({ ...gameOption(game), default: now.games?.includes(game.alias) ?? false }));

/**
 * Adds and removes the games that the admin switched. If all games are allowed now, allows exactly the chosen ones.
 * @param all the service's games, if known; selected games that aren't among them are removed
 */
function withGames(
  { games: allowed, goneGames: _gone, ...others }: Settings,
  context: PressContext,
  all: readonly Game[] | undefined,
): Settings {
  const isGone = (alias: string) => all !== undefined && !all.some((game) => game.alias === alias);
  const some = withSwitched(allowed ?? context.values, switchedOptions(context)).filter(
    (alias) => !isGone(alias),
  );
  return some.length === 0 ? others : { ...others, games: some };
}

/** If the service no longer has a game, shows the game's alias instead. */
function gamesLine(t: Translate, { now, games }: Pick<SettingsView, 'now' | 'games'>): string {
  const { games: allowed } = now;
  if (allowed === undefined) return `${FINE} ${t('settings.games.all')}`;
  const known = games.filter(({ alias }) => allowed.includes(alias));
  if (games.length > 0 && known.length === 0) return `${BROKEN} ${t('settings.games.unknown')}`;
  return `${FINE} ${t('settings.games.some', { names: gameNames(t, allowed, known, MAX_NAMED_IN_LINE) })}`;
}

function gameNames(
  t: Translate,
  aliases: readonly string[],
  games: readonly Game[],
  maxNamed: number,
): string {
  const names = aliases
    .slice(0, maxNamed)
    .map((alias) => escapeText(games.find((game) => game.alias === alias)?.name ?? alias, MAX_NAME_LENGTH));
  return namedText(t, names, aliases.length);
}
