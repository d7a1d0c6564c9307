import type { ModalField } from '../discord/client/modal-form.ts';
import type { Answer } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { drawText } from '../markdown.ts';
import {
  type ButtonView,
  type Looking,
  type ModalView,
  messageView,
  modalView,
  type SelectView,
} from '../page/messages.ts';

/** A person who reads what is shown, at a time in milliseconds since 1970. */
export interface Reader extends Looking {
  readonly now: number;
}

/** Whoever knows nobody and sees as much of a file as a report of a few servers has. */
export const aReader = (): Reader => ({
  nameOf: () => undefined,
  here: { channels: [], roles: [] },
  lines: 13,
  now: Date.now(),
});

/** What a member sees after an action, as text. */
export function showAnswer(answer: Answer, reader: Reader): string {
  switch (answer.kind) {
    case 'message':
      return showMessage(answer.message, reader);
    case 'modal':
      return showModal(modalView(answer.modal, reader.nameOf), reader);
    case 'lost':
      return 'The application did not respond.';
    case 'refused':
      return `Discord does not send this: ${answer.why}`;
  }
}

function showModal({ title, texts, fields }: ModalView, { now }: Reader): string {
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

/** A message as the member sees it: words, embeds, attachments, buttons. */
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
  // A frame begins on a line of its own, so that its edge stays straight.
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

/** The labels of the buttons that can be pressed, in the order they are shown. */
export const buttonsOf = (message: SeenMessage | undefined): readonly string[] =>
  (message === undefined ? [] : messageView(message, aReader()).rows)
    .flat()
    .flatMap((control) =>
      control.kind === 'button' && control.url === '' && !control.disabled ? [control.label] : [],
    );

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
