import { ApplicationCommandOptionType } from 'discord.js';
import { SAMPLE_LISTS } from '../page/client/sample-lists.ts';
import { ROLE_NAMES } from '../people.ts';
import { ACTIONS } from './actions.ts';
import type { Session } from './session.ts';
import { showChoices } from './show.ts';
import { isNamed, shownName, slashCommandsOf } from './slash-line.ts';

/** What Tab offers: words that may stand in place of `typed`, the end of the line; or a list to show. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly typed: string }
  | { readonly kind: 'list'; readonly text: string };

const NOTHING: Completion = { kind: 'words', words: [], typed: '' };

/** What can stand at the end of this line. Asks the bot where it offers choices, as Discord does. */
export async function complete(line: string, session: Session): Promise<Completion> {
  if (session.modal) return NOTHING;
  const { locale } = session;
  const commands = slashCommandsOf(session.published());
  const space = line.indexOf(' ');
  if (space < 0)
    return words(line, [
      ...commands.map((command) => `/${shownName(command, locale)} `),
      ...ACTIONS.map(({ name, usage }) => (usage === '' ? name : `${name} `)),
      'exit',
    ]);
  const rest = line.slice(space + 1);
  const action = ACTIONS.find(({ name }) => name === line.slice(0, space));
  if (action) return words(rest, action.words?.(session) ?? []);
  const command = commands.find((known) => isNamed(known, line.slice(1, space), locale));
  if (!command || !line.startsWith('/')) return NOTHING;

  const options = command.options ?? [];
  const typing = /(?:^|\s)([^\s:"]+):([^\s"]*)$/u.exec(rest);
  const option = options.find((known) => isNamed(known, typing?.[1] ?? '', locale));
  if (!typing || !option) {
    const typed = /\S*$/.exec(rest)?.[0] ?? '';
    const left = options.filter(
      (known) => !new RegExp(`(?:^|\\s)${RegExp.escape(shownName(known, locale))}:`, 'u').test(rest),
    );
    return words(
      typed,
      left.map((known) => `${shownName(known, locale)}:`),
    );
  }
  const typed = typing[2] ?? '';
  if (option.type === ApplicationCommandOptionType.User) return words(typed, ROLE_NAMES);
  if (option.type === ApplicationCommandOptionType.Attachment)
    return words(
      typed,
      SAMPLE_LISTS.map((name) => `docs/${name}`),
    );
  if (!('autocomplete' in option) || !option.autocomplete) return NOTHING;
  const choices = await session.me().complete(command.name, option.name, { [option.name]: typed });
  const [only, ...others] = choices === 'lost' ? [] : choices;
  if (only && others.length === 0)
    return { kind: 'words', words: [quotedIfNeeded(String(only.value))], typed };
  return { kind: 'list', text: showChoices(choices) };
}

function words(typed: string, all: readonly string[]): Completion {
  return { kind: 'words', words: all.filter((word) => word.startsWith(typed)), typed };
}

function quotedIfNeeded(value: string): string {
  return /[\s"]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value;
}
