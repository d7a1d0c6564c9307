import type { Flaw, Path } from './refusal.ts';

/**
 * An address as Discord reads it: one of the schemes, and for http a host with a dot in it (`http://localhost` is
 * "not well formed"). What is no address at all has been found by the schema.
 */
export function urlFlaws(
  url: string | null | undefined,
  path: Path,
  rule: number,
  schemes: readonly string[],
): Flaw[] {
  if (!url) return [];
  const parsed = URL.parse(url);
  const malformed = { rule, path, code: 'URL_TYPE_INVALID_URL', message: 'Not a well formed URL.' };
  if (parsed === null) return [malformed];
  const scheme = parsed.protocol.slice(0, -1);
  if (!schemes.includes(scheme))
    return [
      {
        rule,
        path,
        code: 'URL_TYPE_INVALID_SCHEME',
        message: `Scheme "${scheme}" is not supported. Scheme must be one of (${schemes.map((each) => `'${each}'`).join(', ')}).`,
      },
    ];
  return scheme.startsWith('http') && !/[.:]/.test(parsed.hostname) ? [malformed] : [];
}
