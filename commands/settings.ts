import { ApplicationCommandType, ChannelType } from 'discord.js';
import type { Command, Context, PressContext, Reply, SubmitContext } from '../src/discord/command.ts';
import {
  button,
  type Control,
  channelSelect,
  customId,
  linkButton,
  type Modal,
  modal,
  roleSelect,
  rows,
} from '../src/discord/components/controls.ts';
import { chosenOnPage, pageButtons, pagedSelect, readPage } from '../src/discord/components/pager.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import {
  chosenLogChannel,
  chosenRole,
  type LogChoiceDeps,
  type LogState,
} from '../src/discord/log-channel.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import { type GuildSettings, HIGHEST_QUOTA, logChannels, type Settings } from '../src/guilds/settings.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { UserError } from '../src/user-error.ts';
import { commandText } from '../src/words/command-text.ts';
import { gameOption, isSelectable } from '../src/words/games.ts';
import { allowedGamesText, type SettingsShown, settingsText } from '../src/words/settings.ts';
import { memberText } from '../src/words/words.ts';

export interface SettingsDeps extends LogChoiceDeps {
  readonly settings: Pick<GuildSettings, 'get' | 'areLost' | 'change'>;
  readonly keys: Pick<ApiKeys, 'status'>;
  readonly games: Pick<GameCatalog, 'list'>;
  readonly guildLog: Pick<GuildLog, 'tell'>;
}

/**
 * Discord's own guide to the Integrations page. There is no documented link to that page of a server itself (Discord
 * docs: Message Formatting has guild navigation to other pages only), so the way there is said in words.
 */
const INTEGRATIONS_GUIDE =
  'https://support-apps.discord.com/hc/en-us/articles/26501869403159-Command-Permissions';

/** What is shown of the settings, and a change of them. */
function createView({ settings, keys, games, inspectLog, addBotLink }: SettingsDeps) {
  async function show(context: Context, now: Settings): Promise<Reply> {
    const { guildId } = context;
    const { logChannelId: channelId, notifyRoleId: roleId } = now;
    const key = await keys.status(guildId);
    const found = await inspectLog({ guildId, channelId, roleId });
    // What Discord said of the log it only says to a bot that is there.
    const link = found ? undefined : await addBotLink(guildId);
    if (found && channelId !== undefined && found.trouble !== now.logTrouble)
      // Should the store not take it, what was found is shown all the same.
      await logChannels(settings)
        .setTrouble(guildId, channelId, found.trouble)
        .catch(() => undefined);
    // Should Discord not say, what the last entry has met is what is known.
    const log = found ?? { ...lastMet(now), role: undefined };
    return overview(context, { now, key, games: games.list().games, addBotLink: link, log });
  }

  /** A change that is shown at once. What the log says later is in the language the guild has now. */
  async function change(context: Context, make: (now: Settings) => Settings): Promise<Reply> {
    const changed = await settings.change(context.guildId, (now) =>
      make({ ...now, locale: context.guildLocale }),
    );
    return show(context, changed);
  }

  return { show, change };
}

/** /settings: shows what the guild's admins have chosen, and changes it with buttons, selects and a modal. */
export function settingsCommand(deps: SettingsDeps): Command {
  const { settings, games, guildLog } = deps;
  const { show, change } = createView(deps);

  /** Shows the change that a button or a select makes in place of the message that it is on. */
  const press = (run: (context: PressContext) => Promise<Reply>) => ({ answer: 'update' as const, run });

  return {
    data: { type: ApplicationCommandType.ChatInput, ...commandText('settings') },
    permission: 'manage-guild',
    audience: 'member',
    async run(context) {
      const areLost = await settings.areLost(context.guildId);
      const now = await settings.get(context.guildId);
      const view = await (now.locale === context.guildLocale
        ? show(context, now)
        : change(context, (same) => same));
      return areLost ? { ...view, content: `${context.t('settings.lost')}\n\n${view.content}` } : view;
    },
    presses: {
      channel: press(async (context) => {
        const logChannelId = await chosenLogChannel(context, deps);
        return change(context, ({ logTrouble: _mended, ...now }) => ({ ...now, logChannelId }));
      }),
      nolog: press((context) =>
        change(context, ({ logChannelId: _id, logTrouble: _trouble, ...now }) => now),
      ),
      role: press(async (context) => {
        const { logChannelId } = await settings.get(context.guildId);
        const notifyRoleId = await chosenRole(context, deps, logChannelId);
        const view = await change(context, (now) => ({ ...now, notifyRoleId }));
        const { guildId, user } = context;
        await guildLog.tell(guildId, (words) =>
          words('guildLog.roleSet', { member: memberText(user), roleId: notifyRoleId }),
        );
        return view;
      }),
      norole: press(async (context) => {
        const view = await change(context, ({ notifyRoleId: _id, ...now }) => now);
        const { guildId, user } = context;
        await guildLog.tell(guildId, (words) => words('guildLog.roleCleared', { member: memberText(user) }));
        return view;
      }),
      announce: press((context) =>
        change(context, (now) => ({ ...now, announce: context.argument === 'on' })),
      ),
      games: press(async (context) => {
        const now = await settings.get(context.guildId);
        const { wanted } = readPage(context.argument);
        return gamesView(context, { now, games: games.list().games, wanted });
      }),
      choose: press((context) => chooseGames(context, { settings, games: games.list().games })),
      allgames: press((context) => change(context, ({ games: _some, ...now }) => now)),
      back: press(async (context) => show(context, await settings.get(context.guildId))),
      quota: { answer: 'modal', run: async (context) => quotaModal(context) },
    },
    submits: {
      quota: {
        answer: 'update',
        async run(context) {
          const quota = typedQuota(context);
          return change(context, ({ dailyQuota: _previous, ...now }) =>
            quota === undefined ? now : { ...now, dailyQuota: quota },
          );
        },
      },
    },
  };
}

