import { WAITS_MS } from '../../src/approval/waiting-store.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import { button, customId, roleSelect, select } from '../../src/interactions/controls.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { DAY_MS } from '../../src/pacing/durations.ts';
import { withSign } from '../../src/words/servers.ts';
import type { Audience, Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { MAX_DECIDED_TOGETHER } from '../submissions/list-several.ts';
import { logChannelSelect } from './log-channel.ts';
import {
  BROKEN,
  type Change,
  changeId,
  chosenId,
  FINE,
  hasLog,
  INCOMPLETE,
  OFF,
  removal,
  type Setting,
  type SettingsView,
  switchedOptions,
} from './setting.ts';
import { trustedRoleLine } from './trusted-role.ts';

/** All options share one menu. */
interface Option {
  /** The value of the menu's entry, and the beginning of the keys of its texts. */
  readonly name: 'messages' | 'mention' | 'trusted' | 'reason';
  /** If not, the menu omits the option and leaves it unchanged. */
  isOffered(now: Settings): boolean;
  isOn(now: Settings): boolean;
  turn(before: Settings, isOn: boolean): Settings;
}

export function approvalSetting({ decisionMessages }: Pick<CommandDeps, 'decisionMessages'>): Setting {
  const options: readonly Option[] = [
    {
      name: 'messages',
      isOffered: () => decisionMessages.isOn,
      isOn: sendsDirectMessages,
      turn: ({ directMessages: _former, ...before }, isOn) =>
        isOn ? before : { ...before, directMessages: false },
    },
    {
      name: 'mention',
      isOffered: ({ approvalRoleId }) => approvalRoleId !== undefined,
      isOn: mentionsRole,
      turn: (before, isOn) => (isOn === mentionsRole(before) ? before : withMention(before, isOn)),
    },
    {
      name: 'trusted',
      isOffered: ({ approvalRoleId }) => approvalRoleId !== undefined,
      isOn: trustsApprovalRole,
      turn: (before, isOn) => {
        const { approvalRoleId, trustedRoleId: _former, ...others } = before;
        if (isOn === trustsApprovalRole(before) || approvalRoleId === undefined) return before;
        return { ...others, approvalRoleId, ...(isOn && { trustedRoleId: approvalRoleId }) };
      },
    },
    {
      name: 'reason',
      isOffered: () => true,
      isOn: ({ requiresReason }) => requiresReason === true,
      turn: ({ requiresReason: _former, ...before }, isOn) =>
        isOn ? { ...before, requiresReason: true } : before,
    },
  ];
  const offered = (now: Settings) => options.filter(({ isOffered }) => isOffered(now));

  return {
    id: 'approval',
    name: (t) => t('settings.approval.name'),
    line: approvalLine,
    about: ({ t }) => t('settings.approval.about', { count: WAITS_MS / DAY_MS }),
    needsLog: true,
    states: (t, { now }) => ({
      // The operator has turned direct messages off, so admins can't turn them on.
      ...(!decisionMessages.isOn && { messages: stateText(t, 'messages', false) }),
      ...Object.fromEntries(offered(now).map(({ name, isOn }) => [name, stateText(t, name, isOn(now))])),
      ...(now.trustedRoleId !== undefined && { role: trustedRoleLine(t, { now }) }),
    }),
    notes(audience, shown) {
      const { t } = audience;
      const isToChooseFirst = !shown.now.approval && !hasLog(shown.now);
      return [
        ...(isToChooseFirst ? [t('settings.approval.needsLog')] : []),
        ...waitingTexts(audience, shown),
      ];
    },
    controls: ({ t }, { now, waitingCount }) => ({
      selects: [
        !hasLog(now) && logChannelSelect(t, now, 'approval'),
        roleSelect(
          changeId('approval', 'role'),
          now.approvalRoleId === undefined ? t('settings.approvalRolePlaceholder') : t('settings.otherRole'),
        ),
        select({
          id: changeId('approval', 'options'),
          placeholder: t('settings.approval.options'),
          options: offered(now).map(({ name, isOn }) => ({
            label: t(`settings.approval.${name}Button`),
            value: name,
            default: isOn(now),
          })),
          minChosen: 0,
        }),
      ],
      buttons: [
        !now.approval && hasLog(now) && button(changeId('approval', 'on'), t('settings.approvalOnButton')),
        now.approval && button(changeId('approval', 'off'), t('settings.approvalOffButton')),
        !now.approval &&
          waitingCount > 0 &&
          button(
            customId('submissions', 'approveall', ''),
            waitingCount > MAX_DECIDED_TOGETHER
              ? t('settings.approval.approveOldest', { number: MAX_DECIDED_TOGETHER })
              : t('settings.approval.approveWaiting', { count: waitingCount }),
          ),
        now.approvalRoleId !== undefined &&
          button(changeId('approval', `no-role:${now.approvalRoleId}`), t('settings.approval.noRole')),
      ],
    }),
    handlers: {
      on: ({ t }) => ({
        make(before) {
          if (!hasLog(before)) throw new UserError(t('settings.approval.needsLog'));
          return { ...before, approval: true };
        },
      }),
      // Another admin may have turned approval off since the page was shown.
      off: () => ({ make: (before) => (before.approval ? { ...before, approval: false } : before) }),
      role(context, now) {
        const { t, guildId, isRoleMentionable } = context;
        const approvalRoleId = chosenId(context);
        if (approvalRoleId === guildId) throw new UserError(t('settings.approvalRoleEveryone'));
        // The options of the previous role apply to the new role.
        const make = (before: Settings) => {
          const chosen = { ...before, approvalRoleId, mayMentionApprovalRole: isRoleMentionable };
          const trusted = trustsApprovalRole(before) ? { trustedRoleId: approvalRoleId } : {};
          return { ...withMention(chosen, mentionsRole(before)), ...trusted };
        };
        return { make, ...withTextAbove(unmentionedTexts(t, make(now), mentionsRole(now))) };
      },
      options(context, now) {
        const switched = switchedOptions(context);
        const make = (before: Settings) =>
          offered(before).reduce(
            (so, { name, isOn, turn }) => turn(so, switched.get(name) ?? isOn(so)),
            before,
          );
        const texts = [
          ...unmentionedTexts(context.t, now, switched.get('mention') === true),
          ...trustedRoleReplacedTexts(context.t, now, make(now)),
        ];
        return { make, ...withTextAbove(texts) };
      },
      'no-role': removal(
        'approvalRoleId',
        'settings.otherChosen',
        ({ mentionsApprovalRole: _former, ...others }) => others,
      ),
    },
  };
}

const stateText = (t: Translate, name: Option['name'], isOn: boolean): string =>
  `${isOn ? FINE : OFF} ${t(`settings.approval.${name}${isOn ? 'On' : 'Off'}`)}`;

const trustsApprovalRole = ({ approvalRoleId, trustedRoleId }: Settings): boolean =>
  approvalRoleId !== undefined && trustedRoleId === approvalRoleId;

const mentionsRole = ({ mentionsApprovalRole }: Settings): boolean => mentionsApprovalRole === true;

const canMention = ({ mayMentionRoles, mayMentionApprovalRole }: Settings): boolean =>
  mayMentionRoles === true || mayMentionApprovalRole === true;

const withMention = ({ mentionsApprovalRole: _former, ...others }: Settings, isOn: boolean): Settings =>
  isOn && canMention(others) ? { ...others, mentionsApprovalRole: true } : others;

const unmentionedTexts = (t: Translate, now: Settings, isWanted: boolean): readonly string[] =>
  isWanted && !canMention(now)
    ? [withSign('not-sent', t('settings.approval.notMentioned', { roleId: now.approvalRoleId ?? '' }))]
    : [];

function trustedRoleReplacedTexts(
  t: Translate,
  { trustedRoleId: roleId }: Settings,
  next: Settings,
): readonly string[] {
  const isReplaced = roleId !== undefined && roleId !== next.trustedRoleId && trustsApprovalRole(next);
  return isReplaced ? [withSign('not-sent', t('settings.approval.trustedReplaced', { roleId }))] : [];
}

const withTextAbove = (texts: readonly string[]): Pick<Change, 'textAbove'> =>
  texts.length === 0 ? {} : { textAbove: texts.join('\n') };

const sendsDirectMessages = ({ directMessages }: Settings): boolean => directMessages !== false;

function approvalLine(t: Translate, { now }: Pick<SettingsView, 'now'>): string {
  const { approval, approvalRoleId: roleId } = now;
  const signIfOn = lacksApprovalLog(now) ? INCOMPLETE : FINE;
  const sign = approval ? signIfOn : OFF;
  if (roleId === undefined)
    return `${sign} ${t(approval ? 'settings.approval.on' : 'settings.approval.off')}`;
  return `${sign} ${t(approval ? 'settings.approval.onRole' : 'settings.approval.offRole', { roleId })}`;
}

export const lacksApprovalLog = ({ approval, logTrouble }: Settings): boolean =>
  approval === true && logTrouble !== undefined;

function waitingTexts(
  { t, mention }: Pick<Audience, 't' | 'mention'>,
  { now, waitingCount: count }: Pick<SettingsView, 'now' | 'waitingCount'>,
): readonly string[] {
  const submissions = mention('submissions');
  return [
    ...(lacksApprovalLog(now) ? [`${BROKEN} ${t('settings.approval.noLog', { submissions })}`] : []),
    ...(count > 0 ? [t('settings.approval.stillWaiting', { count, submissions })] : []),
  ];
}
