/** A text as a terminal may show it: on one line, and without what would control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** An instant in UTC. */
export function instantText(unixMs: number | undefined): string {
  return unixMs === undefined ? '' : new Date(unixMs).toISOString().replace('.000Z', 'Z');
}

/** The end of what has one, after what it is the end of. */
export function untilText(unixMs: number | undefined): string {
  return unixMs === undefined ? '' : ` until ${instantText(unixMs)}`;
}

/** Rows under their headings, each column as wide as it needs to be. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** The members of an object, each on a line of its own; instants as times. */
export function members(of: object): string {
  const entries = Object.entries(of).map(([name, value]: [string, unknown]) => memberOf(name, value));
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, text]) => `${name.padEnd(width)}  ${printable(text)}\n`).join('');
}

function memberOf(name: string, value: unknown): readonly [string, string] {
  if (name.endsWith('UnixMs')) {
    const instants = Array.isArray(value) ? value : [value];
    return [
      name.slice(0, -'UnixMs'.length),
      instants.length === 0 ? 'none' : instants.map((instant) => instantText(Number(instant))).join(', '),
    ];
  }
  return [name, typeof value === 'string' ? value : JSON.stringify(value)];
}
