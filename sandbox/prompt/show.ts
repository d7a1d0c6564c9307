import {
  type APIComponentInMessageActionRow,
  type APIEmbed,
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
} from 'discord.js';
import { rowsOf } from '../discord/client/components.ts';
import { type ModalField, modalFields, modalTexts } from '../discord/client/modal-form.ts';
import type { Answer } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { type Reading, readMarkdown } from '../markdown.ts';

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
  const fields = modalFields(data);
  const shown = fields.map((field) => {
    const { label, description, value } = field;
    const hints = [description, 'placeholder' in field ? field.placeholder : ''];
    return [
      `│ ${label} (${takenBy(field)}${field.required ? '' : ', may be left out'})`,
      ...hints.filter((hint) => hint !== '').map((hint) => `│   ${hint}`),
      ...(field.kind === 'select'
        ? field.offers.map((offer) => `│   ○ ${offer.label} (${offer.value})`)
        : []),
      ...(value ? [`│   now: ${value.replaceAll('\n', '\n│        ')}`] : []),
    ].join('\n');
  });
  const next =
    fields.length > 1
      ? 'Next line: the first value, or field=value …; an empty line closes this.'
      : 'Next line: the value; an empty line closes this.';
  const texts = modalTexts(data).map((text) => `│ ${readMarkdown(text, reading)}`);
  return [`┌ ${data.title}`, ...texts, ...shown, `└ ${next}`].join('\n');
}

function takenBy(field: ModalField): string {
  switch (field.kind) {
    case 'text':
      return `${field.id}: ${field.isLong ? 'lines' : 'text'}, ${field.least} to ${field.most} characters`;
    case 'select':
      return `${field.id}: one of these`;
    case 'file':
      return `${field.id}: the path of a file, ${field.types.join(' ')}`;
  }
}

/** Lines of an attached text that are shown: enough for a report of a few servers. */
const FILE_LINES = 13;

/** A message as the member sees it: words, embeds, attachments, buttons. */
export function showMessage(message: SeenMessage, reading: Reading): string {
  const { current, ephemeral, loading } = message;
  const parts = [
    loading ? 'thinking…' : readMarkdown(current.content, reading),
    ...current.embeds.map((embed) => showEmbed(embed, reading)),
    ...current.attachments.map(({ filename, size }) => {
      const text = message.file(filename)?.toString('utf8') ?? '';
      return `📎 ${filename} (${size} bytes)\n${indented(beginning(text), '  ')}`;
    }),
    ...rowsOf(current).map((row) => row.map(showComponent).join('  ')),
  ];
  const shown = parts.filter((part) => part !== '').join('\n');
  if (!ephemeral) return shown;
  // A frame begins on a line of its own, so that its edge stays straight.
  return `(only you can see this)${shown.startsWith('│') ? '\n' : ' '}${shown}`;
}

function showEmbed({ title = '', description = '', footer }: APIEmbed, reading: Reading): string {
  // Discord shows no markdown in a footer.
  const lines = [readMarkdown(title, reading), readMarkdown(description, reading), footer?.text ?? ''];
  return indented(lines.filter((line) => line !== '').join('\n'), '│ ');
}

function showComponent(component: APIComponentInMessageActionRow): string {
  switch (component.type) {
    case ComponentType.Button: {
      const label = 'label' in component ? component.label : '';
      if ('url' in component) return `[ ${label} → ${component.url} ]`;
      return component.disabled ? `[ ${label} · disabled ]` : `[ ${label} ]`;
    }
    case ComponentType.StringSelect: {
      const options = component.options.map(
        ({ label, value, default: chosen }) =>
          `\n  ${chosen ? '●' : '○'} ${label}${label === value ? '' : ` (${value})`}`,
      );
      return `▾ ${component.placeholder}${options.join('')}`;
    }
    default:
      return `▾ ${component.placeholder}`;
  }
}

/** The labels of the buttons that can be pressed, in the order they are shown. */
export const buttonsOf = (components: APIMessage['components'] | undefined): readonly string[] =>
  rowsOf({ components: components ?? [] })
    .flat()
    .flatMap((component) => {
      const isButton = component.type === ComponentType.Button && 'custom_id' in component;
      return isButton && component.label && !component.disabled ? [component.label] : [];
    });

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
