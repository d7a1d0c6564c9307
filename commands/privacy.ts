import { WAITS_MS } from '../src/approval/waiting-store.ts';
import type { Command, Context, Reply } from '../src/interactions/command.ts';
import { button, customId, linkButton, markOf, rows } from '../src/interactions/controls.ts';
import { UNREPLIED_KEPT_DAYS } from '../src/interactions/interaction-store.ts';
import { DAY_MS } from '../src/pacing/durations.ts';
import { REJECTED_KEPT_DAYS } from '../src/submissions/erasure.ts';
import { memberText } from '../src/words/escape.ts';
import { sentences } from '../src/words/sentences.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';
import { closePanels } from './panel-message.ts';
import { slashCommand } from './slash-command.ts';

/** /privacy: lists the stored data. Members can have their names deleted, and admins can delete all the guild's data. */
export function privacyCommand({
  deletion,
  keys,
  settings,
  guildLog,
  approvals,
  approvalMessages,
  panels,
  blocks,
  posts,
  directMessageOptOuts,
  decisionMessages,
  graceDays,
  historyDays,
  backupDays,
  looksUpServers,
  links,
  logger,
}: CommandDeps): Command {
  async function overview(context: Context): Promise<Reply> {
    const { t, guildId, user } = context;
    // /privacy shows the list even while the store is unavailable.
    const isOptedOut = await directMessageOptOuts.has(guildId, user.id).catch(() => false);
    const description = [
      sentences(
        t('privacy.ofYou'),
        t('privacy.kept', { count: historyDays }),
        t('privacy.keptRejected', { count: Math.min(historyDays, REJECTED_KEPT_DAYS) }),
        t('privacy.declined'),
      ),
      sentences(t('privacy.waiting', { count: WAITS_MS / DAY_MS }), t('privacy.notice')),
      t('privacy.underway', { count: UNREPLIED_KEPT_DAYS }),
      t('privacy.key'),
      t('privacy.settings'),
      sentences(t('privacy.service'), looksUpServers ? t('privacy.lookup') : undefined),
      sentences(
        t('privacy.leaving', { count: graceDays }),
        backupDays > 0 ? t('privacy.backups', { count: backupDays }) : undefined,
      ),
    ];
    const forget = button(customId('privacy', 'forget'), t('privacy.deleteName'));
    const erase = button(customId('privacy', 'erase'), t('privacy.erase'), 'danger');
    const messages = isOptedOut
      ? button(customId('privacy', 'messages', 'on'), t('privacy.messagesOn'))
      : button(customId('privacy', 'messages', 'off'), t('privacy.messagesOff'));
    const notice = links.privacy !== undefined && linkButton(links.privacy, t('help.privacy'));
    return {
      embeds: [{ title: t('privacy.title'), description: description.join('\n\n') }],
      components: rows([forget, decisionMessages.isOn && messages, context.isAdmin && erase, notice]),
    };
  }

  /**
   * Builds the question before all the guild's data is deleted. The button that answers the question carries a mark of the
   * data. If it no longer matches, the bot asks again.
   */
  async function askErase({ t, guildId }: Context) {
    const [key, found, waiting, standing, blocked, [newest]] = await Promise.all([
      keys.status(guildId),
      settings.getOrUnreadable(guildId),
      approvals.waiting(guildId),
      panels.of(guildId),
      blocks.list(guildId),
      approvals.latestIds(guildId),
    ]);
    const waitingIds = waiting.map(({ submissionId }) => submissionId);
    const blockIds = blocked.map(({ id }) => id);
    const mark = markOf(JSON.stringify([key?.setAt, found, waitingIds, standing, blockIds, newest]));
    const { length: count } = waiting;
    const asked = sentences(
      t('privacy.question'),
      count === 0 ? undefined : t('privacy.questionWaiting', { count }),
    );
    return {
      mark,
      reply: confirmationReply(t, asked, customId('privacy', 'confirm', mark), t('privacy.confirm')),
      found,
      waiting,
      standing,
    };
  }

  return {
    data: slashCommand('privacy'),
    isNeverBlocked: true,
    answers: 'immediate',
    run: async (context) => overview(context),
    presses: {
      messages: {
        answers: 'update',
        async run(context) {
          const { t, guildId, user, argument } = context;
          const isOff = argument === 'off';
          if (isOff) await directMessageOptOuts.add(guildId, user.id);
          else await directMessageOptOuts.delete(guildId, user.id);
          const content = t(isOff ? 'privacy.messagesAreOff' : 'privacy.messagesAreOn');
          return { ...(await overview(context)), content };
        },
      },
      forget: {
        answers: 'immediate',
        run: async ({ t }) => {
          const asked = sentences(
            t('privacy.askDeleteName'),
            t('privacy.idKept'),
            t('privacy.askDeleteNameWaiting'),
          );
          return confirmationReply(t, asked, customId('privacy', 'forgetme'), t('privacy.deleteName'));
        },
      },
      forgetme: {
        answers: 'update',
        async run({ t, guildId, user }) {
          const count = await deletion.member(guildId, user.id);
          // Only names the guild, because the log must not show which member it was.
          logger.info({ guildId }, "deleted a member's name and drafts");
          // Updates the moderators' messages about the withdrawn submissions in the background.
          void approvalMessages.showDue();
          const deleted = count === 0 ? t('privacy.unnamed') : t('privacy.nameDeleted', { count });
          return { content: sentences(deleted, t('privacy.waitingWithdrawn')) };
        },
      },
      erase: {
        permission: 'manage-guild',
        answers: 'immediate',
        run: async (context) => (await askErase(context)).reply,
      },
      confirm: {
        permission: 'manage-guild',
        answers: 'update',
        async run(context) {
          const { t, interactionId, guildId, user, guildWords } = context;
          const words = await guildWords();
          const { mark, reply, found, waiting, standing } = await askErase(context);
          if (mark !== context.argument) {
            const content = sentences(t('privacy.changedSince'), reply.content);
            return { ...reply, content, isUserError: true };
          }
          await deletion.guild(guildId);
          logger.info({ interactionId, guildId }, "deleted a guild's data");
          void approvalMessages.showDeleted(waiting);
          void closePanels({ posts }, standing, words);
          if (found !== 'unreadable' && found.logChannelId !== undefined) {
            const said = `🗑️ ${words('guildLog.erased', { member: memberText(user) })}`;
            await guildLog.farewell(guildId, found.logChannelId, () => said);
          }
          return { content: t('button.deleted') };
        },
      },
      cancel: {
        answers: 'immediate update',
        run: async (context) => ({ ...(await overview(context)), content: context.t('button.cancelled') }),
      },
    },
  };
}

const confirmationReply = (t: Translate, content: string, deleteId: string, label: string): Reply => ({
  content,
  components: rows([
    button(deleteId, label, 'danger'),
    button(customId('privacy', 'cancel'), t('button.cancel')),
  ]),
});
