const NUMBER = /^\d{1,6}$/;

/**
 * Parses a list of line numbers that a moderator typed, such as `3, 7-9`.
 * @param lines the numbers of the existing lines
 * @returns the line numbers, or the first part of the text that doesn't match any existing line
 */
export function linesNamed(typed: string, lines: readonly number[]): ReadonlySet<number> | string {
  const named = new Set<number>();
  for (const part of typed.split(/[,;、，]/u).map((each) => each.trim())) {
    if (part === '') continue;
    const [from = '', to = from, ...more] = part.split(/[-–]/u).map((each) => each.trim());
    const isRange = NUMBER.test(from) && NUMBER.test(to) && more.length === 0;
    const found = isRange ? lines.filter((line) => Number(from) <= line && line <= Number(to)) : [];
    if (found.length === 0) return part;
    for (const line of found) named.add(line);
  }
  return named;
}
