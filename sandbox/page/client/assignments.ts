/** A line that could not be understood. The message says what was expected; a piped run ends with status 1. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

interface Grammar {
  /** The names that can have a value. */
  readonly names: readonly string[];
  /** The sign between a name and its value. */
  readonly sign: ':' | '=';
}

/** In double quotes: everything up to the next quote that has no backslash before it. */
const QUOTED = /^"((?:\\.|[^"\\])*)"(?=\s|$)/su;

/**
 * Reads a line of assignments: `name:value name:"a value"`. A value in double quotes ends with its quote (`\"`, `\\` and
 * `\n` inside); any other value ends before the next ` name:` that is one of the names, so it may hold colons and spaces,
 * as in Discord. The values may be secrets: no error repeats one.
 * @throws BadLine
 */
export function readAssignments(
  text: string,
  { names, sign }: Grammar,
): readonly (readonly [name: string, value: string])[] {
  const found: [string, string][] = [];
  const next = new RegExp(`\\s+(?:${names.map((name) => RegExp.escape(name)).join('|')})${sign}`, 'u');
  for (let left = text.trim(); left !== ''; ) {
    const name = names.find((each) => left.startsWith(each + sign));
    if (name === undefined) throw new BadLine(`There are ${names.map((each) => each + sign).join(', ')}.`);
    const rest = left.slice(name.length + 1);
    const quoted = QUOTED.exec(rest);
    const value = quoted?.[0] ?? rest.slice(0, next.exec(rest)?.index);
    found.push([name, unquoted(value.trimEnd())]);
    left = rest.slice(value.length).trimStart();
  }
  return found;
}

/** The text in double quotes with its escapes undone; any other text as it is. */
export function unquoted(text: string): string {
  const [all, inside = ''] = QUOTED.exec(text.trim()) ?? [];
  if (all !== text.trim()) return text;
  return inside.replace(/\\(["\\n])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}
