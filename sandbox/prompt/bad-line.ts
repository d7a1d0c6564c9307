/** A line that could not be understood. The message says what was expected; a piped run ends with status 1. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

/** The name that `typed` was probably meant to be; `undefined` when none is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  const ranked = names
    .map((name) => ({ name, distance: distanceTo(wanted, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // A third of the letters may be wrong: enough for slips, too little for another word.
  return best && best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

/** ` Did you mean …?`, or nothing when no name is near. */
export function suggestion(typed: string, names: readonly string[]): string {
  const name = nearest(typed, names);
  return name === undefined ? '' : ` Did you mean ${name}?`;
}

/** How many letters must be changed, added or left out to make `b` of `a`; 0 when `b` only goes on from `a`. */
function distanceTo(a: string, b: string): number {
  if (a.length >= 3 && b.startsWith(a)) return 0;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
