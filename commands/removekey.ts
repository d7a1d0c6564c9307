import type { KeyStatus } from '../src/guilds/api-keys.ts';
import type { Command, Context, PressContext, Reply } from '../src/interactions/command.ts';
import { button, customId, rows } from '../src/interactions/controls.ts';
import { memberText } from '../src/words/escape.ts';
import { keyText, namingKey } from '../src/words/keys.ts';
import { sentences } from '../src/words/sentences.ts';
import { withSign } from '../src/words/servers.ts';
import type { CommandDeps } from './deps.ts';
import { enterKey } from './setkey.ts';
import { slashCommand } from './slash-command.ts';

/** /removekey: asks for confirmation, then permanently deletes the guild's key. */
export function removeKey({ keys, guildLog, logger }: CommandDeps): Command {
  const none = (context: Context): Reply => ({
    content: keyText({ code: 'key-missing' }, context),
    components: rows([enterKey(context)]),
  });

  async function ask(context: Context): Promise<Reply> {
    const status = await keys.status(context.guildId);
    return status ? question(context, status) : none(context);
  }

  async function remove(context: PressContext): Promise<Reply> {
    const { t, interactionId, guildId, user } = context;
    // The admin confirmed deleting one specific key, so a newer key must not be deleted.
    if (!(await keys.delete(guildId, context.argument || undefined))) {
      const isAnother = (await keys.status(guildId)) !== undefined;
      return isAnother
        ? { content: sentences(t('removekey.changed'), t('again.runAgain')), isUserError: true }
        : none(context);
    }
    logger.info({ interactionId, guildId }, "removed a guild's API key");
    await guildLog.add(
      guildId,
      (words) => `🔑 ${words('guildLog.keyRemoved', { member: memberText(user) })}`,
    );
    return { content: withSign('accepted', t('removekey.removed')), components: rows([enterKey(context)]) };
  }

  return {
    data: slashCommand('removekey'),
    isNeverBlocked: true,
    permission: 'manage-guild',
    answers: 'immediate',
    run: ask,
    presses: {
      ask: { answers: 'immediate update', run: ask },
      confirm: { answers: 'update', run: remove },
      cancel: { answers: 'immediate update', run: async ({ t }) => ({ content: t('button.cancelled') }) },
    },
  };
}

/** Asks for confirmation. The button identifies the key by the time it was set, which is missing from damaged records. */
function question({ t }: Context, { lastFour, setAt = '' }: KeyStatus): Reply {
  const id = customId('removekey', 'confirm', setAt);
  return {
    content: namingKey(lastFour, (key) => t('removekey.question', { key })),
    components: rows([
      button(id, t('removekey.confirm'), 'danger'),
      button(customId('removekey', 'cancel'), t('button.cancel')),
    ]),
  };
}
