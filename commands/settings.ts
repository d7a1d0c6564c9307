import { ApplicationCommandType, ChannelType, PermissionFlagsBits } from 'discord.js';
import type {
  ChosenChannel,
  Command,
  Context,
  PressContext,
  Reply,
  SubmitContext,
} from '../src/discord/command.ts';
import {
  button,
  type Control,
  channelSelect,
  linkButton,
  type Modal,
  modal,
  rows,
} from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import { chosenOnPage, pagedSelect } from '../src/discord/components/paged-select.ts';
import { pageButtons, readPage } from '../src/discord/components/pager.ts';
import type { ChannelPosts } from '../src/discord/guild-log.ts';
import { type GuildSettings, HIGHEST_QUOTA, type Settings } from '../src/guilds/settings.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { UserError } from '../src/user-error.ts';
import { commandText } from '../src/words/command-text.ts';
import { gameOption, isSelectable } from '../src/words/games.ts';
import { memberText } from '../src/words/guild-log.ts';
import {
  allowedGamesText,
  type LogPermission,
  missingText,
  type SettingsShown,
  settingsTexts,
} from '../src/words/settings.ts';

export interface SettingsDeps {
  readonly settings: Pick<GuildSettings, 'get' | 'areLost' | 'change'>;
  readonly games: Pick<GameCatalog, 'list'>;
  readonly posts: ChannelPosts;
  /** Where the bot user can be added to a guild that has the commands alone; `undefined` when it is there, or nobody knows. */
  readonly addBotLink: (guildId: string) => Promise<string | undefined>;
}

/** What the log needs in its channel: its entries are embeds. */
const NEEDED = ['ViewChannel', 'SendMessages', 'EmbedLinks'] as const satisfies readonly LogPermission[];

/**
 * Discord's own guide to the Integrations page. There is no documented link to that page of a server itself (Discord
 * docs: Message Formatting has guild navigation to other pages only), so the way there is said in words.
 */
const INTEGRATIONS_GUIDE =
  'https://support-apps.discord.com/hc/en-us/articles/26501869403159-Command-Permissions';

/** /settings: shows what the guild's admins have chosen, and changes it with buttons, selects and a modal. */
export function settingsCommand({ settings, games, posts, addBotLink }: SettingsDeps): Command {
  const show = async (context: Context, now: Settings): Promise<Reply> =>
    overview(context, { now, games: games.list().games, addBotLink: await addBotLink(context.guildId) });

  /** A change that is shown at once. What the log says later is in the language the guild has now. */
  async function change(context: Context, make: (now: Settings) => Settings): Promise<Reply> {
    const changed = await settings.change(context.guildId, (now) =>
      make({ ...now, locale: context.guildLocale }),
    );
    return show(context, changed);
  }

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
      return areLost ? { ...view, content: context.t('settings.lost') } : view;
    },
    presses: {
      channel: press(async (context) => {
        const logChannelId = await chosenChannel(context, { posts, addBotLink });
        return change(context, ({ logTrouble: _mended, ...now }) => ({ ...now, logChannelId }));
      }),
      nolog: press((context) =>
        change(context, ({ logChannelId: _id, logTrouble: _trouble, ...now }) => now),
      ),
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

/**
 * The channel that was chosen for the log, after a first message in it.
 * @throws UserError when the log cannot be there; the permissions that are missing are named
 */
async function chosenChannel(
  context: PressContext,
  { posts, addBotLink }: Pick<SettingsDeps, 'posts' | 'addBotLink'>,
): Promise<ChosenChannel['id']> {
  const { t, guildT, user } = context;
  const [chosen] = context.channels;
  if (!chosen) throw new UserError(t('settings.channelGone'));
  const channelId = chosen.id;
  const link = await addBotLink(context.guildId);
  if (link !== undefined) throw new UserError(t('settings.logNeedsBot', { link }));
  // Discord says what the bot may do there; should it not, the first message tells.
  const missing = NEEDED.filter((name) => chosen.botPermissions?.has(PermissionFlagsBits[name]) === false);
  if (missing.length > 0) throw new UserError(missingText(context, channelId, missing));
  const description = guildT('guildLog.opened', { member: memberText(user) });
  switch (await posts.post(channelId, { description })) {
    case 'gone':
      throw new UserError(t('settings.channelGone'));
    case 'no-access':
      throw new UserError(missingText(context, channelId, ['ViewChannel']));
    case 'no-permission':
      throw new UserError(missingText(context, channelId, ['SendMessages', 'EmbedLinks']));
    case 'failed':
      throw new UserError(t('settings.channelUntested', { channelId }));
    case 'posted':
      return channelId;
  }
}

/** What is set, with a component for each setting. The components carry all their state. */
function overview(context: Context, shown: SettingsShown): Reply {
  const { t } = context;
  return {
    embeds: [
      {
        title: t('settings.title'),
        description: t('settings.integrations'),
        fields: settingsTexts(context, shown),
      },
    ],
    components: rows([logChannelSelect(context)], buttons(context, shown.now)),
  };
}

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

const buttons = ({ t }: Context, now: Settings): readonly Control[] => [
  now.announce
    ? button(customId('settings', 'announce', 'off'), t('settings.announceOffButton'))
    : button(customId('settings', 'announce', 'on'), t('settings.announceOnButton')),
  button(customId('settings', 'games', '1'), t('settings.gamesButton')),
  button(customId('settings', 'quota', String(now.dailyQuota ?? '')), t('settings.quotaButton')),
  button(customId('settings', 'nolog'), t('settings.logOffButton'), {
    disabled: now.logChannelId === undefined,
  }),
  linkButton(INTEGRATIONS_GUIDE, t('settings.integrationsButton')),
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
