import { ApplicationCommandType } from 'discord.js';
import type { Command, Context } from '../src/discord/command.ts';
import { linkButton, rows } from '../src/discord/components/controls.ts';
import { commandText } from '../src/words/command-text.ts';
import { type GuildKeys, keyText, type NoKey, noKeyOf } from '../src/words/refusal.ts';
import type { Translate } from '../src/words/words.ts';
import { enterKey } from './setkey.ts';

export interface HelpDeps {
  readonly keys: Pick<GuildKeys, 'status'>;
  readonly links: { readonly support: string | undefined; readonly privacy: string | undefined };
}

/**
 * /help: the commands that this member may use, by the bot's own defaults: what the Integrations page says otherwise is
 * in no interaction, and cannot be asked for with a bot's token.
 * @param commands every command of the bot, in the order to show them
 */
export function helpCommand({ keys, links }: HelpDeps, commands: () => readonly Command[]): Command {
  /** What to do next: with a key the one command, without one who can set it. */
  function nextText(context: Context, noKey: NoKey | undefined): string {
    const { t, mention } = context;
    return noKey
      ? keyText(noKey, context)
      : t('help.next', { addserver: mention('addserver'), example: t('help.example') });
  }

  /** By language and mention: the same for everybody, and to make one takes longer than all else of an answer. */
  const lines = new Map<Translate, Map<string, string>>();
  function lineOf(context: Context, data: Command['data']): string {
    const made = lines.get(context.t) ?? new Map<string, string>();
    lines.set(context.t, made);
    const mention = context.mention(data.name);
    const known = made.get(mention) ?? line(context, data);
    made.set(mention, known);
    return known;
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('help'),
    },
    audience: 'member',
    isAtOnce: true,
    async run(context) {
      const { t } = context;
      const shown = commands()
        .filter(({ permission }) => permission === undefined || context.isAdmin)
        .map(({ data }) => lineOf(context, data));
      const description = [...shown, '', `-# ${t('help.overrides')}`].join('\n');
      const noKey = await noKeyOf(context.guildId, keys);
      return {
        content: nextText(context, noKey),
        embeds: [{ title: t('help.title'), description }],
        components: rows([
          noKey && enterKey(context),
          links.support !== undefined && linkButton(links.support, t('help.support')),
          links.privacy !== undefined && linkButton(links.privacy, t('help.privacy')),
        ]),
      };
    },
  };
}

function line({ t, locale, mention }: Context, data: Command['data']): string {
  // A message command cannot be mentioned, and Discord shows no description of it.
  if (data.type === ApplicationCommandType.Message) {
    return t('help.onMessage', { name: inLanguageOf(data.name_localizations, locale) ?? data.name });
  }
  const fallback = 'description' in data ? (data.description ?? '') : '';
  const translations = 'description_localizations' in data ? data.description_localizations : undefined;
  const description = inLanguageOf(translations, locale) ?? fallback;
  return t('help.line', { command: mention(data.name), description });
}

function inLanguageOf(
  translations: Readonly<Record<string, string | null | undefined>> | null | undefined,
  locale: string,
): string | undefined {
  return translations?.[locale] ?? translations?.[locale.split('-')[0] ?? ''] ?? undefined;
}
