import * as z from 'zod';
import type { $ZodIssue, $ZodType } from 'zod/v4/core';

export type Path = readonly (string | number)[];

/** A schema validation error in a body. */
interface Flaw {
  readonly message: string;
  readonly path: Path;
}

/** zod's English error messages, because Discord's schemas don't contain any. */
const WORDS = { error: z.locales.en().localeError };

/** Returns the errors that one of Discord's published schemas finds in a body. Unknown properties are ignored. */
export function schemaFlaws(schema: $ZodType, body: unknown, at: Path = []): Flaw[] {
  const result = z.safeParse(schema, body, WORDS);
  if (result.success) return [];
  return result.error.issues
    .flatMap((issue) => located(issue, []))
    .filter((issue) => !isForgiven(issue, valueAt(body, issue.path as Path)))
    .map(({ message, path }) => ({ message, path: [...at, ...(path as Path)] }));
}

/** If a body can have several types, returns only the errors for its own `type`. */
function located(issue: $ZodIssue, base: readonly PropertyKey[]): $ZodIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code !== 'invalid_union') return [{ ...issue, path }];
  const chosen = issue.errors.find((branch) => !branch.some((inner) => inner.path[0] === 'type'));
  return chosen === undefined ? [{ ...issue, path }] : chosen.flatMap((inner) => located(inner, path));
}

function valueAt(body: unknown, path: Path): unknown {
  let value = body;
  for (const key of path) value = Object(value)[key];
  return value;
}

/** Whether to ignore an error because Discord's documentation is less strict than the schema. */
function isForgiven(issue: $ZodIssue, value: unknown): boolean {
  const { code, path } = issue;
  // zod counts UTF-16 code units, but Discord counts characters.
  if (code === 'too_big' && typeof value === 'string') return [...value].length <= Number(issue.maximum);
  // zod rejects dates with a UTC offset, but all of Discord's dates have one.
  if (code === 'invalid_format' && issue.format === 'datetime')
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)$/.test(String(value));
  // Discord's documentation defines permissions as a string of digits, and uses a numeric id in its upload example.
  if (path.at(-1) === 'default_member_permissions') return /^\d+$/.test(String(value));
  return path[0] === 'attachments' && path.at(-1) === 'id' && Number.isInteger(value);
}

/** Formats the errors as text, one per line. */
export const inWords = (flaws: readonly Flaw[]): string =>
  z.prettifyError({ issues: flaws.map(({ message, path }) => ({ message, path: [...path] })) } as never);
