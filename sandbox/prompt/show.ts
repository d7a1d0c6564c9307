import {
  type APIApplicationCommandOptionChoice,
  type APIEmbed,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
} from 'discord.js';
import type { Answer } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { plain, type Reading, readMarkdown } from './markdown.ts';
import { modalFields } from './modal-line.ts';
import { showComponents } from './show-components.ts';

/** What a member sees after an action, as text. */
export function showAnswer(answer: Answer, reading: Reading): string {
  switch (answer.kind) {
    case 'message':
      return showMessage(answer.message, reading);
    case 'modal':
      return showModal(answer.modal.data, reading);
    case 'lost':
      return 'The application did not respond.';
    case 'refused':
      return `Discord does not send this: ${answer.why}`;
  }
}

function showModal(data: APIModalInteractionResponseCallbackData, reading: Reading): string {
  const paint = reading.paint ?? plain;
  const texts = data.components
    .filter((part) => part.type === ComponentType.TextDisplay)
    .map(({ content }) => indented(readMarkdown(content, reading), '│ '));
  const fields = modalFields(data);
  const shown = fields.map(({ id, label, description, placeholder, isLong, least, most, required, value }) =>
    [
      `│ ${paint('bold', label)} (${id}: ${isLong ? 'lines' : 'text'}, ${least} to ${most} characters${required ? '' : ', may be left out'})`,
      ...[description, placeholder].filter((hint) => hint !== '').map((hint) => `│   ${hint}`),
      ...(value ? [`│   now: ${value.replaceAll('\n', '\n│        ')}`] : []),
    ].join('\n'),
  );
  const next =
    fields.length > 1
      ? 'Next line: the first value, or field=value …; an empty line closes this.'
      : 'Next line: the value; an empty line closes this.';
  return [`┌ ${paint('bold', data.title)}`, ...texts, ...shown, `└ ${paint('dim', next)}`].join('\n');
}

/** The choices under an option that is being typed. */
export function showChoices(choices: readonly APIApplicationCommandOptionChoice[] | 'lost'): string {
  if (choices === 'lost') return 'Loading options failed: the application did not respond.';
  if (choices.length === 0) return 'No options match your search.';
  return choices.map(({ name, value }) => `  ${name} → ${value}`).join('\n');
}

/** Lines of an attached text that are shown: enough for a report of a few servers. */
const FILE_LINES = 13;

/** A message as the member sees it: words, embeds, attachments, buttons. */
export function showMessage(message: SeenMessage, reading: Reading): string {
  const paint = reading.paint ?? plain;
  const { current, ephemeral, loading } = message;
  const parts = [
    loading ? 'thinking…' : readMarkdown(current.content, reading),
    ...current.embeds.map((embed) => showEmbed(embed, reading)),
    ...current.attachments.map(({ filename, size }) => {
      const text = message.file(filename)?.toString('utf8') ?? '';
      return `📎 ${filename} (${size} bytes)\n${indented(beginning(text), '  ')}`;
    }),
    ...showComponents(current.components ?? [], reading),
  ];
  const shown = parts.filter((part) => part !== '').join('\n');
  if (!ephemeral) return shown;
  // A frame begins on a line of its own, so that its edge stays straight.
  return `${paint('dim', '(only you can see this)')}${shown.startsWith('│') ? '\n' : ' '}${shown}`;
}

function showEmbed(embed: APIEmbed, reading: Reading): string {
  const paint = reading.paint ?? plain;
  const read = (text = '') => readMarkdown(text, reading);
  const fields = (embed.fields ?? []).map(({ name, value }) => {
    const text = read(value);
    return `${paint('bold', read(name))}:${text.includes('\n') ? `\n${indented(text, '  ')}` : ` ${text}`}`;
  });
  const lines = [
    read(embed.author?.name),
    embed.title ? paint('bold', read(embed.title)) : '',
    embed.url ?? '',
    read(embed.description),
    ...fields,
    // Discord shows no markdown in a footer.
    embed.footer ? paint('dim', embed.footer.text) : '',
  ];
  return indented(lines.filter((line) => line !== '').join('\n'), '│ ');
}

function beginning(text: string): string {
  const lines = text.replace(/\n$/, '').split(/\r?\n/);
  const left = lines.length - FILE_LINES;
  const shown = lines.slice(0, FILE_LINES);
  return [...shown, ...(left > 0 ? [`… and ${left} more lines`] : [])].join('\n');
}

const indented = (text: string, by: string): string => text.replace(/^/gm, by);

/**
 * Whether nothing more is to come without someone acting. A message that shows a progress bar (a run of block
 * characters) is still moving: the bot replaces the bar by its report when it is done.
 */
export function isFinished({ loading, current }: Pick<SeenMessage, 'loading' | 'current'>): boolean {
  const embeds = current.embeds.map(({ description = '' }) => description);
  return !loading && ![current.content, ...embeds].some((text) => PROGRESS_BAR.test(text));
}

const PROGRESS_BAR = /[\u2580-\u259f\u25b0\u25b1]{5,}/u;
