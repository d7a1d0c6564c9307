import type { APIApplicationCommandOptionChoice, APIModalInteractionResponseCallbackData } from 'discord.js';
import { ComponentType } from 'discord.js';
import type { Answer } from '../discord/contract.ts';
import { type Reading, readMarkdown } from './markdown.ts';
import { modalFields } from './modal-line.ts';
import { plain } from './paint.ts';
import { showMessage } from './show-message.ts';

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
  const fields = modalFields(data).map(({ id, label, hint, takes, required, value }) =>
    [
      `│ ${paint('bold', label)} (${id}: ${takes}${required ? '' : ', may be left out'})`,
      ...(hint ? [`│   ${hint}`] : []),
      ...(value ? [`│   now: ${value}`] : []),
    ].join('\n'),
  );
  const texts = data.components
    .filter((part) => part.type === ComponentType.TextDisplay)
    .map((part) => readMarkdown(part.content, reading).replace(/^/gm, '│ '));
  const howTo =
    fields.length > 1
      ? 'Next line: the first value, or field=value …; an empty line closes this.'
      : 'Next line: the value; an empty line closes this.';
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
