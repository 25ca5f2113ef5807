const SEPARATOR = ', ';

/**
 * Joins sentences that differ in a middle part into one that says "or" there: `At 00:00, on day 13 of the month` and
 * `At 00:00, only on Friday` share their beginning.
 */
export function joinAlternatives(sentences: readonly string[], locale: string): string {
  const [first = [], ...others] = sentences.map((sentence) => sentence.split(SEPARATOR));
  if (others.length === 0) return first.join(SEPARATOR);
  const all = [first, ...others];
  const shortest = Math.min(...all.map((parts) => parts.length)) - 1;
  const head = countWhile(shortest, (index) => all.every((parts) => parts[index] === first[index]));
  const tail = countWhile(shortest - head, (index) =>
    all.every((parts) => parts.at(-1 - index) === first.at(-1 - index)),
  );
  const middles = all.map((parts) => parts.slice(head, parts.length - tail).join(SEPARATOR));
  const either = new Intl.ListFormat(locale, { type: 'disjunction' }).format(middles);
  return [...first.slice(0, head), either, ...first.slice(first.length - tail)].join(SEPARATOR);
}

function countWhile(limit: number, holds: (index: number) => boolean): number {
  let count = 0;
  while (count < limit && holds(count)) count++;
  return count;
}
