import assert from 'node:assert/strict';
import type { Answer, Person, Upload } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { isFinished } from '../../sandbox/prompt/show.ts';
import { messageOf, textOf } from './scene.ts';

export const upload = (filename: string, content: string | Uint8Array): Upload => ({
  filename,
  bytes: Buffer.from(content),
});

/** `count` lines with a server each: `s0.example.com:27015 cs2`. */
export const lines = (count: number, game = 'cs2'): string =>
  Array.from({ length: count }, (_, n) => `s${n}.example.com:27015 ${game}`).join('\n');

/** Waits for what comes after the progress bar. */
export async function reported(answer: Answer): Promise<SeenMessage> {
  const message = messageOf(answer);
  for (;;) {
    const change = message.changed();
    if (isFinished(message)) return message;
    await change;
  }
}

/** Presses the Submit button of a preview, and waits for the report. */
export async function submit(person: Person, preview: Answer): Promise<SeenMessage> {
  const button = labelsOf(preview).find((label) => /^(Submit|Try again|Erneut|\d+)/.test(label));
  assert(button, `there is no button to submit with: ${textOf(preview)}`);
  return reported(await person.press(messageOf(preview), button));
}

/** The labels of a message's buttons. */
export function labelsOf(answer: Answer): readonly string[] {
  return componentsOf(answer).flatMap(({ label }) => label ?? []);
}

export interface Component {
  readonly type: number;
  readonly label?: string;
  readonly custom_id?: string;
  readonly options?: readonly { readonly value: string }[];
}

export function componentsOf(answer: Answer): readonly Component[] {
  const rows = (messageOf(answer).current?.components ?? []) as unknown as {
    readonly components: readonly Component[];
  }[];
  return rows.flatMap(({ components }) => components);
}

/** The rows of an attached CSV file, without the header; no cell of the tests has a line break in it. */
export function csvOf(message: SeenMessage, name: string): readonly (readonly string[])[] {
  const text = message.file(name)?.toString();
  assert(text, `there is no file ${name}`);
  return text
    .replace(/^\ufeff/, '')
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.slice(1, -1).split('","'));
}

export const read = (message: SeenMessage): string => textOf({ kind: 'message', message });
