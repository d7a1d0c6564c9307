import { ApplicationCommandType } from 'discord.js';
import { PANEL_BUTTONS } from '../src/guilds/panels.ts';
import type { Command, Context } from '../src/interactions/command.ts';
import { button, linkButton, rows } from '../src/interactions/controls.ts';
import { keyText } from '../src/words/keys.ts';
import { sentences } from '../src/words/sentences.ts';
import type { CommandDeps } from './deps.ts';
import { COMMAND_FOR_BUTTON, entryButtons } from './panel-message.ts';
import { enterKey } from './setkey.ts';
import { slashCommand } from './slash-command.ts';
import { waitingId } from './submissions/filter.ts';
import { isModerator } from './submissions/queue.ts';

/**
 * /help: lists the commands that the member can use, including changes on Discord's Integrations page that the bot already
 * knows. It ends in the same buttons as a panel, because a phone can't tap an example.
 * @param commands all the bot's commands, in display order
 */
export function helpCommand(
  { keys, settings, approvals, commandPermissions, links }: CommandDeps,
  commands: () => readonly Command[],
): Command {
  async function countToDecide(context: Context): Promise<number> {
    const decides = await isModerator(context, { getOrThrow: settings.rememberedOrThrow }).catch(() => false);
    return decides ? approvals.countWaiting(context.guildId) : 0;
  }

  /** Caches the lists of commands, because most members see one of the same few lists. */
  const descriptions = new Map<string, string>();

  /** @param hidden commands that a button replaces, and /help itself */
  function description(context: Context, hidden: ReadonlySet<string>): string {
    const { t, locale, isAdmin, mention } = context;
    const shown = commands().filter(
      ({ data, permission }) =>
        (permission === undefined || isAdmin) &&
        !hidden.has(data.name) &&
        !commandPermissions.isKnownToDeny(data.name, context),
    );
    // Command mentions only change once, when Discord sends the command ids.
    const key = [locale, isAdmin, mention('help'), ...shown.map(({ data }) => data.name)].join(' ');
    const known = descriptions.get(key);
    if (known !== undefined) return known;
    const lines = shown.map(({ data }) => line(context, data));
    const overrides = isAdmin ? ['', `-# ${sentences(t('help.overrides'), t('help.adminCommands'))}`] : [];
    const text = [...lines, ...overrides].join('\n');
    descriptions.set(key, text);
    return text;
  }

  return {
    data: slashCommand('help'),
    answers: 'immediate',
    async run(context) {
      const { t, isAdmin } = context;
      const noKey = await keys.problem(context.guildId);
      const count = await countToDecide(context);
      const offered = PANEL_BUTTONS.filter(
        (name) =>
          (name === 'mine' || noKey === undefined) &&
          !commandPermissions.isKnownToDeny(COMMAND_FOR_BUTTON[name], context),
      );
      const replaced = isAdmin ? (['server'] as const) : (['server', 'mine'] as const);
      const hidden = new Set([
        'help',
        ...replaced.filter((name) => offered.includes(name)).map((name) => COMMAND_FOR_BUTTON[name]),
      ]);
      const texts = [
        ...(count > 0 ? [`**${t('submissions.waiting', { count })}**`] : []),
        ...(noKey ? [keyText(noKey, context)] : []),
        `**${t('help.title')}**\n${description(context, hidden)}`,
      ];
      return {
        // Not an embed, because Discord for Android doesn't link command mentions in embeds (discord-api-docs#5635).
        content: texts.join('\n\n'),
        components: rows(
          [
            count > 0 && button(waitingId(), t('submissions.decide', { count }), 'primary'),
            noKey && enterKey(context),
            ...entryButtons(t, offered),
          ],
          [
            links.support !== undefined && linkButton(links.support, t('help.support')),
            links.privacy !== undefined && linkButton(links.privacy, t('help.privacy')),
          ],
        ),
      };
    },
  };
}

function line({ t, locale, mention }: Context, data: Command['data']): string {
  // A message command can't be mentioned, and Discord doesn't show its description.
  if (data.type === ApplicationCommandType.Message) {
    return t('help.onMessage', { name: inLanguageOf(data.name_localizations, locale) ?? data.name });
  }
  const fallback = 'description' in data ? (data.description ?? '') : '';
  const translations = 'description_localizations' in data ? data.description_localizations : undefined;
  const description = inLanguageOf(translations, locale) ?? fallback;
  return t('look.about', { item: mention(data.name), why: description });
}

const inLanguageOf = (
  translations: Readonly<Record<string, string | null | undefined>> | null | undefined,
  locale: string,
): string | undefined => translations?.[locale] ?? undefined;
