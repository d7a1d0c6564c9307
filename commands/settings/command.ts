import { PermissionFlagsBits } from 'discord.js';
import type { ChannelPosts, PostResult } from '../../src/discord/channel-posts.ts';
import type { ApiKeys } from '../../src/guilds/api-keys.ts';
import {
  DEFAULTS,
  type GuildSettings,
  HIGHEST_QUOTA,
  logChannels,
  type Settings,
} from '../../src/guilds/settings.ts';
import type { Command, Context, PressContext, Reply, SubmitContext } from '../../src/interactions/command.ts';
import {
  button,
  type Control,
  customId,
  linkButton,
  type Modal,
  modal,
  rows,
} from '../../src/interactions/controls.ts';
import type { GuildLog } from '../../src/interactions/guild-log.ts';
import {
  type ChosenOnPage,
  chosenOnPage,
  pageButtons,
  pagedSelect,
  readPage,
} from '../../src/interactions/pager.ts';
import type { Game } from '../../src/listing/contract.ts';
import type { Games } from '../../src/listing/games.ts';
import { DAY_MS } from '../../src/numbers.ts';
import type { Approvals } from '../../src/submissions/approvals.ts';
import { WAITS_MS } from '../../src/submissions/runs.ts';
import { UserError } from '../../src/user-error.ts';
import { memberText } from '../../src/words/escape.ts';
import { gameOption, isSelectable } from '../../src/words/games.ts';
import { signed } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import { enterKey } from '../setkey.ts';
import { slashCommand } from '../slash-command.ts';
import { approvalRoleSelect, logChannelSelect, notifyRoleSelect } from './selects.ts';
import {
  announceText,
  approvalText,
  gamesText,
  lacksApprovalLog,
  lacksKey,
  MANY_GAMES,
  missingIn,
  missingNames,
  namesOf,
  quotaText,
  roleText,
  type SettingsShown,
  settingsText,
  waitingTexts,
} from './text.ts';

export interface SettingsDeps {
  readonly settings: Pick<GuildSettings, 'find' | 'change'>;
  readonly keys: Pick<ApiKeys, 'status'>;
  readonly approvals: Pick<Approvals, 'waiting'>;
  readonly games: Pick<Games, 'all' | 'isFresh'>;
  readonly guildLog: Pick<GuildLog, 'tell'>;
  readonly posts: Pick<ChannelPosts, 'post'>;
  /**
   * A link to add the bot user to a guild that has only the commands; `undefined` if the bot user is there, or nobody
   * knows.
   */
  readonly addBotLink: (guildId: string) => Promise<string | undefined>;
}

/**
 * Discord's own guide to the Integrations page. There is no documented link to that page of a server itself (Discord
 * docs: Message Formatting has guild navigation to other pages only), so the way there is said in words.
 */
const INTEGRATIONS_GUIDE =
  'https://support-apps.discord.com/hc/en-us/articles/26501869403159-Command-Permissions';

type MakeSettings = (now: Settings) => Settings;
/** Says how a setting is, in one line. */
type SettingLine = (t: Translate, shown: Pick<SettingsShown, 'now' | 'games'>) => string;

/** The settings, or the defaults if they cannot be read: an admin then sets them anew. */
async function readableSettings(guildId: string, settings: Pick<GuildSettings, 'find'>): Promise<Settings> {
  const found = await settings.find(guildId);
  return found === 'unreadable' ? DEFAULTS : found;
}

/**
 * The channel that was chosen for the log, after a first message in it.
 * @throws UserError when the log cannot be there; the permissions that are missing are named
 */
async function chosenLogChannel(
  { t, guildT, guildId, user, values, channelPermissions }: PressContext,
  { posts, addBotLink }: Pick<SettingsDeps, 'posts' | 'addBotLink'>,
): Promise<string> {
  const channelId = chosenId(t, values);
  const description = `⚙️ ${guildT('guildLog.opened', { member: memberText(user) })}`;
  const lacking = missingIn(channelPermissions);
  const result =
    lacking.length > 0 ? 'no-permission' : await posts.post(channelId, { embed: { description } });
  if (result === 'posted') return channelId;
  const link = result === 'failed' ? undefined : await addBotLink(guildId);
  if (link !== undefined) throw new UserError(t('settings.logNeedsBot', { link }));
  throw new UserError(troubleText(t, channelId, result, lacking));
}

