import { isDeepStrictEqual } from 'node:util';
import { DEFAULTS, type Settings } from '../../src/guilds/settings.ts';
import type { Command, Context, PressContext, Reply, SubmitContext } from '../../src/interactions/command.ts';
import {
  button,
  type Control,
  customId,
  type Modal,
  modal,
  rows,
  select,
} from '../../src/interactions/controls.ts';
import { ownValue } from '../../src/interactions/interaction.ts';
import { readPage, writePage } from '../../src/interactions/pager.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { resultWithin } from '../../src/lifecycle.ts';
import { memberText } from '../../src/words/escape.ts';
import { withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { enterKey } from '../setkey.ts';
import { slashCommand } from '../slash-command.ts';
import { allSettings } from './all-settings.ts';
import { logLine, withTroubleHere } from './log-channel.ts';
import {
  type Change,
  changeId,
  modalId,
  OFF,
  RejectedInputError,
  type Reopen,
  type Setting,
  type SettingsView,
  UnconfirmedError,
} from './setting.ts';
import { lacksKey, nextText } from './text.ts';

/** The checks in {@link recheckAndRead} have to end in this time. Discord allows 3 seconds for the reply. */
const RETRY_TIMEOUT_MS = 1_500;
/** The check when a setting's page is opened has to end in this time, or else the page opens without its result. */
const OPENED_TIMEOUT_MS = 1_000;

interface View {
  /** The id of the setting to show. Any other value shows the overview of all settings. */
  readonly page: string;
  /** The page number, starting at 1, for settings with more than one page. */
  readonly wanted?: number;
  readonly textAbove?: string | undefined;
  readonly confirm?: Control | undefined;
  readonly reopen?: Reopen | undefined;
}

export function settingsCommand(deps: CommandDeps): Command {
  const { settings, keys, approvals, games, panels, blocks, guildLog } = deps;
  const table = allSettings(deps);
  const settingOf = (id: string) => table.find((setting) => setting.id === id);

  async function read({ guildId, guildLocale }: Context): Promise<SettingsView> {
    const [found, key, waitingCount, standing, blocked] = await Promise.all([
      settings.getOrUnreadable(guildId),
      keys.status(guildId),
      approvals.countWaiting(guildId),
      panels.of(guildId),
      blocks.list(guildId),
    ]);
    const isLost = found === 'unreadable';
    const now = { ...(isLost ? DEFAULTS : found), locale: guildLocale };
    return { now, isLost, key, games: games.all, waitingCount, panels: standing, blocks: blocked.length };
  }

  async function recheckAndRead(context: Context): Promise<SettingsView> {
    let shown = await read(context);
    for (const setting of table) {
      const tried = setting.retry?.(context, shown.now)?.then(async (made) => {
        const { now } = await saveAndLog(context, setting, made, shown);
        shown = { ...shown, now };
      });
      if (tried) await resultWithin(RETRY_TIMEOUT_MS, tried);
    }
    return shown;
  }

  function show(context: Context, known: SettingsView, view: View): Reply {
    const shown = { ...known, now: withTroubleHere(context, known.now) };
    const { page, textAbove } = view;
    const setting = settingOf(page);
    const reply = setting ? settingPage(context, shown, setting, view) : overview(context, shown, table);
    return textAbove === undefined ? reply : { ...reply, content: `${textAbove}\n\n${reply.content}` };
  }

  /** Makes a change, then shows the settings. If the change isn't possible, shows the reason above the setting's page. */
  async function change(
    context: Context,
    setting: Setting,
    view: View,
    prepare: (now: Settings) => Change | Promise<Change>,
  ): Promise<Reply> {
    // Reads the settings before the change: if the store fails, the admin sees the error and the settings stay unchanged.
    const shown = await read(context);
    try {
      const made = await prepare(shown.now);
      const { now, others } = await saveAndLog(context, setting, made, shown);
      const standing = others?.panels ?? made.panels ?? shown.panels;
      const after = { ...shown, now, panels: standing, isLost: false };
      return show(context, after, {
        ...view,
        textAbove: made.textAbove ?? others?.textAbove,
        reopen: made.reopen,
      });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const textAbove = withSign('not-sent', error.message);
      const confirm = error instanceof UnconfirmedError ? confirmButton(setting, view, error) : undefined;
      const reopen = error instanceof RejectedInputError ? error.reopen : undefined;
      // The setting's own page has the controls for another try. /setkey's reply, for example, would lose its menu.
      const again = { ...view, page: setting.id, textAbove, confirm, reopen };
      return { ...show(context, await read(context), again), isUserError: true };
    }
  }

  async function saveAndLog(
    context: Context,
    setting: Setting,
    { make, logged }: Change,
    shown: SettingsView,
  ): Promise<{ readonly now: Settings; readonly others: Omit<Change, 'make'> | undefined }> {
    const { guildId, guildLocale, user } = context;
    let before = DEFAULTS;
    const now = await settings.change(guildId, (found) => {
      before = { ...found, locale: guildLocale };
      return make(before);
    });
    const others = await setting.changed?.(context);
    const isSame = !shown.isLost && isDeepStrictEqual(before, now);
    if (setting.report) {
      await setting.report(context, before, now);
    } else if (logged || !isSame) {
      await guildLog.change(
        guildId,
        (t) => `⚙️ ${t('guildLog.changed', { member: memberText(user) })}`,
        (t) => logged?.(t) ?? changedLines(t, setting, { ...shown, now: before }, { ...shown, now }),
      );
    }
    return { now, others };
  }

  async function open(context: PressContext): Promise<Reply> {
    const { wanted, state } = readPage(context.argument);
    const [chosen] = context.values;
    const page = chosen ?? state;
    const setting = settingOf(page);
    if (setting?.list) return setting.list(context);
    const shown = await read(context);
    const checking = chosen === undefined ? undefined : setting?.opened?.(context, shown.now);
    const found = checking && (await resultWithin(OPENED_TIMEOUT_MS, checking));
    const view = { page, wanted, textAbove: found?.textAbove };
    return show(context, { ...shown, panels: found?.panels ?? shown.panels }, view);
  }

  async function press(context: PressContext): Promise<Reply> {
    const { wanted, state } = readPage(context.argument);
    const [page = '', id = '', name = '', ...about] = state.split(':');
    const setting = settingOf(id);
    const prepare = ownValue(setting?.handlers, name);
    if (!setting || !prepare) throw new UserError(context.t('settings.choiceGone'));
    return change(context, setting, { page, wanted }, (now) => prepare(context, now, about.join(':')));
  }

  /** Parses the argument in a modal's custom id: the setting, the page number, and the setting's own data. */
  function modalOf({ t, argument }: PressContext | SubmitContext) {
    const { wanted, state } = readPage(argument);
    const [id = '', ...about] = state.split(':');
    const setting = settingOf(id);
    if (!setting?.modal) throw new UserError(t('settings.choiceGone'));
    return { setting, modal: setting.modal, view: { page: id, wanted }, about: about.join(':') };
  }

  async function openModal(context: PressContext): Promise<Modal> {
    const { setting, modal: settingModal, view, about } = modalOf(context);
    const { about: shown = about, ...options } = await settingModal.open(context, about);
    return modal({ id: modalId(setting.id, shown, view.wanted), ...options });
  }

  async function submit(context: SubmitContext): Promise<Reply> {
    const { setting, modal: settingModal, view, about } = modalOf(context);
    return change(context, setting, view, () => settingModal.change(context, about));
  }

  return {
    data: slashCommand('settings'),
    permission: 'manage-guild',
    answers: 'immediate',
    run: async (context) => show(context, await recheckAndRead(context), { page: '' }),
    presses: {
      open: { answers: 'immediate update', run: open },
      change: { answers: 'update', run: press },
      type: { answers: 'modal', run: openModal },
    },
    submits: {
      type: { answers: 'update', run: submit },
    },
  };
}

/** Leaves out parts that only became available. */
function changedLines(t: Translate, setting: Setting, before: SettingsView, after: SettingsView): string {
  const line = setting.difference?.(t, before, after) || setting.line(t, after);
  const former = setting.states?.(t, before) ?? {};
  const states = Object.entries(setting.states?.(t, after) ?? {})
    .filter(([id, state]) => state !== former[id] && (id in former || !state.startsWith(OFF)))
    .map(([, state]) => state);
  // A line may only show a part of the value, so it can stay the same although the value changed.
  const isShown = states.length === 0 || line !== setting.line(t, before);
  return [...(isShown ? [line] : []), ...states].join('\n');
}

const confirmButton = (
  { id }: Setting,
  { page, wanted }: View,
  { confirmation }: UnconfirmedError,
): Control => button(changeId(id, confirmation.change, page, wanted), confirmation.label, 'danger');

/** Builds the overview: each setting in use, one line for all unused ones, the next step, and a menu of settings. */
function overview(context: Context, shown: SettingsView, table: readonly Setting[]): Reply {
  const { t } = context;
  const next =
    shown.waitingCount > 0
      ? `**${t('submissions.waiting', { count: shown.waitingCount })}**: ${context.mention('submissions')}`
      : nextText(context, shown);
  const all = table.map((setting) => ({
    id: setting.id,
    name: setting.name(t),
    line: setting.overviewLine?.(t, shown) ?? setting.line(t, shown),
  }));
  const isOff = ({ line }: { readonly line: string }) => line.startsWith(OFF);
  const off = all.filter(isOff).map(({ name }) => name);
  const lines = [
    ...(shown.isLost ? [withSign('not-sent', t('settings.lost')), ''] : []),
    `**${t('settings.title')}**`,
    ...all.filter((each) => !isOff(each)).map(({ line }) => line),
    ...(off.length === 0 ? [] : [`${OFF} ${t('settings.off', { names: t.and(off) })}`]),
    ...(next === '' ? [] : ['', next]),
  ];
  const options = all.map(({ id, name }) => ({ label: name, value: id }));
  return {
    content: lines.join('\n'),
    components: rows(
      [select({ id: customId('settings', 'open'), placeholder: t('settings.change'), options })],
      [lacksKey(shown.key) && enterKey(context)],
    ),
  };
}

function settingPage(
  context: Context,
  shown: SettingsView,
  setting: Setting,
  { wanted = 1, confirm, reopen }: View,
): Reply {
  const { t } = context;
  const { selects = [], buttons = [] } = setting.controls(context, shown, wanted);
  const back = customId('settings', 'open', writePage(wanted, setting.id));
  // The answers to a question, or the button for reopening a form with the rejected input, replace the page's buttons.
  const answers = confirm ? [confirm, button(back, t('button.cancel'))] : reopen && [reopen.control];
  const about = `**${setting.name(t)}**\n${setting.about(context, shown.now)}`;
  const lines = [
    about,
    '',
    setting.line(t, shown),
    ...(setting.needsLog ? [logLine(t, shown)] : []),
    ...Object.values(setting.states?.(t, shown) ?? {}),
    ...(setting.notes?.(context, shown, wanted) ?? []),
  ];
  return {
    content: lines.join('\n'),
    ...(reopen?.embeds && { embeds: reopen.embeds }),
    components: rows(...selects.map((control) => [control]), [
      ...(answers ?? buttons),
      button(customId('settings', 'open'), t('settings.all')),
    ]),
  };
}
