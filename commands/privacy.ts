import { ApplicationCommandType } from 'discord.js';
import type { Command, Context, Reply } from '../src/discord/command.ts';
import { button, customId, rows } from '../src/discord/components/controls.ts';
import { UNANSWERED_KEPT_DAYS } from '../src/discord/resume.ts';
import type { GuildData } from '../src/guilds/guild-data.ts';
import { REFUSED_KEPT_DAYS } from '../src/submissions/pruning.ts';
import { commandText } from '../src/words/command-text.ts';

export interface PrivacyDeps {
  readonly guildData: Pick<GuildData, 'delete' | 'forgetMember'>;
  /** How many days the data of a guild that removed the bot is kept. */
  readonly graceDays: number;
  /** How many days it is kept that a server was accepted. */
  readonly historyDays: number;
}

/** /privacy: what is stored; members take their name out of it, admins delete all that is kept of their guild. */
export function privacyCommand({ guildData, graceDays, historyDays }: PrivacyDeps): Command {
  function overview(context: Context): Reply {
    const { t } = context;
    const description = [
      t('privacy.key'),
      t('privacy.submissions', { count: historyDays, refused: Math.min(historyDays, REFUSED_KEPT_DAYS) }),
      t('privacy.settings'),
      t('privacy.underway', { days: UNANSWERED_KEPT_DAYS }),
      t('privacy.service'),
      t('privacy.operator'),
      t('privacy.leaving', { count: graceDays }),
    ];
    const forget = button(customId('privacy', 'forget'), t('privacy.forget'));
    const erase = button(customId('privacy', 'erase'), t('privacy.erase'), { style: 'danger' });
    return {
      embeds: [{ title: t('privacy.title'), description: description.join('\n\n') }],
      components: rows([forget, context.isAdmin && erase]),
    };
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('privacy'),
    },
    audience: 'member',
    run: async (context) => overview(context),
    presses: {
      forget: {
        answer: 'reply',
        async run({ t, guildId, user }) {
          const count = await guildData.forgetMember(guildId, user.id);
          return { content: count === 0 ? t('privacy.notNamed') : t('privacy.forgotten', { count }) };
        },
      },
      erase: {
        permission: 'manage-guild',
        answer: 'reply',
        async run(context) {
          const confirm = button(customId('privacy', 'confirm'), context.t('privacy.confirm'), {
            style: 'danger',
          });
          return { content: context.t('privacy.question'), components: rows([confirm]) };
        },
      },
      confirm: {
        permission: 'manage-guild',
        answer: 'update',
        async run(context) {
          await guildData.delete(context.guildId);
          return { content: context.t('privacy.deleted') };
        },
      },
    },
  };
}