/** Why there is no message in a channel. @param lacking permissions that the bot lacks, if Discord has named them */
function troubleText(
  t: Translate,
  channelId: string,
  trouble: Exclude<PostResult, 'posted'>,
  lacking: ReturnType<typeof missingIn> = [],
): string {
  if (trouble === 'failed') return t('settings.channelUntested', { channelId });
  if (trouble === 'gone') return t('settings.gone');
  const names = lacking.length > 0 ? namesOf(t, lacking) : missingNames(t, trouble);
  return t('settings.missing', { channelId, names });
}

/** Changes which channel has the log, if any, and says so in the former one. The new one has its first line already. */
async function moveLog(
  guildId: string,
  make: MakeSettings,
  farewell: string,
  { settings, posts }: SettingsDeps,
): Promise<Settings> {
  let formerId: string | undefined;
  const now = await settings.change(guildId, ({ logTrouble: _trouble, ...before }) => {
    formerId = before.logChannelId;
    return make(before);
  });
  if (formerId !== undefined && formerId !== now.logChannelId) {
    await posts.post(formerId, { embed: { description: farewell } });
  }
  return now;
}

async function changeLogChannel(context: PressContext, deps: SettingsDeps): Promise<Settings> {
  const { guildId, guildT, guildLocale, user, channelPermissions = 0n } = context;
  const logChannelId = await chosenLogChannel(context, deps);
  const mayMentionRoles = (channelPermissions & PermissionFlagsBits.MentionEveryone) !== 0n;
  const farewell = `⚙️ ${guildT('guildLog.moved', { member: memberText(user), channelId: logChannelId })}`;
  const make = (before: Settings) => ({ ...before, locale: guildLocale, logChannelId, mayMentionRoles });
  return moveLog(guildId, make, farewell, deps);
}

/** @throws UserError where submissions wait in the log channel */
function turnLogOff({ t, guildId, guildT, user }: PressContext, deps: SettingsDeps): Promise<Settings> {
  const farewell = `🔕 ${guildT('guildLog.logOff', { member: memberText(user) })}`;
  function make({ logChannelId: _former, ...before }: Settings): Settings {
    if (before.approval) throw new UserError(t('settings.approval.keepsLog'));
    return before;
  }
  return moveLog(guildId, make, farewell, deps);
}

/** Posts a line in the present log channel. @returns what came of it, as the settings say it from now on */
async function testLog(context: PressContext, { settings, posts }: SettingsDeps): Promise<string> {
  const { t, guildT, guildId, user } = context;
  const { logChannelId: channelId } = await readableSettings(guildId, settings);
  if (channelId === undefined) throw new UserError(t('settings.gone'));
  const description = `⚙️ ${guildT('guildLog.tested', { member: memberText(user) })}`;
  const result = await posts.post(channelId, { embed: { description } });
  if (result === 'failed') throw new UserError(troubleText(t, channelId, result));
  await logChannels(settings).setTrouble(guildId, channelId, result === 'posted' ? undefined : result);
  return result === 'posted' ? t('settings.logTested', { channelId }) : troubleText(t, channelId, result);
}

/** The channel or role that was chosen. @throws UserError where Discord says that it is none of the guild's */
function chosenId(t: Translate, [id]: readonly string[]): string {
  if (id === undefined) throw new UserError(t('settings.gone'));
  return id;
}

/**
 * The role that was chosen to be notified.
 * @param mayMentionRoles whether the bot may mention every role in the log channel
 * @throws UserError when it cannot be: @everyone never, and none that the bot may not mention
 */
function chosenRole(
  { t, guildId, values, isRoleMentionable }: PressContext,
  { mayMentionRoles = false }: Settings,
): string {
  const roleId = chosenId(t, values);
  if (roleId === guildId) throw new UserError(t('settings.roleEveryone'));
  if (!isRoleMentionable && !mayMentionRoles) {
    throw new UserError(t('settings.roleNotMentionable', { roleId }));
  }
  return roleId;
}

