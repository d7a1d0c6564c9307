import {
  ApplicationCommandType,
  LabelBuilder,
  ModalBuilder,
  PermissionFlagsBits,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import type { ChannelPosts } from '../src/discord/channel-posts.ts';
import {
  type Call,
  type ChosenChannel,
  type Command,
  customId,
  type PressCall,
  type Reply,
} from '../src/discord/command.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import { type GuildSettings, HIGHEST_QUOTA, type Settings } from '../src/guilds/settings.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { UserError } from '../src/user-error.ts';
import { commandText } from '../src/words/command-text.ts';
import { wordsFor } from '../src/words/words.ts';
import { GUILD_ONLY } from './guild-only.ts';
import { adminsOnly } from './may-manage.ts';
import { chooseGames, gamesView } from './settings-games.ts';
import { settingsView } from './settings-view.ts';
import { memberText } from './submission-log.ts';

export interface SettingsDeps {
  readonly settings: Pick<GuildSettings, 'get' | 'areLost' | 'change'>;
  readonly games: Pick<GameCatalog, 'list'>;
  readonly posts: ChannelPosts;
  readonly guildLog: Pick<GuildLog, 'tell'>;
  /** Where the bot user can be added to a guild that has the commands alone; `undefined` when it is there, or nobody knows. */
  readonly addBotLink: (guildId: string) => Promise<string | undefined>;
}

/** What the log needs in its channel: its entries are embeds. */
const NEEDED = ['ViewChannel', 'SendMessages', 'EmbedLinks'] as const;

/** /settings: shows what the guild's admins have chosen, and changes it with buttons, selects and a modal. */
export function settingsCommand({ settings, games, posts, guildLog, addBotLink }: SettingsDeps): Command {
  const allowed = (call: Call) => adminsOnly(call, { command: 'settings', guildLog });
  const show = async (call: Call, now: Settings): Promise<Reply> =>
    settingsView(call, { now, games: games.list().games, addBotLink: await addBotLink(call.guildId) });

  /** A change that is shown at once. What the log says later is in the language the guild has now. */
  async function change(call: Call, make: (now: Settings) => Settings): Promise<Reply> {
    const changed = await settings.change(call.guildId, (now) => make({ ...now, locale: call.guildLocale }));
    return show(call, changed);
  }

  /** @throws UserError when the log cannot be there; the permissions that are missing are named */
  async function chooseChannel(call: PressCall, chosen: ChosenChannel): Promise<Reply> {
    const { t, user, guildLocale } = call;
    const channelId = chosen.id;
    const link = await addBotLink(call.guildId);
    if (link !== undefined) throw new UserError(t('settings.logNeedsBot', { link }));
    // Discord says what the bot may do there; should it not, the first message tells.
    const missing = NEEDED.filter((name) => chosen.botPermissions?.has(PermissionFlagsBits[name]) === false);
    if (missing.length > 0) throw new UserError(missingText(call, channelId, missing));
    const description = wordsFor(guildLocale)('guildLog.opened', { member: memberText(user) });
    switch (await posts.post(channelId, { description })) {
      case 'gone':
        throw new UserError(t('settings.channelGone'));
      case 'no-access':
        throw new UserError(missingText(call, channelId, ['ViewChannel']));
      case 'no-permission':
        throw new UserError(missingText(call, channelId, ['SendMessages', 'EmbedLinks']));
      case 'failed':
        throw new UserError(t('settings.channelUntested', { channelId }));
      case 'posted':
        return change(call, ({ logTrouble: _mended, ...now }) => ({ ...now, logChannelId: channelId }));
    }
  }

  /** A handler of a component that changes the message it is on. */
  const press = (run: (call: PressCall) => Promise<Reply>) => ({
    answer: 'update' as const,
    async run(call: PressCall) {
      await allowed(call);
      return run(call);
    },
  });

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('settings'),
      ...GUILD_ONLY,
      default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    },
    audience: 'member',
    async run(call) {
      await allowed(call);
      const areLost = await settings.areLost(call.guildId);
      const now = await settings.get(call.guildId);
      const view = await (now.locale === call.guildLocale ? show(call, now) : change(call, (same) => same));
      return areLost ? { ...view, content: call.t('settings.lost') } : view;
    },
    presses: {
      channel: press(async (call) => {
        const [chosen] = call.channels;
        if (!chosen) throw new UserError(call.t('settings.channelGone'));
        return chooseChannel(call, chosen);
      }),
      nolog: press((call) => change(call, ({ logChannelId: _id, logTrouble: _trouble, ...now }) => now)),
      announce: press((call) => change(call, (now) => ({ ...now, announce: call.argument === 'on' }))),
      games: press(async (call) => {
        const now = await settings.get(call.guildId);
        return gamesView(call, { now, games: games.list().games, page: Number.parseInt(call.argument, 10) });
      }),
      choose: press((call) => chooseGames(call, { settings, games: games.list().games })),
      allgames: press((call) => change(call, ({ games: _some, ...now }) => now)),
      back: press(async (call) => show(call, await settings.get(call.guildId))),
      quota: {
        answer: 'modal',
        async run(call) {
          await allowed(call);
          return quotaModal(call);
        },
      },
    },
    submits: {
      quota: {
        answer: 'update',
        async run(call) {
          await allowed(call);
          const typed = call.field('quota').trim();
          const quota = Number(typed);
          if (typed !== '' && !(/^\d{1,9}$/.test(typed) && quota >= 1 && quota <= HIGHEST_QUOTA)) {
            throw new UserError(call.t('settings.quotaInvalid', { most: HIGHEST_QUOTA }));
          }
          return change(call, ({ dailyQuota: _former, ...now }) =>
            typed === '' ? now : { ...now, dailyQuota: quota },
          );
        },
      },
    },
  };
}

function missingText({ t }: Call, channelId: string, names: readonly (typeof NEEDED)[number][]): string {
  return t('settings.missing', {
    count: names.length,
    channelId,
    names: names.map((name) => `**${t(`permission.${name}`)}**`).join(', '),
  });
}

/** The quota that is set stands in the button's custom id, since a modal must be opened without any work. */
function quotaModal({ t, argument }: PressCall): ModalBuilder {
  const input = new TextInputBuilder()
    .setCustomId('quota')
    .setStyle(TextInputStyle.Short)
    .setMaxLength(String(HIGHEST_QUOTA).length)
    .setRequired(false);
  if (/^\d{1,4}$/.test(argument)) input.setValue(argument);
  const label = new LabelBuilder()
    .setLabel(t('settings.quotaLabel'))
    .setDescription(t('settings.quotaHint', { most: HIGHEST_QUOTA }))
    .setTextInputComponent(input);
  return new ModalBuilder()
    .setCustomId(customId('settings', 'quota'))
    .setTitle(t('settings.quotaTitle'))
    .addLabelComponents(label);
}
