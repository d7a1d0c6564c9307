import { BadLine, suggestion } from './bad-line.ts';

/** `name:value` of a slash command, or `id=value` of a modal. */
export interface Assignment {
  readonly name: string;
  readonly value: string;
  /** A question mark stood behind it: the choices for this value are wanted. */
  readonly asked: boolean;
}

export interface Grammar {
  /** What a value may be given for. */
  readonly names: readonly string[];
  readonly sign: ':' | '=';
  /** What `names` are, for the sentence that says one is unknown. */
  readonly of: string;
}

/** In double quotes: everything up to the next quote that has no backslash before it. */
const QUOTED = /"((?:\\.|[^"\\])*)"(\?)?(?=\s|$)/suy;

/**
 * Reads a line of assignments. A value in double quotes ends with its quote (`\"`, `\\` and `\n` inside); any other
 * value ends before the next ` name:` that is one of the names, so it may hold colons and spaces, as in Discord.
 * @throws BadLine
 */
export function readAssignments(text: string, { names, sign, of }: Grammar): readonly Assignment[] {
  const found: Assignment[] = [];
  for (let rest = text.trim(); rest !== ''; ) {
    const { name, after } = readName(rest, { names, sign, of });
    if (found.some((assignment) => assignment.name === name))
      throw new BadLine(`${name}${sign} is given twice.`);
    const { value, asked, length } = after.startsWith('"')
      ? readQuoted(after)
      : readPlain(after, { names, sign, of });
    found.push({ name, value, asked });
    rest = after.slice(length).trimStart();
  }
  return found;
}

/** The text in double quotes with its escapes undone; any other text as it is. */
export function unquoted(text: string): string {
  const trimmed = text.trim();
  QUOTED.lastIndex = 0;
  const match = QUOTED.exec(trimmed);
  return match && match[0].length === trimmed.length && match[2] === undefined ? unescaped(match) : text;
}

/**
 * What stands behind the name of an action: one text, in double quotes or not.
 * @throws BadLine when a quote does not end
 */
export function oneText(argument: string): string {
  const text = unquoted(argument);
  if (text === argument && text.startsWith('"')) throw endlessQuote(text);
  return text;
}

function endlessQuote(text: string): BadLine {
  return new BadLine(`The double quote in ${text} does not end, or no space stands behind it.`);
}

function readName(text: string, { names, sign, of }: Grammar): { name: string; after: string } {
  const end = text.indexOf(sign);
  const name = text.slice(0, Math.max(end, 0));
  if (names.includes(name)) return { name, after: text.slice(end + 1) };
  const word = text.split(/\s/, 1)[0] ?? text;
  const typed = word.split(sign, 1)[0] ?? word;
  if (names.length === 0) throw new BadLine(`${of} takes no options, but "${word}" was given.`);
  throw new BadLine(
    `"${word}" was not understood; ${of} takes ${names.map((known) => `${known}${sign}`).join(', ')}.${suggestion(typed, names)}`,
  );
}

function readQuoted(text: string): { value: string; asked: boolean; length: number } {
  QUOTED.lastIndex = 0;
  const match = QUOTED.exec(text);
  if (!match) throw endlessQuote(text);
  return { value: unescaped(match), asked: match[2] === '?', length: match[0].length };
}

function unescaped(match: RegExpExecArray): string {
  return (match[1] ?? '').replace(/\\(["\\n])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}

function readPlain(
  text: string,
  { names, sign, of }: Grammar,
): { value: string; asked: boolean; length: number } {
  const next = new RegExp(`\\s+(?:${names.map((name) => RegExp.escape(name)).join('|')})${sign}`, 'u');
  const length = next.exec(text)?.index ?? text.length;
  const value = text.slice(0, length).trimEnd();
  // A mistyped name must not end up inside the value before it. `steam://…` is an address, not a name.
  const stray = sign === ':' ? /\s(\p{L}[\p{L}\p{N}_-]*):(?!\/\/)/u.exec(value)?.[1] : undefined;
  if (stray !== undefined)
    throw new BadLine(
      `${of} has no option "${stray}".${suggestion(stray, names)} A value that holds "${stray}:" must be in double quotes.`,
    );
  const asked = sign === ':' && value.endsWith('?');
  return { value: asked ? value.slice(0, -1) : value, asked, length };
}