/** What was wrong with the log channel last. */
const lastMet = ({ logTrouble: trouble }: Settings): Pick<LogState, 'trouble' | 'missing'> => ({
  trouble,
  missing: trouble === 'no-access' ? ['ViewChannel'] : ['SendMessages', 'EmbedLinks'],
});

/** What is set, with a component for each setting. The components carry all their state. */
const overview = (context: Context, shown: SettingsShown): Reply => ({
  content: settingsText(context, shown),
  embeds: [{ description: `${context.t('settings.about')}\n\n${context.t('settings.integrations')}` }],
  components: rows(
    [logChannelSelect(context)],
    [roleSelect({ id: customId('settings', 'role'), placeholder: context.t('settings.rolePlaceholder') })],
    ...buttons(context, shown.now),
  ),
});

/** Where the log channel is chosen; what is chosen in it comes to /settings, whatever message it is in. */
export const logChannelSelect = ({ t }: Context): Control =>
  // Nothing is preselected: the channel may have been deleted a second ago, and whether Discord takes a message that
  // preselects an unknown one is not documented. The field above names the channel.
  channelSelect({
    id: customId('settings', 'channel'),
    placeholder: t('settings.logPlaceholder'),
    // In threads and forums other permissions count, and they end by themselves.
    types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
  });

const buttons = ({ t }: Context, now: Settings): readonly (readonly Control[])[] => [
  [
    button(customId('settings', 'games', '1'), t('settings.gamesButton')),
    button(customId('settings', 'quota', String(now.dailyQuota ?? '')), t('settings.quotaButton')),
    now.announce
      ? button(customId('settings', 'announce', 'off'), t('settings.announceOffButton'))
      : button(customId('settings', 'announce', 'on'), t('settings.announceOnButton')),
  ],
  [
    button(customId('settings', 'nolog'), t('settings.logOffButton'), {
      disabled: now.logChannelId === undefined,
    }),
    button(customId('settings', 'norole'), t('settings.roleOffButton'), {
      disabled: now.notifyRoleId === undefined,
    }),
    linkButton(INTEGRATIONS_GUIDE, t('settings.integrationsButton')),
  ],
];

interface GamesShown {
  readonly now: Settings;
  /** The service's list. */
  readonly games: readonly Game[];
  /** From 1; anything else is brought into range. */
  readonly wanted: number;
}

/** The games that a select can offer. */
const gameOptions = (games: readonly Game[], now?: Settings) =>
  games
    .filter(isSelectable)
    .map((game) => ({ ...gameOption(game), default: now?.games?.includes(game.alias) ?? false }));

/** The games of the service to choose from, as many on a page as a select takes. */
function gamesView(context: Context, { now, games, wanted }: GamesShown): Reply {
  const { t } = context;
  const { control, page } = pagedSelect({
    id: (argument) => customId('settings', 'choose', argument),
    options: gameOptions(games, now),
    wanted,
    placeholder: ({ number, pages }) => t('settings.gamesPlaceholder', { page: number, pages }),
  });
  const buttons = [
    ...pageButtons(context, page, { command: 'settings', action: 'games' }),
    button(customId('settings', 'allgames'), t('settings.allowAll'), { disabled: now.games === undefined }),
    button(customId('settings', 'back'), t('settings.back')),
  ];
  const description = `${t('settings.gamesHow')}\n\n${allowedGamesText(context, now, games)}`;
  return {
    embeds: [{ title: t('settings.gamesTitle'), description }],
    components: rows([control], buttons),
  };
}

/**
 * Puts what was chosen on a page in place of what was chosen on it before; other pages stay.
 * @throws UserError when the page no longer offers the same games
 */
async function chooseGames(
  context: PressContext,
  { settings, games }: { readonly settings: Pick<GuildSettings, 'change'>; readonly games: readonly Game[] },
): Promise<Reply> {
  const page = chosenOnPage(gameOptions(games), context);
  if (page === undefined) throw new UserError(context.t('settings.gamesChanged'));
  const now = await settings.change(context.guildId, ({ games: allowed = [], ...others }) => {
    const some = [...allowed.filter((alias) => !page.offered.has(alias)), ...page.chosen];
    return some.length === 0 ? others : { ...others, games: some };
  });
  return gamesView(context, { now, games, wanted: page.wanted });
}

/** The quota that is set stands in the button's custom id, since a modal must be opened without any work. */
const quotaModal = ({ t, argument }: PressContext): Modal =>
  modal({
    id: customId('settings', 'quota'),
    title: t('settings.quotaTitle'),
    fields: [
      {
        id: 'quota',
        label: t('settings.quotaLabel'),
        hint: t('settings.quotaHint', { most: HIGHEST_QUOTA }),
        ...(/^\d{1,4}$/.test(argument) && { value: argument }),
        most: String(HIGHEST_QUOTA).length,
      },
    ],
  });

/** @throws UserError for what is no quota; empty means none */
function typedQuota({ field, t }: SubmitContext): number | undefined {
  const typed = field('quota').trim();
  if (typed === '') return undefined;
  const quota = Number(typed);
  if (/^\d{1,9}$/.test(typed) && quota >= 1 && quota <= HIGHEST_QUOTA) return quota;
  throw new UserError(t('settings.quotaInvalid', { most: HIGHEST_QUOTA }));
}
