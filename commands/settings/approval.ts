import { WAITS_MS } from '../../src/approval/waiting-store.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import { button, roleSelect } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { DAY_MS } from '../../src/pacing/durations.ts';
import type { Audience, Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { logChannelSelect } from './log-channel.ts';
import {
  BROKEN,
  changeId,
  chosenId,
  FINE,
  hasLog,
  INCOMPLETE,
  OFF,
  type Setting,
  type SettingsView,
} from './setting.ts';
import { trustedRoleLine } from './trusted-role.ts';

/** The setting for whether submissions need approval, and which role can approve them. */
export const approvalSetting = ({ decisionMessages }: Pick<CommandDeps, 'decisionMessages'>): Setting => ({
  id: 'approval',
  name: (t) => t('settings.approval.name'),
  line: approvalLine,
  about: ({ t }) => t('settings.approval.about', { count: WAITS_MS / DAY_MS }),
  needsLog: true,
  notes(audience, shown) {
    const { t } = audience;
    const { approval, approvalRoleId, trustedRoleId } = shown.now;
    const isToChooseFirst = !approval && !hasLog(shown.now);
    const isTold = decisionMessages.isOn && sendsDirectMessages(shown.now);
    return [
      ...(approvalRoleId === undefined ? [] : [mentionLine(t, shown.now)]),
      isTold
        ? `${FINE} ${t('settings.approval.messagesOn')}`
        : `${OFF} ${t('settings.approval.messagesOff')}`,
      ...(trustedRoleId === undefined ? [] : [trustedRoleLine(t, shown)]),
      ...(isToChooseFirst ? [t('settings.approval.needsLog')] : []),
      ...waitingTexts(audience, shown),
    ];
  },
  controls: ({ t }, { now }) => ({
    selects: [
      !hasLog(now) && logChannelSelect(t, now, 'approval'),
      roleSelect(
        changeId('approval', 'role'),
        now.approvalRoleId === undefined ? t('settings.approvalRolePlaceholder') : t('settings.otherRole'),
      ),
    ],
    buttons: [
      !now.approval && hasLog(now) && button(changeId('approval', 'on'), t('settings.approvalOnButton')),
      now.approval && button(changeId('approval', 'off'), t('settings.approvalOffButton')),
      decisionMessages.isOn && directMessagesButton(t, now),
      now.approvalRoleId !== undefined && mentionButton(t, now),
      now.approvalRoleId !== undefined &&
        button(changeId('approval', 'no-role'), t('settings.approval.noRole')),
    ],
  }),
  handlers: {
    on: ({ t }) => ({
      make(before) {
        if (!hasLog(before)) throw new UserError(t('settings.approval.needsLog'));
        return { ...before, approval: true };
      },
    }),
    off: () => ({ make: ({ approval: _former, ...before }) => before }),
    role(context) {
      const { t, guildId, isRoleMentionable } = context;
      const approvalRoleId = chosenId(context);
      if (approvalRoleId === guildId) throw new UserError(t('settings.approvalRoleEveryone'));
      return {
        make: ({ mentionsApprovalRole: _former, ...before }) => ({
          ...before,
          approvalRoleId,
          mayMentionApprovalRole: isRoleMentionable,
        }),
      };
    },
    tell: () => ({ make: ({ directMessages: _former, ...before }) => before }),
    'tell-not': () => ({ make: (before) => ({ ...before, directMessages: false }) }),
    mention: ({ t }) => ({
      make(before) {
        const { approvalRoleId: roleId, mayMentionRoles, mayMentionApprovalRole } = before;
        if (roleId === undefined) throw new UserError(t('settings.gone'));
        if (mayMentionRoles || mayMentionApprovalRole) return { ...before, mentionsApprovalRole: true };
        throw new UserError(t('settings.roleNotMentionable', { roleId }));
      },
    }),
    'mention-not': () => ({ make: ({ mentionsApprovalRole: _former, ...before }) => before }),
    'no-role': () => ({
      make: ({ approvalRoleId: _role, mentionsApprovalRole: _former, ...before }) => before,
    }),
  },
});

const mentionLine = (t: Translate, { mentionsApprovalRole }: Settings): string =>
  mentionsApprovalRole
    ? `${FINE} ${t('settings.approval.mentionOn')}`
    : `${OFF} ${t('settings.approval.mentionOff')}`;

const mentionButton = (t: Translate, { mentionsApprovalRole }: Settings) =>
  mentionsApprovalRole
    ? button(changeId('approval', 'mention-not'), t('settings.approvalMentionNotButton'))
    : button(changeId('approval', 'mention'), t('settings.approvalMentionButton'));

const directMessagesButton = (t: Translate, now: Settings) =>
  sendsDirectMessages(now)
    ? button(changeId('approval', 'tell-not'), t('settings.approvalDirectMessagesOffButton'))
    : button(changeId('approval', 'tell'), t('settings.approvalDirectMessagesOnButton'));

/** Whether members are notified of decisions by direct message. */
const sendsDirectMessages = ({ directMessages }: Settings): boolean => directMessages !== false;

function approvalLine(t: Translate, { now }: Pick<SettingsView, 'now'>): string {
  const { approval, approvalRoleId: roleId } = now;
  const signIfOn = lacksApprovalLog(now) ? INCOMPLETE : FINE;
  const sign = approval ? signIfOn : OFF;
  if (roleId === undefined)
    return `${sign} ${t(approval ? 'settings.approval.on' : 'settings.approval.off')}`;
  return `${sign} ${t(approval ? 'settings.approval.onRole' : 'settings.approval.offRole', { roleId })}`;
}

/** Whether approval is enabled but the bot can't post in the log channel. */
export const lacksApprovalLog = ({ approval, logTrouble }: Settings): boolean =>
  approval === true && logTrouble !== undefined;

/** Explains where moderators can find the waiting submissions, if that isn't obvious. */
function waitingTexts(
  { t, mention }: Pick<Audience, 't' | 'mention'>,
  { now, waiting: count }: Pick<SettingsView, 'now' | 'waiting'>,
): readonly string[] {
  const submissions = mention('submissions');
  return [
    ...(lacksApprovalLog(now) ? [`${BROKEN} ${t('settings.approval.noLog', { submissions })}`] : []),
    ...(count > 0 ? [t('settings.approval.stillWaiting', { count, submissions })] : []),
  ];
}
