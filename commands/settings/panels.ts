import { PANEL_BUTTONS, type Panel } from '../../src/guilds/panels.ts';
import type { Context, PressContext, SubmitContext } from '../../src/interactions/command.ts';
import { button, select } from '../../src/interactions/controls.ts';
import { pageButtons, pageOf } from '../../src/interactions/pager.ts';
import { UserError } from '../../src/user-error.ts';
import { escapeText } from '../../src/words/escape.ts';
import { NEAREST, unknownGame } from '../../src/words/games.ts';
import { wholeText } from '../../src/words/problem.ts';
import { signed } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { panelText } from '../panel.ts';
import { drawPanel, isGameForPanel, panelLink } from '../panel-message.ts';
import { gamePart } from '../submit/game-field.ts';
import { type Change, changeId, FINE, OFF, type Setting, type Shown, windowId } from './setting.ts';

/** UTF-16 units of the admin's own text in the list. */
const LONGEST_TEXT = 60;

/** The panels that stand, and one of them at a time to be changed. */
export function panelsSetting(deps: CommandDeps): Setting {
  const { panels } = deps;
  return {
    id: 'panels',
    name: (t) => t('settings.panels.name'),
    line: (t, { panels: { length: number } }) =>
      number === 0
        ? `${OFF} ${t('settings.panels.none')}`
        : `${FINE} ${t('settings.panels.some', { number })}`,
    about: ({ t, mention }) => t('settings.panels.about', { panel: mention('panel') }),
    notes: ({ guildId }, shown, wanted) =>
      shown.panels.map((panel, index) => {
        const sign = panel === chosenOf(shown, wanted).panel ? '▸' : '-';
        const link = `[${index + 1}](<${panelLink(guildId, panel)}>)`;
        return `${sign} ${link} <#${panel.channelId}> ${escapeText(panel.text, LONGEST_TEXT)}`;
      }),
    controls(context, shown, wanted) {
      const { t } = context;
      const { page, panel } = chosenOf(shown, wanted);
      if (panel === undefined) return {};
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
            least: 1,
          }),
        ],
        buttons: [
          button(windowId('panels', messageId, page.number), t('again.edit')),
          button(change('forget'), t('settings.panels.forget')),
          ...pageButtons(context, page, { command: 'settings', action: 'open', state: 'panels' }),
        ],
      };
    },
    changes: {
      async buttons(context, _now, messageId) {
        const panel = await panelIn(context, messageId, deps);
        const buttons = PANEL_BUTTONS.filter((name) => context.values.includes(name));
        return changed(context, buttons.length === 0 ? panel : { ...panel, buttons }, deps);
      },
      async forget({ guildId }, _now, messageId) {
        return { make: (before) => before, panels: await panels.forget(guildId, messageId) };
      },
    },
    window: {
      open: (context, messageId) => panelWindow(context, messageId, deps),
      change: (context, messageId) => editPanel(context, messageId, deps),
    },
  };
}

/** The panel that a page of the setting is about; `undefined` where there is none. */
function chosenOf({ panels }: Pick<Shown, 'panels'>, wanted: number) {
  const page = pageOf({ count: panels.length, perPage: 1, wanted });
  return { page, panel: panels[page.offset] };
}

/** A panel of this guild. @throws UserError when it is not recorded */
async function panelIn({ t, guildId }: Context, messageId: string, { panels }: CommandDeps): Promise<Panel> {
  const panel = (await panels.of(guildId)).find((each) => each.messageId === messageId);
  if (panel === undefined) throw new UserError(t('settings.gone'));
  return panel;
}

/** Changes the message of a panel, then what is recorded of it. @throws UserError when Discord takes no such message */
async function changed(context: Context, panel: Panel, deps: CommandDeps): Promise<Change> {
  const { t, guildId, guildWords } = context;
  const result = await drawPanel(deps, guildId, panel, await guildWords());
  const { channelId } = panel;
  if (result === 'harmful-link') throw new UserError(t('panel.harmful'));
  if (result === 'refused') throw new UserError(t('settings.panels.unchanged', { channelId }));
  const panels = await deps.panels.replace(guildId, panel);
  const make: Change['make'] = (before) => before;
  return result === 'drawn' ? { make, panels } : { make, panels, said: t('settings.panels.deleted') };
}

/** The window in which a panel's text and game are changed. */
async function panelWindow(context: PressContext, messageId: string, deps: CommandDeps) {
  const { t } = context;
  const { text, game = '' } = await panelIn(context, messageId, deps);
  const label = t('addserver.field.game');
  const wanted = { label, hint: t('panel.gameHint'), typed: game, required: false };
  const { field } = await gamePart(context, wanted, deps);
  return { title: t('again.edit'), fields: [panelText(t, text), { ...field, hint: wanted.hint }] };
}

/** What was entered there. Of a game that is not known it says so, and the panel keeps the one that it had. */
async function editPanel(context: SubmitContext, messageId: string, deps: CommandDeps): Promise<Change> {
  const { field } = context;
  const { game: former, ...panel } = await panelIn(context, messageId, deps);
  const typed = field('game').trim();
  const found = deps.games.find(typed)?.alias;
  const isUsable = typed === '' || (found !== undefined && isGameForPanel(found));
  const game = isUsable ? found : former;
  const change = await changed(
    context,
    { ...panel, text: field('text').trim(), ...(game !== undefined && { game }) },
    deps,
  );
  if (isUsable || change.said !== undefined) return change;
  const unknown = unknownGame(context, typed, deps.games.search(typed, NEAREST));
  return { ...change, said: signed('not-sent', wholeText(unknown, context.t)) };
}