/** @throws UserError where submissions would wait in no channel */
function withApproval(now: Settings, isOn: boolean, t: Translate): Settings {
  const { approval: _previous, ...others } = now;
  if (!isOn) return others;
  if (now.logChannelId === undefined || now.logTrouble !== undefined) {
    throw new UserError(t('settings.approval.needsLog'));
  }
  return { ...now, approval: true };
}

/** /settings: shows what the guild's admins have chosen, and changes it with buttons, selects and a modal. */
export function settingsCommand(deps: SettingsDeps): Command {
  const { settings, keys, approvals, games, guildLog } = deps;

  const read = (context: Context) => readableSettings(context.guildId, settings);
  const countWaiting = async ({ guildId }: Context) => (await approvals.waiting(guildId)).length;

  /** Reads what is shown before the change: if the store fails, the admin is told while nothing was changed. */
  async function showAfter(
    context: Context,
    makeChange: () => Promise<Settings>,
    retry?: Control,
  ): Promise<Reply> {
    const [key, waiting] = await Promise.all([keys.status(context.guildId), countWaiting(context)]);
    const now = await makeChange();
    return overview(context, { now, key, games: games.all }, waiting, retry);
  }

  /** Tells the log channel who has changed what, and how it is now, in the guild's present language. */
  async function changed(
    { guildId, guildLocale, user }: Context,
    make: MakeSettings,
    lineOf: SettingLine,
  ): Promise<Settings> {
    const now = await settings.change(guildId, (before) => make({ ...before, locale: guildLocale }));
    const shown = { now, games: games.all };
    await guildLog.tell(guildId, (t) => {
      return `⚙️ ${t('guildLog.changed', { member: memberText(user) })}\n${lineOf(t, shown)}`;
    });
    return now;
  }

  /** A change that is shown at once. */
  const change = (context: Context, make: MakeSettings, lineOf: SettingLine): Promise<Reply> =>
    showAfter(context, () => changed(context, make, lineOf));

  async function show(context: Context): Promise<Reply> {
    const isLost = (await settings.find(context.guildId)) === 'unreadable';
    return isLost
      ? showBelow(context, signed('not-sent', context.t('settings.lost')))
      : showAfter(context, () => read(context));
  }

  /** Shows all settings as they are now, below a notice. */
  async function showBelow(context: Context, said: string, retry?: Control): Promise<Reply> {
    const view = await showAfter(context, () => read(context), retry);
    return { ...view, content: `${said}\n\n${view.content}` };
  }

  /**
   * What is refused is said above how everything is now.
   * @param showNow shows that below what is said
   */
  async function orRefused<Input extends Context>(
    context: Input,
    run: (context: Input) => Promise<Reply>,
    showNow: (context: Input, said: string) => Promise<Reply>,
  ): Promise<Reply> {
    try {
      return await run(context);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const view = await showNow(context, signed('not-sent', error.message));
      return { ...view, isRefusal: true };
    }
  }

  /** Shows the change that a button or a select makes in place of the message that it is on. */
  const press = (
    run: (context: PressContext) => Promise<Reply>,
    showNow: (context: Context, said: string) => Promise<Reply> = showBelow,
  ) => ({
    answers: 'update' as const,
    run: (context: PressContext) => orRefused(context, run, showNow),
  });
  /** The same for what only shows something else. */
  const turn = (run: (context: PressContext) => Promise<Reply>) => ({
    answers: 'update at once' as const,
    run,
  });

  async function setQuota(context: SubmitContext): Promise<Reply> {
    const quota = typedQuota(context);
    return change(
      context,
      ({ dailyQuota: _previous, ...now }) => (quota === undefined ? now : { ...now, dailyQuota: quota }),
      quotaText,
    );
  }

  /** Replaces what was chosen on a page; what is chosen on other pages stays. */
  async function chooseGames(context: PressContext): Promise<Reply> {
    // The list may be read anew while the change is saved.
    const { all } = games;
    const isFresh = games.isFresh();
    const page = chosenOnPage(gameOptions(all), context);
    const make = (before: Settings) => withGames(before, page, isFresh ? all : undefined);
    const now = await changed(context, make, gamesText);
    return gamesView(context, now, all, page.wanted);
  }

  async function showApproval(context: Context, said?: string): Promise<Reply> {
    const page = approvalPage(context, await read(context), await countWaiting(context));
    return said === undefined ? page : { ...page, content: `${said}\n\n${page.content}` };
  }

  async function changeApproval(context: Context, make: MakeSettings): Promise<Reply> {
    const waiting = await countWaiting(context);
    return approvalPage(context, await changed(context, make, approvalText), waiting);
  }

  return {
    data: slashCommand('settings'),
    permission: 'manage-guild',
    answers: 'at once',
    run: show,
    presses: {
      channel: press((context) => showAfter(context, () => changeLogChannel(context, deps))),
      testlog: press(async (context) => showBelow(context, await testLog(context, deps))),
      nolog: press((context) => showAfter(context, () => turnLogOff(context, deps))),
      role: press(async (context) => {
        const notifyRoleId = chosenRole(context, await read(context));
        return change(context, (now) => ({ ...now, notifyRoleId }), roleText);
      }),
      norole: press((context) => change(context, ({ notifyRoleId: _id, ...now }) => now, roleText)),
      announce: press((context) => {
        const announce = context.argument === 'on';
        return change(context, (now) => ({ ...now, announce }), announceText);
      }),
      games: turn(async (context) => {
        const { wanted } = readPage(context.argument);
        return gamesView(context, await read(context), games.all, wanted);
      }),
      choose: press(chooseGames),
      allgames: press((context) =>
        change(context, ({ games: _some, goneGames: _gone, ...now }) => now, gamesText),
      ),
      approval: turn((context) => showApproval(context)),
      approve: press((context) =>
        changeApproval(context, (now) => withApproval(now, context.argument === 'on', context.t)),
      ),
      approvalrole: press((context) => {
        const { t, values, guildId } = context;
        const approvalRoleId = chosenId(t, values);
        if (approvalRoleId === guildId) throw new UserError(t('settings.approvalRoleEveryone'));
        return changeApproval(context, (now) => ({ ...now, approvalRoleId }));
      }, showApproval),
      noapprovalrole: press((context) =>
        changeApproval(context, ({ approvalRoleId: _previous, ...now }) => now),
      ),
      back: turn(show),
      quota: { answers: 'modal', run: async (context) => quotaModal(context) },
    },
    submits: {
      quota: {
        answers: 'update',
        run: (context) =>
          orRefused(context, setQuota, (_context, said) => showBelow(context, said, retryQuota(context))),
      },
    },
  };
}

