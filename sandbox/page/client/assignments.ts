/** A line that isn't valid. The message describes the expected input; in a piped run, the program exits with status 1. */
export class InvalidLineError extends Error {
  override readonly name = 'InvalidLineError';
}

interface Grammar {
  /** The names that can be assigned to. */
  readonly names: readonly string[];
  /** The character between a name and its value. */
  readonly sign: ':' | '=';
}

/** Matches a text in double quotes, which ends at the first quote without a backslash. */
const QUOTED = /^"((?:\\.|[^"\\])*)"(?=\s|$)/su;

/**
 * Parses a line of assignments: `name:value name:"a value"`.
 * - A quoted value ends at its closing quote, and can contain `\"`, `\\` and `\n`.
 * - Any other value ends before the next ` name:` with a known name. As in Discord, it can contain colons and spaces.
 * Values may be secrets, so errors never repeat them.
 * @throws InvalidLineError
 */
export function readAssignments(
  text: string,
  { names, sign }: Grammar,
): readonly (readonly [name: string, value: string])[] {
  const found: [string, string][] = [];
  const next = new RegExp(`\\s+(?:${names.map((name) => RegExp.escape(name)).join('|')})${sign}`, 'u');
  for (let left = text.trim(); left !== ''; ) {
    const name = names.find((each) => left.startsWith(each + sign));
    if (name === undefined)
      throw new InvalidLineError(`There are ${names.map((each) => each + sign).join(', ')}.`);
    const rest = left.slice(name.length + 1);
    const quoted = QUOTED.exec(rest);
    const value = quoted?.[0] ?? rest.slice(0, next.exec(rest)?.index);
    found.push([name, unquoted(value.trimEnd())]);
    left = rest.slice(value.length).trimStart();
  }
  return found;
}

/** Removes the double quotes and escapes of a quoted text. Other texts are returned unchanged. */
export function unquoted(text: string): string {
  const [all, inside = ''] = QUOTED.exec(text.trim()) ?? [];
  if (all !== text.trim()) return text;
  return inside.replace(/\\(["\\n])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}
