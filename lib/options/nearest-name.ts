/** The name that somebody meant who wrote `written`: at most two typing mistakes away; undefined when none is. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => ({ name, distance: editDistance(letters(written), letters(name)) }));
  distances.sort((one, other) => one.distance - other.distance);
  const [nearest] = distances;
  return nearest !== undefined && nearest.distance <= 2 ? nearest.name : undefined;
}

/** Spelling without case and punctuation, so that `poll_interval` and `pollinterval` are `pollInterval`. */
function letters(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .slice(0, 64);
}

/** Levenshtein's distance, one row of its table at a time. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of Array.from(other).entries()) {
      const substituted = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(substituted, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