/**
 * What is set, with a component for each setting. The components carry all their state. Discord takes five rows, and at
 * most four are in use (ten buttons fill two): what needs more than a button gets a page of its own, as the games have.
 */
const overview = (context: Context, shown: SettingsShown, waiting: number, retry?: Control): Reply => ({
  content: settingsText(context, shown, waiting),
  components: rows(
    [logChannelSelect(context)],
    [notifyRoleSelect(context)],
    [retry, lacksKey(shown) && enterKey(context), ...settingsButtons(context.t, shown.now)],
  ),
});

const settingsButtons = (t: Translate, now: Settings): readonly (Control | false)[] => [
  button(customId('settings', 'games', '1'), t('settings.gamesButton')),
  button(customId('settings', 'quota', String(now.dailyQuota ?? '')), t('settings.quotaButton')),
  button(customId('settings', 'approval'), t('settings.approvalButton')),
  now.announce
    ? button(customId('settings', 'announce', 'off'), t('settings.announceOffButton'))
    : button(customId('settings', 'announce', 'on'), t('settings.announceOnButton')),
  now.logChannelId !== undefined && button(customId('settings', 'testlog'), t('settings.logTestButton')),
  now.logChannelId !== undefined &&
    !now.approval &&
    button(customId('settings', 'nolog'), t('settings.logOffButton')),
  now.notifyRoleId !== undefined && button(customId('settings', 'norole'), t('settings.roleOffButton')),
  linkButton(INTEGRATIONS_GUIDE, t('settings.integrationsButton')),
];

