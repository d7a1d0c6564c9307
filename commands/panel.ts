import type { PostResult } from '../src/discord/channel-posts.ts';
import { MAX_PANELS, PANEL_BUTTONS, type Panel } from '../src/guilds/panels.ts';
import type { Command, Context, PressContext, Reply, SubmitContext } from '../src/interactions/command.ts';
import {
  button,
  type Control,
  customId,
  type Field,
  type Modal,
  modal,
  rows,
} from '../src/interactions/controls.ts';
import { UserError } from '../src/interactions/user-error.ts';
import { resultWithin } from '../src/lifecycle.ts';
import { memberText } from '../src/words/escape.ts';
import { MAX_SUGGESTED_GAMES, unknownGame } from '../src/words/games.ts';
import { keyText } from '../src/words/keys.ts';
import { notUsedText } from '../src/words/problem.ts';
import { withSign } from '../src/words/servers.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';
import { canFitInPanelIds, existingPanels, panelLink, panelMessage } from './panel-message.ts';
import { enterKey } from './setkey.ts';
import { slashCommand } from './slash-command.ts';
import { gamePart } from './submit/game-field.ts';

const MAX_TEXT_LENGTH = 500;

/** How long the check for deleted panels can delay the form. Discord allows 3 seconds. The check is repeated when the form is submitted. */
const FULL_TIMEOUT_MS = 1_000;

/** Creates /panel, whose buttons let members submit servers without commands. */
export function panelCommand(deps: CommandDeps): Command {
  const { posts, panels, guildLog, keys } = deps;

  const isFull = (found: readonly Panel[]): boolean => found.length >= MAX_PANELS;

  /** Doesn't count panels that were deleted in Discord. */
  async function whyFull({ t, mention, guildId }: Context): Promise<string | undefined> {
    return isFull(await panels.of(guildId)) && isFull(await existingPanels(deps, guildId))
      ? t('panel.full', { most: MAX_PANELS, settings: mention('settings') })
      : undefined;
  }

  async function open(context: Context, typed: PanelInput = NO_INPUT): Promise<Modal> {
    const { t, mention, isInThread } = context;
    if (isInThread) throw new UserError(t('panel.inThread', { panel: mention('panel') }));
    const why = await resultWithin(FULL_TIMEOUT_MS, whyFull(context));
    if (why !== undefined) throw new UserError(why);
    return modal({
      id: customId('panel', 'post'),
      title: t('panel.modal'),
      text: t('panel.everyone'),
      fields: await panelFields(context, typed, deps),
    });
  }

  /**
   * Posts the panel as the bot's own message if permitted. The bot can then edit it, and Discord doesn't show which admin
   * used the command.
   */
  async function post(context: SubmitContext): Promise<Reply> {
    const { t, guildId, channelId, interactionId, guildWords, field, user } = context;
    const { typed, game, unknown } = typedGame(context, deps);
    const text = field('text').trim();
    const notPosted = (why: string): Reply => ({
      content: why,
      embeds: unusedInputEmbeds({ text, game: typed }),
      components: rows([newPanelButton(t)]),
      isUserError: true,
    });
    // Another admin may have posted a panel while the modal was open.
    const why = await whyFull(context);
    if (why !== undefined) return notPosted(why);
    const content = { text, buttons: [...PANEL_BUTTONS], ...(game !== undefined && { game }) };
    const message = panelMessage(await guildWords(), content);
    const { result, messageId } = await posts.put(channelId, { ...message, nonce: interactionId });
    // Discord would also reject a reply that shows the link.
    if (result === 'harmful-link') throw new UserError(t('panel.harmful'));
    if (result === 'failed' || result === 'message-gone') return notPosted(t('panel.failed'));
    await guildLog.add(
      guildId,
      (words) => `⚙️ ${words('guildLog.panelPosted', { member: memberText(user), channelId })}`,
    );
    // Without a key, members who press the panel's buttons only get an explanation.
    const noKey = await keys.problem(guildId);
    const keyNote = noKey && withSign('not-sent', keyText(noKey, context));
    const replyWith = (said: string) => ({
      content: [withSign('accepted', said), unknown, keyNote].filter(Boolean).join('\n'),
      components: rows([noKey && enterKey(context)]),
    });
    if (messageId === undefined) {
      const said = t('panel.asReply', { names: missingFor(t, result) });
      return { ...replyWith(said), announcement: () => message };
    }
    const panel = { ...content, channelId, messageId };
    await panels.add(guildId, panel);
    return replyWith(t('panel.posted', { link: panelLink(guildId, panel) }));
  }

  return {
    data: slashCommand('panel'),
    permission: 'manage-guild',
    answers: 'modal',
    run: (context) => open(context),
    presses: {
      new: { answers: 'modal', run: (context) => open(context, readUnusedInput(context.shown)) },
    },
    submits: {
      post: { answers: 'later', run: post },
    },
  };
}

interface PanelInput {
  readonly text: string;
  readonly game: string;
}
const NO_INPUT: PanelInput = { text: '', game: '' };

export const unusedInputEmbeds = ({ text, game }: PanelInput): NonNullable<Reply['embeds']> =>
  // Discord rejects empty embeds.
  text === '' && game === '' ? [] : [{ description: text, footer: { text: game } }];

export function readUnusedInput({ embeds: [embed] }: PressContext['shown']): PanelInput {
  const { description = '', footer } = Object(embed);
  return { text: String(description), game: String(Object(footer).text ?? '') };
}

/** Builds the button that opens the modal for a new panel, with the input that the button's message shows. */
export const newPanelButton = (t: Translate): Control =>
  button(customId('panel', 'new'), t('settings.panels.post'), 'primary');

export async function panelFields(
  context: Context,
  { text, game = '' }: Pick<Panel, 'text' | 'game'>,
  deps: CommandDeps,
): Promise<readonly Field[]> {
  const { t } = context;
  const hint = t('panel.gameHint');
  const wanted = { label: t('addserver.field.game'), hint, typed: game, required: false, keepsTyped: true };
  const { field } = await gamePart(context, wanted, deps);
  return [
    {
      id: 'text',
      label: t('panel.label'),
      hint: t('panel.hint'),
      maxLength: MAX_TEXT_LENGTH,
      isMultiline: true,
      value: text,
    },
    { ...field, hint },
  ];
}

/** Returns the game that the admin typed, or the reason why a panel can't use it. */
export function typedGame(context: SubmitContext, { games }: Pick<CommandDeps, 'games'>) {
  const typed = context.field('game').trim();
  const game = games.find(typed)?.alias;
  if (typed === '' || (game !== undefined && canFitInPanelIds(game))) return { typed, game };
  const problem = unknownGame(context, typed, games.search(typed, MAX_SUGGESTED_GAMES));
  return { typed, unknown: withSign('not-sent', notUsedText(problem, context.t)) };
}

/** Names the permission that the bot needs but lacks for posting a message without an embed. */
const missingFor = (t: Translate, result: PostResult): string =>
  `**${t(result === 'no-permission' ? 'permission.SendMessages' : 'permission.ViewChannel')}**`;
