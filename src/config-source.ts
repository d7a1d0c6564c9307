import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';

interface Wanted {
  readonly names: readonly string[];
  /** Those that may also be given as a file, by `NAME_FILE`. */
  readonly secrets: readonly string[];
}

interface Variables {
  readonly values: Readonly<Record<string, string>>;
  /** A sentence for each variable that could not be read, under its name. */
  readonly problems: Map<string, string>;
}

/** Takes the wanted variables from the environment, trimmed, and from the files it names. Empty counts as absent. */
export function readVariables(
  env: Readonly<Record<string, string | undefined>>,
  { names, secrets }: Wanted,
): Variables {
  const values: Record<string, string> = {};
  const problems = new Map<string, string>();
  const given = (name: string) => env[name]?.trim() || undefined;

  for (const name of names) {
    const value = given(name);
    if (value !== undefined) values[name] = value;
    const path = secrets.includes(name) ? given(`${name}_FILE`) : undefined;
    if (path === undefined) continue;
    if (value !== undefined) {
      problems.set(name, `${name} and ${name}_FILE are both given: only one of them can count`);
      continue;
    }
    try {
      const content = readFileSync(path, 'utf8').trim();
      if (content === '') problems.set(name, `${name}_FILE names an empty file: ${shown(path)}`);
      else values[name] = content;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
      problems.set(name, `${name}_FILE names a file that cannot be read (${code}): ${shown(path)}`);
    }
  }
  return { values, problems };
}

/** A path that does not look like one may be the secret itself, put into the wrong variable. */
function shown(path: string): string {
  return isAbsolute(path) || path.startsWith('.') ? path : 'it is not an absolute path, and is not shown';
}
