export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Every table of a text in Markdown. */
export function tablesOf(text: string): readonly Table[] {
  return [...text.matchAll(/(?:^\|.*\|$\n?)+/gm)].map(([lines]) => {
    const [header = [], , ...rows] = lines.trimEnd().split('\n').map(cellsOf);
    return { header, rows };
  });
}

/** A column's cells, from top to bottom. */
export function column(table: Table, name: string): readonly string[] {
  const index = table.header.indexOf(name);
  return table.rows.map((row) => row[index] ?? '');
}

/** What a cell says in code. */
export function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** What stands in code in a column, in order. */
export function codes(table: Table, name: string): readonly string[] {
  return column(table, name).flatMap(codeIn);
}

function cellsOf(line: string): readonly string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}
