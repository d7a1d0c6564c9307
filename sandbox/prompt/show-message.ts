import type { APIAttachment, APIEmbed, APIMessage } from 'discord.js';
import type { SeenMessage } from '../discord/world/messages.ts';
import { type Reading, readMarkdown } from './markdown.ts';
import { plain } from './paint.ts';
import { showComponents } from './show-components.ts';

/** What stands in front of a message that nobody else can see. */
export const ONLY_YOU = '(only you can see this)';
/** Lines of an attached text that are shown: enough for a report of a few servers. */
const FILE_LINES = 40;

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
export function isSettled({ loading, current }: Pick<SeenMessage, 'loading' | 'current'>): boolean {
  return !loading && !(current && PROGRESS_BAR.test(everyText(current)));
}

const PROGRESS_BAR = /[\u2580-\u259f\u25b0\u25b1]{5,}/u;

function everyText({ content, embeds }: APIMessage): string {
  return [content, ...embeds.flatMap(({ title, description }) => [title ?? '', description ?? ''])].join(
    '\n',
  );
}
