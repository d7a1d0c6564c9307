import { type Field, fieldCalled, PORT_FIELDS } from './field-names.ts';
import { MIN_BARE_PORT } from './row.ts';

export interface NamedNumber {
  readonly field: Field;
  readonly text: string;
  /** Begins with the number's label. */
  readonly start: number;
  readonly end: number;
  readonly game?: string | undefined;
}

/** A standalone number that isn't part of an address. */
const NUMBER = /(?<![\d.a-z+-])[+-]?\d{1,6}(?![\p{L}\p{N}]|[.:]\d|\s{0,3}[:=])/giu;
/** The label in front of a number, such as `Port: `, `'query_port' => `, `-port `, `open port ` or "the port is ". */
const NAME =
  /(?:(?<![\p{L}\p{M}\p{N}_.-])|(?<=(?:^|\s)--?))(?<word>[\p{L}\p{M}][\p{L}\p{M}\p{N}_.-]{0,60})(?: (?:is|ist|est|es|jest|adalah))?[^\p{L}\p{M}\p{N}+-]{1,12}$/iu;
const MAX_LABEL_LENGTH = 82;
/** In front of the label, words can specify the kind of port, as in "Steam Query Port". */
const MAX_WORDS_IN_FRONT = 2;
const MAX_WORDS_LENGTH = 60;

/** The kinds of port that words in front of "port" can specify. Any other words just belong to the sentence. */
const OF_WORDS: ReadonlySet<Field | undefined> = new Set<Field>(['gamePort', 'queryPort', 'other']);

/** Understands labels in any of the bot's languages. */
export function namedNumbers(line: string): readonly NamedNumber[] {
  const found: NamedNumber[] = [];
  for (const { 0: number, index } of line.matchAll(NUMBER)) {
    const name = NAME.exec(line.slice(Math.max(0, index - MAX_LABEL_LENGTH), index));
    const word = name?.groups?.word ?? '';
    const called = fieldCalled(word)?.field;
    // A line such as `game: 28015` under `ports:` specifies a port.
    const isPort = called === 'game' && Number.parseInt(number, 10) >= MIN_BARE_PORT;
    if (name === null) continue;
    const at = index - name[0].length;
    const before = line.slice(Math.max(0, at - MAX_WORDS_LENGTH), at);
    const own = isPort ? 'unclearPort' : (called ?? portOfGame(before, word));
    if (own === undefined || !PORT_FIELDS.has(own)) continue;
    const named = withWords(before, word);
    found.push({
      field: named?.field ?? own,
      text: number,
      start: at - (named?.length ?? 0),
      end: index + number.length,
    });
  }
  return found;
}

/** Returns the field of a port whose game follows its label, as in "Puerto Bedrock: 19132" and "Port (MCPE): 19132". */
function portOfGame(before: string, game: string): Field | undefined {
  const [label = ''] = /[\p{L}\p{M}]{2,20}(?=[\s(]{1,3}$)/u.exec(before) ?? [];
  const isPort = fieldCalled(label)?.field === 'port' && fieldCalled(game) === undefined;
  return isPort ? 'unclearPort' : undefined;
}

/** @returns the field that the label and the words in front of it refer to, and the length of those words */
function withWords(
  before: string,
  word: string,
): { readonly field: Field; readonly length: number } | undefined {
  let found: { readonly field: Field; readonly length: number } | undefined;
  let end = before.trimEnd().length;
  for (let words = 0; words < MAX_WORDS_IN_FRONT && end > 0; words++) {
    const start = before.lastIndexOf(' ', end - 1) + 1;
    if (!/^[*"'`([]{0,4}[\p{L}\p{M}\p{N}_.:-]+$/u.test(before.slice(start, end))) break;
    const field = fieldCalled(`${before.slice(start)} ${word}`)?.field;
    if (field !== undefined && OF_WORDS.has(field)) found = { field, length: before.length - start };
    end = before.slice(0, start).trimEnd().length;
  }
  return found;
}

/** Replaces the labelled ports and their labels with spaces, so that all other text keeps its position. */
export function withoutNumbers(line: string, numbers: readonly NamedNumber[]): string {
  let text = line;
  for (const { start, end } of numbers) {
    text = text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
  }
  return text;
}
