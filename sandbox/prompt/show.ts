import {
  type APIApplicationCommandOptionChoice,
  type APIAttachment,
  type APIEmbed,
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
} from 'discord.js';
import type { Answer } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { plain, type Reading, readMarkdown } from './markdown.ts';
import { modalFields } from './modal-line.ts';
import { showComponents } from './show-components.ts';

/** What Discord shows when nothing came within 3 seconds. */
export const LOST = 'The application did not respond.';

/** What a member sees after an action, as text. */
export function showAnswer(answer: Answer, reading: Reading): string {
  switch (answer.kind) {
    case 'message':
      return showMessage(answer.message, reading);
    case 'modal':
      return showModal(answer.modal.data, reading);
    case 'lost':
      return LOST;
    case 'refused':
      return `Discord does not send this: ${answer.why}`;
  }
}

function showModal(data: APIModalInteractionResponseCallbackData, reading: Reading): string {
  const paint = reading.paint ?? plain;
  const all = modalFields(data);
  const fields = all.map(({ id, label, hint, takes, required, value }) =>
    [
      `│ ${paint('bold', label)} (${id}: ${takes}${required ? '' : ', may be left out'})`,
      ...(hint ? [`│   ${hint}`] : []),
      ...(value ? [`│   now: ${value.replaceAll('\n', '\n│        ')}`] : []),
    ].join('\n'),
  );
  const texts = data.components
    .filter((part) => part.type === ComponentType.TextDisplay)
    .map((part) => readMarkdown(part.content, reading).replace(/^/gm, '│ '));
  const named = fields.length > 1 ? ', or field=value …' : '';
  const howTo = all[0]?.long
    ? `Next lines: the text${named}; an empty line ends it (in a script: a line with .); an empty one at first closes this.`
    : `Next line: the ${fields.length > 1 ? 'first ' : ''}value${named}; an empty line closes this.`;
  return [`┌ ${paint('bold', data.title)}`, ...texts, ...fields, `└ ${paint('dim', howTo)}`].join('\n');
}

/** The choices under an option that is being typed. */
export function showChoices(choices: readonly APIApplicationCommandOptionChoice[] | 'lost'): string {
  if (choices === 'lost') return 'Loading options failed: the application did not respond.';
  if (choices.length === 0) return 'No options match your search.';
  return choices
    .map(({ name, value }) => (saysItself(name, String(value)) ? `  ${name}` : `  ${name} → ${value}`))
    .join('\n');
}

/** `Rust (rust)` needs no `→ rust` behind it. */
function saysItself(name: string, value: string): boolean {
  return name === value || name.endsWith(`(${value})`);
}

/** What stands in front of a message that nobody else can see. */
export const ONLY_YOU = '(only you can see this)';
/** Lines of an attached text that are shown: enough for a report of a few servers. */
const FILE_LINES = 13;

/** A message as the member sees it: words, embeds, attachments, buttons. */
export function showMessage(message: SeenMessage, reading: Reading): string {
  const paint = reading.paint ?? plain;
  const { current } = message;
  if (!current) return '(the message was deleted)';
  const parts = [
    message.loading ? 'thinking…' : readMarkdown(current.content, reading),
    ...current.embeds.map((embed) => showEmbed(embed, reading)),
    ...current.attachments.map((attachment) => showAttachment(attachment, message)),
    ...showComponents(current.components ?? [], reading),
  ].filter((part) => part !== '');
  const shown = parts.join('\n');
  if (!message.ephemeral) return shown;
  // A frame begins on a line of its own, so that its edge stays straight.
  return `${paint('dim', ONLY_YOU)}${shown.startsWith('│') ? '\n' : ' '}${shown}`;
}

function showEmbed(embed: APIEmbed, reading: Reading): string {
  const paint = reading.paint ?? plain;
  const read = (text: string | undefined) => (text ? [readMarkdown(text, reading)] : []);
  const lines = [
    ...read(embed.author?.name),
    ...read(embed.title).map((title) => paint('bold', title)),
    ...(embed.url ? [embed.url] : []),
    ...read(embed.description),
    ...(embed.fields ?? []).map(({ name, value }) => {
      const [title, text] = [paint('bold', readMarkdown(name, reading)), readMarkdown(value, reading)];
      return text.includes('\n') ? `${title}:\n${indented(text)}` : `${title}: ${text}`;
    }),
    // Discord shows no markdown in a footer.
    ...(embed.footer ? [paint('dim', embed.footer.text)] : []),
  ];
  return lines.join('\n').replace(/^/gm, '│ ');
}

function showAttachment(attachment: APIAttachment, message: SeenMessage): string {
  const title = `📎 ${attachment.filename} (${attachment.size} bytes)`;
  const text = textOfFile(message.file(attachment.filename));
  if (text === undefined) return title;
  const lines = text.replace(/\n$/, '').split('\n');
  const rest = lines.length - FILE_LINES;
  return [
    title,
    indented(lines.slice(0, FILE_LINES).join('\n')),
    ...(rest > 0 ? [`  … and ${rest} more lines`] : []),
  ].join('\n');
}

function textOfFile(bytes: Buffer | undefined): string | undefined {
  if (!bytes) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text.replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}

/**
 * Whether nothing more is to come without someone acting. A message that shows a progress bar (a run of block
 * characters) is still moving: the bot replaces the bar by its report when it is done.
 */
export function isFinished({ loading, current }: Pick<SeenMessage, 'loading' | 'current'>): boolean {
  return !loading && !(current && PROGRESS_BAR.test(everyText(current)));
}

const PROGRESS_BAR = /[\u2580-\u259f\u25b0\u25b1]{5,}/u;

function everyText({ content, embeds }: APIMessage): string {
  return [content, ...embeds.flatMap(({ title, description }) => [title ?? '', description ?? ''])].join(
    '\n',
  );
}
