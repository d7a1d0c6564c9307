import { ApplicationCommandType } from 'discord.js';
import type { Command, Context, PressContext, Reply } from '../src/discord/command.ts';
import { button, customId, rows } from '../src/discord/components/controls.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import type { ApiKeys, KeyStatus } from '../src/guilds/api-keys.ts';
import { commandText } from '../src/words/command-text.ts';
import { escapeCode, memberText } from '../src/words/words.ts';

export interface RemoveKeyDeps {
  readonly keys: Pick<ApiKeys, 'status' | 'delete'>;
  readonly guildLog: Pick<GuildLog, 'tell'>;
}

/** /removekey: asks once, then deletes the guild's key for good. */
export function removeKey({ keys, guildLog }: RemoveKeyDeps): Command {
  const none = (context: Context): Reply => ({
    content: context.t('removekey.none', { setkey: context.mention('setkey') }),
  });

  async function remove(context: PressContext): Promise<Reply> {
    const { t, guildId, user } = context;
    const status = await keys.status(guildId);
    // The question was about one key; another that was set since is not to be deleted with it.
    if (status && argumentFor(status) !== context.argument) {
      return { content: t('removekey.changed'), isRefusal: true };
    }
    if (!(await keys.delete(guildId))) return none(context);
    await guildLog.tell(guildId, (words) => words('notice.keyRemoved', { user: memberText(user) }));
    return { content: t('removekey.deleted', { setkey: context.mention('setkey') }) };
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('removekey'),
    },
    permission: 'manage-guild',
    audience: 'member',
    async run(context) {
      const status = await keys.status(context.guildId);
      return status ? question(context, status) : none(context);
    },
    presses: {
      confirm: {
        answer: 'update',
        async run(context) {
          return remove(context);
        },
      },
      cancel: { answer: 'update', run: async ({ t }) => ({ content: t('removekey.cancelled') }) },
    },
  };
}

/** Tells one key from another; a damaged record has no time. */
const argumentFor = ({ setAt }: KeyStatus) => (setAt === undefined ? '' : String(Date.parse(setAt)));

function question({ t }: Context, status: KeyStatus): Reply {
  const id = customId('removekey', 'confirm', argumentFor(status));
  const { lastFour } = status;
  return {
    content: lastFour
      ? t('removekey.question', { lastFour: escapeCode(lastFour) })
      : t('removekey.questionShort'),
    components: rows([
      button(id, t('removekey.confirm'), { style: 'danger' }),
      button(customId('removekey', 'cancel'), t('removekey.cancel')),
    ]),
  };
}