/** Whether submissions wait for a moderator, and who decides. */
function approvalPage(context: Context, now: Settings, waiting: number): Reply {
  const { t } = context;
  const count = WAITS_MS / DAY_MS;
  const content = [
    t('settings.approval.how', { count }),
    '',
    approvalText(t, { now, games: [] }),
    ...waitingTexts(context, now, waiting),
  ];
  return {
    content: content.join('\n'),
    components: rows(
      [lacksApprovalLog(now) && logChannelSelect(context)],
      [approvalRoleSelect(context)],
      [
        now.approval
          ? button(customId('settings', 'approve', 'off'), t('settings.approvalOffButton'))
          : button(customId('settings', 'approve', 'on'), t('settings.approvalOnButton')),
        now.approvalRoleId !== undefined &&
          button(customId('settings', 'noapprovalrole'), t('settings.approvalRoleOffButton')),
        button(customId('settings', 'back'), t('button.back')),
      ],
    ),
  };
}

/** The games that a select can offer. */
const gameOptions = (games: readonly Game[], now?: Settings) =>
  games
    .filter(isSelectable)
    .map((game) => ({ ...gameOption(game), default: now?.games?.includes(game.alias) ?? false }));

/** The games of the service to choose from, as many on a page as a select takes. @param wanted brought into range */
function gamesView(context: Context, now: Settings, games: readonly Game[], wanted: number): Reply {
  const { t } = context;
  const { control, page } = pagedSelect({
    id: (argument) => customId('settings', 'choose', argument),
    options: gameOptions(games, now),
    wanted,
    placeholder: ({ number, pages }) => t('settings.gamesPlaceholder', { page: number, pages }),
  });
  const buttons = [
    ...pageButtons(context, page, { command: 'settings', action: 'games' }),
    now.games !== undefined && button(customId('settings', 'allgames'), t('settings.allowAll')),
    button(customId('settings', 'back'), t('button.back')),
  ];
  const chosen = gamesText(t, { now, games }, MANY_GAMES);
  return {
    content: [`**${t('games.title')}**`, t('settings.gamesHow'), '', chosen].join('\n'),
    components: rows([control], buttons),
  };
}

/**
 * What was chosen on a page replaces what was chosen there before; what was chosen on other pages stays.
 * @param all the games of the service, if they are known: a game that the service no longer has is on no page
 */
function withGames(
  { games: allowed = [], goneGames: _gone, ...others }: Settings,
  { offered, chosen }: ChosenOnPage,
  all: readonly Game[] | undefined,
): Settings {
  const isGone = (alias: string) => all !== undefined && !all.some((game) => game.alias === alias);
  const some = [...allowed.filter((alias) => !offered.has(alias) && !isGone(alias)), ...chosen];
  return some.length === 0 ? others : { ...others, games: some };
}

const MOST_DIGITS = String(HIGHEST_QUOTA).length;

/** A button that opens the modal of the quota again, as it was typed. */
const retryQuota = ({ t, field }: SubmitContext): Control =>
  button(customId('settings', 'quota', field('quota').slice(0, MOST_DIGITS)), t('again.tryAgain'), 'primary');

/** The button's custom id holds the quota, since a modal has to be opened without any work. */
const quotaModal = ({ t, argument }: PressContext): Modal =>
  modal({
    id: customId('settings', 'quota'),
    title: t('settings.quotaTitle'),
    fields: [
      {
        id: 'quota',
        label: t('settings.quotaLabel'),
        hint: t('settings.quotaHint', { most: String(HIGHEST_QUOTA) }),
        value: argument.slice(0, MOST_DIGITS),
        most: MOST_DIGITS,
      },
    ],
  });

/** @returns `undefined` for an empty text: no quota. @throws UserError for a text that is no quota */
function typedQuota({ field, t }: SubmitContext): number | undefined {
  const typed = field('quota').trim();
  if (typed === '') return undefined;
  const quota = Number(typed);
  if (/^\d{1,9}$/.test(typed) && quota >= 1 && quota <= HIGHEST_QUOTA) return quota;
  throw new UserError(t('settings.quotaHint', { most: String(HIGHEST_QUOTA) }));
}
