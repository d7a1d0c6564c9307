import type { ModalField } from '../discord/client/modal-form.ts';
import type { Answer } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { drawText } from '../markdown.ts';
import {
  type ButtonView,
  type ModalView,
  messageView,
  modalView,
  type SelectView,
  type Viewer,
} from '../page/messages.ts';

/** The user who is reading, and the current time in milliseconds since 1970. */
interface Reader extends Viewer {
  readonly now: number;
}

/** Returns a reader who doesn't know any names, but sees enough lines of a file to check a short report. */
export const aReader = (): Reader => ({
  nameOf: () => undefined,
  here: { channels: [], roles: [], members: [] },
  lines: 13,
  now: Date.now(),
});

/** Formats the result of an action as the user sees it. */
export function showAnswer(answer: Answer, reader: Reader): string {
  switch (answer.kind) {
    case 'message':
      return showMessage(answer.message, reader);
    case 'modal':
      return showModal(modalView(answer.modal, reader.nameOf), reader);
    case 'lost':
      return 'The application did not respond.';
    case 'rejected':
      return `Discord does not send this: ${answer.why}`;
  }
}

function showModal({ title, texts, fields }: ModalView, { now }: Reader): string {
  const shown = fields.map((field) => {
    const { label, description, value } = field;
    const hints = [description, 'placeholder' in field ? field.placeholder : ''];
    return [
      `│ ${label} (${takenBy(field)}${field.required ? '' : ', optional'})`,
      ...hints.filter((hint) => hint !== '').map((hint) => `│   ${hint}`),
      ...(field.kind === 'select'
        ? field.offers.map((offer) => `│   ○ ${offer.label} (${offer.value})`)
        : []),
      ...(value ? [`│   now: ${value.replaceAll('\n', '\n│        ')}`] : []),
    ].join('\n');
  });
  const next = fields.length > 1 ? 'the first value, or field=value …' : 'the value';
  const read = texts.map((text) => `│ ${drawText(text, now)}`);
  return [`┌ ${title}`, ...read, ...shown, `└ Next line: ${next}; an empty line closes this.`].join('\n');
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

/** Formats a message as the user sees it: content, embeds, attachments and buttons. */
export function showMessage(message: SeenMessage, reader: Reader): string {
  const { state, content, embeds, files, rows } = messageView(message, reader);
  const { now } = reader;
  const parts = [
    state === 'thinking' ? 'thinking…' : drawText(content, now),
    ...embeds.map(({ title, description, footer }) =>
      indented([title, drawText(description, now), footer].filter((line) => line !== '').join('\n'), '│ '),
    ),
    ...files.map(({ name, size, preview }) => `📎 ${name} (${size} bytes)\n${indented(preview, '  ')}`),
    ...rows.map((row) => row.map(showControl).join('  ')),
  ];
  const shown = parts.filter((part) => part !== '').join('\n');
  if (!message.ephemeral) return shown;
  // A box starts on a new line so that its left edge is straight.
  return `(only you can see this)${shown.startsWith('│') ? '\n' : ' '}${shown}`;
}

function showControl(control: ButtonView | SelectView): string {
  if (control.kind === 'button') {
    const { label, url, disabled } = control;
    return `[ ${label}${url === '' ? '' : ` → ${url}`}${disabled ? ' · disabled' : ''} ]`;
  }
  const offers = control.offers.map(({ label, value, isChosen }) => {
    return `\n  ${isChosen ? '●' : '○'} ${label}${label === value ? '' : ` (${value})`}`;
  });
  return `▾ ${control.placeholder}${offers.join('')}`;
}

/** Returns the labels of the buttons that the user can press, in display order. */
export const buttonsOf = (message: SeenMessage | undefined): readonly string[] =>
  (message === undefined ? [] : messageView(message, aReader()).rows)
    .flat()
    .flatMap((control) =>
      control.kind === 'button' && control.url === '' && !control.disabled ? [control.label] : [],
    );

const indented = (text: string, by: string): string => text.replace(/^/gm, by);

/** Whether a message is final. A progress bar (several block characters in a row) means that a report will replace it. */
export function isFinished({ loading, current }: Pick<SeenMessage, 'loading' | 'current'>): boolean {
  const embeds = current.embeds.map(({ description = '' }) => description);
  return !loading && ![current.content, ...embeds].some((text) => PROGRESS_BAR.test(text));
}

const PROGRESS_BAR = /[\u2580-\u259f\u25b0\u25b1]{5,}/u;
