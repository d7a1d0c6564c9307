/**
 * The user entered an invalid line. The message explains what input is expected. Scripts with an invalid line end with exit
 * status 1.
 */
export class InvalidLineError extends Error {
  override readonly name = 'InvalidLineError';
}

interface Grammar {
  /** The names that values can be assigned to. */
  readonly names: readonly string[];
  /** The character between a name and its value. */
  readonly sign: ':' | '=';
}

/** Matches text in double quotes, up to the first quote that isn't escaped. */
const QUOTED = /^"((?:\\.|[^"\\])*)"(?=\s|$)/su;

/**
 * Parses assignments such as `name:value name:"a value"`. Values may be secrets, so error messages never include them.
 * - A quoted value ends at its closing quote, and can contain `\"`, `\\` and `\n`.
 * - Any other value ends before the next known ` name:`. As in Discord, the value can contain colons and spaces.
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

/** Removes double quotes and backslash escapes. Returns text without quotes unchanged. */
export function unquoted(text: string): string {
  const [all, inside = ''] = QUOTED.exec(text.trim()) ?? [];
  if (all !== text.trim()) return text;
  return inside.replace(/\\(["\\n])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}
