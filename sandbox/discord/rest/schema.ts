import * as z from 'zod';
import type { $ZodIssue, $ZodType } from 'zod/v4/core';

export type Path = readonly (string | number)[];

/** Something that is wrong with a body. */
interface Flaw {
  readonly message: string;
  readonly path: Path;
}

/** The schemas come without words. */
const WORDS = { error: z.locales.en().localeError };

/** What one of Discord's published schemas finds wrong with a body. Unknown fields are ignored. */
export function schemaFlaws(schema: $ZodType, body: unknown, at: Path = []): Flaw[] {
  const result = z.safeParse(schema, body, WORDS);
  if (result.success) return [];
  return result.error.issues
    .flatMap((issue) => located(issue, []))
    .filter((issue) => !isForgiven(issue, valueAt(body, issue.path as Path)))
    .map(({ message, path }) => ({ message, path: [...at, ...(path as Path)] }));
}

/** Of a union's branches, only what the branch that the `type` field chose finds wrong is of interest. */
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

/** Where the published schemas are stricter than Discord's documentation. */
function isForgiven(issue: $ZodIssue, value: unknown): boolean {
  const { code, path } = issue;
  // zod counts UTF-16 units, Discord characters.
  if (code === 'too_big' && typeof value === 'string') return [...value].length <= Number(issue.maximum);
  // zod's dates know no offset, and Discord always writes one.
  if (code === 'invalid_format' && issue.format === 'datetime')
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)$/.test(String(value));
  // The documentation sends permissions as digits; its own example of an upload has `"id": 0`.
  if (path.at(-1) === 'default_member_permissions') return /^\d+$/.test(String(value));
  return path[0] === 'attachments' && path.at(-1) === 'id' && Number.isInteger(value);
}

/** In words, a line for each flaw. */
export const inWords = (flaws: readonly Flaw[]): string =>
  z.prettifyError({ issues: flaws.map(({ message, path }) => ({ message, path: [...path] })) } as never);
