// A leaf file, which every room may import.

/** How many letters must be inserted, removed or replaced to turn one text into another: Levenshtein's distance. */
export function editDistance(from: string, to: string): number {
  // Of his table only the last row is kept: the distances of a beginning of `from` to every beginning of `to`.
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const inserted = (current[column - 1] ?? 0) + 1;
      const removed = (previous[column] ?? 0) + 1;
      current.push(Math.min(replaced, inserted, removed));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
