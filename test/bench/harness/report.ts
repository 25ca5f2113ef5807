import { median, rounded } from './statistics.js';
import type { Figures, Line, Row } from './row.js';

/** A row's figures: for each line the median of the rounds, and of the ratios to the first line in the same round. */
export interface Report {
  readonly row: string;
  readonly lines: readonly ReportedLine[];
}

interface ReportedLine extends Line {
  readonly medians: Figures;
  readonly ratios: Figures;
}

export function reportOf(row: Row, lines: readonly Line[]): Report {
  return {
    row: row.name,
    lines: lines.map((line) => ({
      ...line,
      medians: overRounds(line, (figures, name) => figures[name]),
      ratios: overRounds(line, (figures, name, round) => {
        const base = lines[0]?.rounds[round]?.[name];
        const value = figures[name];
        return base === undefined || value === undefined ? undefined : value / base;
      }),
    })),
  };
}

/** Prints a table in Markdown: medians, and behind them how many times the first line's. */
export function printReport({ name, title }: Row, { lines }: Report): void {
  console.log(`\n### ${name}\n\n${title}\n`);
  printTable(
    lines.map(({ label, medians, ratios }, index) => ({
      label,
      cells: Object.fromEntries(
        Object.entries(medians).map(([name, value]) => [
          name,
          index === 0 || ratios[name] === undefined ? `${value}` : `${value} (${ratios[name]}×)`,
        ]),
      ),
    })),
  );
  for (const { label, detail } of lines) {
    if (detail !== undefined) {
      console.log(`\nThe statements of ${label}:\n`);
      printTable(Object.entries(detail).map(([label, cells]) => ({ label: `\`${label}\``, cells })));
    }
  }
}

interface TableLine {
  readonly label: string;
  readonly cells: Readonly<Record<string, string | number>>;
}

function printTable(lines: readonly TableLine[]): void {
  const names = [...new Set(lines.flatMap(({ cells }) => Object.keys(cells)))];
  const rows = [
    ['', ...names],
    ...lines.map(({ label, cells }) => [label, ...names.map((name) => String(cells[name] ?? ''))]),
  ];
  const widths = ['', ...names].map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const printed = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  for (const row of [...printed.slice(0, 1), rule, ...printed.slice(1)]) {
    console.log(`| ${row.join(' | ')} |`);
  }
}

function overRounds(
  { rounds }: Line,
  valueOf: (figures: Figures, name: string, round: number) => number | undefined,
): Figures {
  const names = [...new Set(rounds.flatMap((figures) => Object.keys(figures)))];
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = rounds
        .map((figures, round) => valueOf(figures, name, round))
        .filter((value): value is number => value !== undefined && Number.isFinite(value));
      return values.length === 0 ? [] : [[name, rounded(median(values))]];
    }),
  );
}
