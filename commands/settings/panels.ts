import { isDeepStrictEqual } from 'node:util';
import { PANEL_BUTTONS, type Panel } from '../../src/guilds/panels.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import type { Context, PressContext, SubmitContext } from '../../src/interactions/command.ts';
import { button, markOf, select } from '../../src/interactions/controls.ts';
import { pageButtons, pageOf, readPage } from '../../src/interactions/pager.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { escapeText } from '../../src/words/escape.ts';
import { gameNamed, withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { newPanelButton, panelFields, readUnusedInput, typedGame, unusedInputEmbeds } from '../panel.ts';
import { drawPanel, existingPanels, panelItem, showDuePanels } from '../panel-message.ts';
import {
  type Change,
  changeId,
  FINE,
  INCOMPLETE,
  modalId,
  OFF,
  RejectedInputError,
  type Reopen,
  type Setting,
  type SettingsView,
  switchedOptions,
  UnconfirmedError,
  valueAfterForm,
  withSwitched,
} from './setting.ts';

const MAX_LISTED_TEXT_LENGTH = 12;
const MAX_SHOWN_NAME_LENGTH = 30;
const MAX_LOGGED_TEXT_LENGTH = 100;

/** Shows one panel per page. */
export function panelsSetting(deps: CommandDeps): Setting {
  const { panels, games, posts } = deps;

  function gameText(t: Translate, panel: Panel, now: Settings): string {
    if (panel.game === undefined) return '';
    const game = escapeText(gameNamed(panel.game, games).name, MAX_SHOWN_NAME_LENGTH);
    return isGameAllowed(panel, now) ? game : t('panel.gameNotAllowed', { game });
  }

  function lineFor(t: Translate, all: readonly Panel[], now: Settings, some: string): string {
    if (all.length === 0) return `${OFF} ${t('settings.panels.none')}`;
    return `${all.every((panel) => isGameAllowed(panel, now)) ? FINE : INCOMPLETE} ${some}`;
  }

  return {
    id: 'panels',
    name: (t) => t('settings.panels.name'),
    line: (t, { now, panels: all }) =>
      lineFor(t, all, now, t('settings.panels.some', { number: all.length })),
    // Omits the number of panels, because some may have been deleted in Discord since.
    overviewLine: (t, { now, panels: all }) => lineFor(t, all, now, t('settings.panels.posted')),
    about: ({ t, mention }) => t('settings.panels.about', { panel: mention('panel') }),
    notes: ({ t, guildId }, shown, wanted) =>
      shown.panels.map((panel, index) => {
        const isChosen = panel === panelOnPage(shown, wanted).panel;
        const sign = isChosen ? '▸' : '-';
        const warning = isGameAllowed(panel, shown.now) ? '' : `${INCOMPLETE} `;
        // The games of ten panels wouldn't fit in a message.
        const game = isChosen && gameText(t, panel, shown.now);
        const about = [escapeText(panel.text, MAX_LISTED_TEXT_LENGTH), game];
        return `${sign} ${warning}${panelItem(guildId, panel, index + 1)} ${about.filter(Boolean).join(' · ')}`;
      }),
    controls(context, shown, wanted) {
      const { t } = context;
      const { page, panel } = panelOnPage(shown, wanted);
      if (panel === undefined) {
        return { buttons: [newPanelButton(t)] };
      }
      const { messageId, buttons } = panel;
      const change = (name: string) => changeId('panels', `${name}:${messageId}`, 'panels', page.number);
      return {
        selects: [
          select({
            id: change('buttons'),
            placeholder: t('settings.panels.buttons'),
            options: PANEL_BUTTONS.map((name) => ({
              label: t(`panel.${name}`),
              value: name,
              default: buttons.includes(name),
            })),
            minChosen: 1,
          }),
        ],
        buttons: [
          button(modalId('panels', messageId, page.number), t('again.edit')),
          button(change('forget'), t('settings.panels.stopManaging')),
          ...pageButtons(context, page, { command: 'settings', action: 'open', state: 'panels' }),
        ],
      };
    },
    opened: async ({ guildId }) => ({ panels: await existingPanels(deps, guildId) }),
    handlers: {
      async buttons(context, _now, messageId) {
        const found = await panelIn(context, messageId, deps);
        const switched = switchedOptions(context);
        const how = (before: Panel) => {
          const buttons = [...withSwitched(before.buttons, switched)];
          return buttons.length === 0 ? before : { ...before, buttons };
        };
        return changed(context, found, how, deps);
      },
      async forget(context, _now, messageId) {
        const { t, guildId } = context;
        const { panel, item } = await panelIn(context, messageId, deps);
        if (await posts.isDeleted(panel.channelId, messageId)) {
          return deletedChange(t, item, await panels.forget(guildId, [messageId]));
        }
        throw new UnconfirmedError(t('settings.panels.question', { item }), {
          change: `stop:${messageId}`,
          label: t('settings.panels.stopManaging'),
        });
      },
      async stop(context, _now, messageId) {
        const { item } = await panelIn(context, messageId, deps);
        const left = await panels.forget(context.guildId, [messageId]);
        return {
          make: (before) => before,
          panels: left,
          logged: (words) => `${OFF} ${words('guildLog.panel.stopped', { item })}`,
        };
      },
    },
    modal: {
      open: (context, about) => panelModal(context, about, deps),
      change: (context, about) => editPanel(context, about, deps),
    },
  };
}

const isGameAllowed = ({ game }: Panel, { games }: Settings): boolean =>
  game === undefined || games === undefined || games.includes(game);

function panelOnPage({ panels }: Pick<SettingsView, 'panels'>, wanted: number) {
  const page = pageOf({ count: panels.length, perPage: 1, wanted });
  return { page, panel: panels[page.offset] };
}

interface FoundPanel {
  readonly panel: Panel;
  /** The panel's {@link panelItem}. */
  readonly item: string;
}

/**
 * Reopens the form that made a change.
 * @param known the panel that the form then replaces; without one, the form posts a new panel
 */
type ReopenForm = (known?: Panel) => Reopen;

const rejected = (said: string, reopen?: ReopenForm, known?: Panel): UserError =>
  reopen ? new RejectedInputError(said, reopen(known)) : new UserError(said);

/** @throws UserError if the panel isn't recorded */
async function panelIn(
  { t, guildId }: Context,
  messageId: string,
  deps: CommandDeps,
  reopen?: ReopenForm,
): Promise<FoundPanel> {
  const panels = await deps.panels.of(guildId);
  const index = panels.findIndex((each) => each.messageId === messageId);
  const panel = panels[index];
  if (panel === undefined) throw rejected(t('settings.panels.gone'), reopen);
  return { panel, item: panelItem(guildId, panel, index + 1) };
}

/**
 * Changes the message of a panel, then its record.
 * @param found the panel that was read earlier
 * @param how makes the change, first to `found`, then to the current record; `undefined` if another admin changed the same
 * @throws UserError if Discord rejects the message, or if another admin changed the same
 */
async function changed(
  context: Context,
  { panel, item }: FoundPanel,
  how: (before: Panel) => Panel | undefined,
  deps: CommandDeps,
  reopen?: ReopenForm,
): Promise<Change> {
  const { t, guildId, guildWords } = context;
  const wanted = how(panel);
  if (wanted === undefined) throw rejected(t('settings.changedSince'), reopen, panel);
  const result = await drawPanel(deps, guildId, wanted, await guildWords());
  const { channelId } = panel;
  // Discord would also reject a page that shows the link.
  if (result === 'harmful-link') throw new UserError(t('panel.harmful'));
  if (result === 'rejected') throw rejected(t('settings.panels.unchanged', { channelId }), reopen, panel);
  let other: Panel | undefined;
  let logged: Change['logged'];
  const panels = await deps.panels.change(guildId, panel, (now) => {
    const next = how(now);
    other = next === undefined ? now : undefined;
    logged = next && changeLogged(item, now, next, deps);
    return next ?? now;
  });
  await showDuePanels(deps, guildId, guildWords);
  if (other) throw rejected(t('settings.changedSince'), reopen, other);
  if (result === 'drawn') return { make: (before) => before, panels, ...(logged && { logged }) };
  return { ...deletedChange(t, item, panels), ...(reopen && { reopen: reopen() }) };
}

const deletedChange = (t: Translate, item: string, remaining: readonly Panel[]): Change => ({
  make: (before) => before,
  panels: remaining,
  textAbove: t('settings.panels.deleted'),
  logged: (words) => `${OFF} ${words('guildLog.panel.deleted', { item })}`,
});

function changeLogged(item: string, before: Panel, after: Panel, { games }: CommandDeps): Change['logged'] {
  const { text, game = '', buttons } = after;
  const isSame = (name: 'text' | 'game' | 'buttons') => isDeepStrictEqual(before[name], after[name]);
  if (isSame('text') && isSame('game') && isSame('buttons')) return undefined;
  return (t) => {
    const shown = {
      text: escapeText(text, MAX_LOGGED_TEXT_LENGTH),
      game: escapeText(gameNamed(game, games).name, MAX_SHOWN_NAME_LENGTH),
      names: t.and(PANEL_BUTTONS.filter((name) => buttons.includes(name)).map((name) => t(`panel.${name}`))),
    };
    const lines = [
      !isSame('text') && t(text === '' ? 'guildLog.panel.noText' : 'guildLog.panel.text', { ...shown, item }),
      !isSame('game') && t(game === '' ? 'guildLog.panel.noGame' : 'guildLog.panel.game', { ...shown, item }),
      !isSame('buttons') && t('guildLog.panel.buttons', { ...shown, item }),
    ];
    return lines
      .filter((line) => line !== false)
      .map((line) => `${FINE} ${line}`)
      .join('\n');
  };
}

/**
 * Opens the modal for a panel's text and game. Hashes in the custom id reveal which values the admin changes.
 * @param about the panel's message id, followed by the hashes for the next modal if the previous modal's input was rejected
 */
async function panelModal(context: PressContext, about: string, deps: CommandDeps) {
  const { t, shown } = context;
  const [messageId = '', ...marks] = about.split(':');
  const { panel } = await panelIn(context, messageId, deps);
  const isReopened = marks.length > 0;
  return {
    about: isReopened ? about : markedId(panel),
    title: t('again.edit'),
    fields: await panelFields(context, isReopened ? readUnusedInput(shown) : panel, deps),
  };
}

const markedId = ({ messageId, text, game = '' }: Panel): string =>
  [messageId, markOf(text), markOf(game)].join(':');

/**
 * Applies the values that the admin changed in the modal. If the game is unknown, the panel keeps its previous game and the
 * reply explains the problem.
 */
async function editPanel(context: SubmitContext, about: string, deps: CommandDeps): Promise<Change> {
  const [messageId = '', textMark = '', gameMark = ''] = about.split(':');
  const typedText = context.field('text').trim();
  const { typed, game: found = '', unknown } = typedGame(context, deps);
  const how = ({ game: former = '', ...before }: Panel): Panel | undefined => {
    const text = valueAfterForm(textMark, typedText, before.text);
    const game = unknown === undefined ? valueAfterForm(gameMark, found, former) : former;
    if (text === undefined || game === undefined) return undefined;
    return { ...before, text, ...(game !== '' && { game }) };
  };
  const reopen = (known?: Panel): Reopen => {
    if (known === undefined) {
      return {
        control: newPanelButton(context.t),
        embeds: unusedInputEmbeds({ text: typedText, game: typed }),
      };
    }
    // A field that the admin didn't change shows the current value.
    const text = markOf(typedText) === textMark ? known.text : typedText;
    const game = markOf(typed) === gameMark ? (known.game ?? '') : typed;
    const id = modalId('panels', markedId(known), readPage(context.argument).wanted);
    return {
      control: button(id, context.t('again.edit'), 'primary'),
      embeds: unusedInputEmbeds({ text, game }),
    };
  };
  const panel = await panelIn(context, messageId, deps, reopen);
  const change = await changed(context, panel, how, deps, reopen);
  const isGameUnchanged = markOf(typed) === gameMark;
  if (unknown === undefined || isGameUnchanged || change.textAbove !== undefined) return change;
  const textSaved = change.logged && withSign('accepted', context.t('settings.panels.textSaved'));
  const saved = change.panels?.find((each) => each.messageId === messageId);
  return { ...change, textAbove: [textSaved, unknown].filter(Boolean).join('\n'), reopen: reopen(saved) };
}
