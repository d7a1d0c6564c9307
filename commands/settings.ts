import { ApplicationCommandType, PermissionFlagsBits } from 'discord.js';
import type { ChannelPosts } from '../src/discord/channel-posts.ts';
import type { ChosenChannel, Command, Context, PressContext, Reply } from '../src/discord/command.ts';
import { type Modal, modal } from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import { readPage } from '../src/discord/components/pager.ts';
import { type GuildSettings, HIGHEST_QUOTA, type Settings } from '../src/guilds/settings.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { UserError } from '../src/user-error.ts';
import { commandText } from '../src/words/command-text.ts';
import { memberText } from '../src/words/guild-log.ts';
import { wordsFor } from '../src/words/words.ts';
import { chooseGames, gamesView } from './settings-games.ts';
import { settingsView } from './settings-view.ts';

export interface SettingsDeps {
  readonly settings: Pick<GuildSettings, 'get' | 'areLost' | 'change'>;
  readonly games: Pick<GameCatalog, 'list'>;
  readonly posts: ChannelPosts;
  /** Where the bot user can be added to a guild that has the commands alone; `undefined` when it is there, or nobody knows. */
  readonly addBotLink: (guildId: string) => Promise<string | undefined>;
}

/** What the log needs in its channel: its entries are embeds. */
const NEEDED = ['ViewChannel', 'SendMessages', 'EmbedLinks'] as const;

/** /settings: shows what the guild's admins have chosen, and changes it with buttons, selects and a modal. */
export function settingsCommand({ settings, games, posts, addBotLink }: SettingsDeps): Command {
  const show = async (context: Context, now: Settings): Promise<Reply> =>
    settingsView(context, { now, games: games.list().games, addBotLink: await addBotLink(context.guildId) });

  /** A change that is shown at once. What the log says later is in the language the guild has now. */
  async function change(context: Context, make: (now: Settings) => Settings): Promise<Reply> {
    const changed = await settings.change(context.guildId, (now) =>
      make({ ...now, locale: context.guildLocale }),
    );
    return show(context, changed);
  }

  /** @throws UserError when the log cannot be there; the permissions that are missing are named */
  async function chooseChannel(context: PressContext, chosen: ChosenChannel): Promise<Reply> {
    const { t, user, guildLocale } = context;
    const channelId = chosen.id;
    const link = await addBotLink(context.guildId);
    if (link !== undefined) throw new UserError(t('settings.logNeedsBot', { link }));
    // Discord says what the bot may do there; should it not, the first message tells.
    const missing = NEEDED.filter((name) => chosen.botPermissions?.has(PermissionFlagsBits[name]) === false);
    if (missing.length > 0) throw new UserError(missingText(context, channelId, missing));
    const description = wordsFor(guildLocale)('guildLog.opened', { member: memberText(user) });
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
        return change(context, ({ logTrouble: _mended, ...now }) => ({ ...now, logChannelId: channelId }));
    }
  }

  /** A handler of a component that changes the message it is on. */
  const press = (run: (context: PressContext) => Promise<Reply>) => ({
    answer: 'update' as const,
    run,
  });

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('settings'),
    },
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
        const [chosen] = context.channels;
        if (!chosen) throw new UserError(context.t('settings.channelGone'));
        return chooseChannel(context, chosen);
      }),
      nolog: press((context) =>
        change(context, ({ logChannelId: _id, logTrouble: _trouble, ...now }) => now),
      ),
      announce: press((context) =>
        change(context, (now) => ({ ...now, announce: context.argument === 'on' })),
      ),
      games: press(async (context) => {
        const now = await settings.get(context.guildId);
        return gamesView(context, {
          now,
          games: games.list().games,
          wanted: readPage(context.argument).wanted,
        });
      }),
      choose: press((context) => chooseGames(context, { settings, games: games.list().games })),
      allgames: press((context) => change(context, ({ games: _some, ...now }) => now)),
      back: press(async (context) => show(context, await settings.get(context.guildId))),
      quota: {
        answer: 'modal',
        async run(context) {
          return quotaModal(context);
        },
      },
    },
    submits: {
      quota: {
        answer: 'update',
        async run(context) {
          const typed = context.field('quota').trim();
          const quota = Number(typed);
          if (typed !== '' && !(/^\d{1,9}$/.test(typed) && quota >= 1 && quota <= HIGHEST_QUOTA)) {
            throw new UserError(context.t('settings.quotaInvalid', { most: HIGHEST_QUOTA }));
          }
          return change(context, ({ dailyQuota: _former, ...now }) =>
            typed === '' ? now : { ...now, dailyQuota: quota },
          );
        },
      },
    },
  };
}

function missingText({ t }: Context, channelId: string, names: readonly (typeof NEEDED)[number][]): string {
  return t('settings.missing', {
    count: names.length,
    channelId,
    names: names.map((name) => `**${t(`permission.${name}`)}**`).join(', '),
  });
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
