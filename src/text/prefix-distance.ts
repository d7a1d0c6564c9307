/**
 * Creates a function that counts the changes needed to turn `typed` into the beginning of another text, for a user who is
 * still typing. A change adds, removes or replaces a character, or swaps two adjacent ones. The function uses optimal
 * string alignment, limited to `maxChanges` columns on either side of the diagonal, and stops when a whole row exceeds
 * `maxChanges`. It reuses its arrays, because a search calls it for every word of every game.
 * @returns a function that returns the number of changes for a text, or infinity if there are more than `maxChanges`
 */
export function prefixDistance(typed: string, maxChanges: number): (text: string) => number {
  const far = maxChanges + 1;
  const newRow = () => new Uint8Array(typed.length + maxChanges + 2);
  let beforeLast = newRow();
  let last = newRow();
  let current = newRow();

  return (text) => {
    if (text.length < typed.length - maxChanges) return Number.POSITIVE_INFINITY;
    const width = Math.min(text.length, typed.length + maxChanges);
    for (let column = 0; column <= far; column++) last[column] = column;
    for (let row = 1; row <= typed.length; row++) {
      const letter = typed.charCodeAt(row - 1);
      const before = row > 1 ? typed.charCodeAt(row - 2) : -1;
      const first = Math.max(1, row - maxChanges);
      const end = Math.min(width, row + maxChanges);
      let best = Math.min(row, far);
      // Cells more than `maxChanges` columns from the diagonal count as too many changes.
      current[first - 1] = first === 1 ? best : far;
      for (let column = first; column <= end; column++) {
        const other = text.charCodeAt(column - 1);
        let changes = at(last, column - 1) + (letter === other ? 0 : 1);
        changes = Math.min(changes, at(last, column) + 1, at(current, column - 1) + 1, far);
        if (column > 1 && before === other && letter === text.charCodeAt(column - 2)) {
          changes = Math.min(changes, at(beforeLast, column - 2) + 1);
        }
        current[column] = changes;
        if (changes < best) best = changes;
      }
      current[end + 1] = far;
      if (best > maxChanges) return Number.POSITIVE_INFINITY;
      [beforeLast, last, current] = [last, current, beforeLast];
    }
    let fewest = far;
    for (let column = Math.max(0, typed.length - maxChanges); column <= width; column++) {
      fewest = Math.min(fewest, at(last, column));
    }
    return fewest <= maxChanges ? fewest : Number.POSITIVE_INFINITY;
  };
}

function at(row: Uint8Array, column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
