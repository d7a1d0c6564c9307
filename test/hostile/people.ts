import assert from 'node:assert/strict';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { buttonsOf, isFinished } from '../../sandbox/prompt/show.ts';
import { messageOf, textOf } from '../support/scene.ts';

/** Whatever the answer is, there has to be one. */
export function answered(answer: Answer, what: string): Answer {
  assert.notEqual(answer.kind, 'lost', `there was no answer to ${what}`);
  return answer;
}

/** The labels of the buttons that can be pressed. */
export const labelsOf = (answer: Answer): readonly string[] =>
  answer.kind === 'message' ? buttonsOf(answer.message.current?.components ?? []) : [];

/** Fills in the first field of a modal, and leaves the others as they are. */
export function fill(person: Person, modal: SeenModal, value: string): Promise<Answer> {
  const [first, ...others] = modalFields(modal.data);
  assert(first, 'the modal has no field');
  const kept = others.map((field) => [field.id, field.value ?? '']);
  return person.submit(modal, { ...Object.fromEntries(kept), [first.id]: value });
}

/** Presses the button of a preview that submits it, and waits for the report. */
export async function submitList(person: Person, preview: Answer): Promise<SeenMessage> {
  const label = labelsOf(preview).find((each) => /^(Submit|Try again)/.test(each));
  assert(label, `there is no button to submit with: ${textOf(preview)}`);
  const message = messageOf(await person.press(messageOf(preview), label));
  while (!isFinished(message)) await message.changed();
  return message;
}
