import { ErrorResponseSchema, RatelimitedResponseSchema } from 'discord-api-spec/zod';
import { type $ZodType, safeParse } from 'zod/v4/core';
import { locate, valueAt } from './rules/shape.ts';

/**
 * What Discord's published schema finds wrong with an answer of the stand-in, a line each. Such a flaw is the
 * stand-in's own: a bot that passes here might fail on Discord.
 */
export function answerFlaws(
  schema: $ZodType | 'nothing',
  status: number,
  json: string | undefined,
): string[] {
  if (json === undefined) return [];
  const expected = status === 429 ? RatelimitedResponseSchema : status >= 400 ? ErrorResponseSchema : schema;
  if (expected === 'nothing') return ['an answer was not expected to have a body'];
  const body: unknown = JSON.parse(json);
  const result = safeParse(expected, body);
  if (result.success) return [];
  return result.error.issues
    .flatMap((issue) => locate(issue, [], body))
    .filter(({ issue, path }) => !isForgiven(issue, path, valueAt(body, path)))
    .map(({ issue, path }) => `${path.join('.') || 'the whole'}: ${issue.message}`);
}

/** Where the published schema differs from Discord's documentation. */
function isForgiven(
  issue: ReturnType<typeof locate>[number]['issue'],
  path: readonly (string | number)[],
  value: unknown,
): boolean {
  // zod's ISO 8601 knows no offset, and Discord always writes one.
  if (issue.code === 'invalid_format' && issue.format === 'datetime')
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/.test(String(value));
  // The codes in `errors` are words, and numbers in the schema (Discord docs: Reference, Error Messages).
  return path[0] === 'errors';
}
