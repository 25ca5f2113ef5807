import { median, rounded } from './statistics.js';
import type { Figures, Line, Row } from './row.js';

/** A row's figures: for each line the median of the rounds, and of the ratios to the first line in the same round. */
export interface Report {
  readonly row: string;
  readonly lines: readonly {
    readonly label: string;
    readonly medians: Figures;
    readonly ratios: Figures;
    readonly rounds: readonly Figures[];
    readonly detail?: Line['detail'];
  }[];
}

export function reportOf(row: Row, lines: readonly Line[]): Report {
  return {
    row: row.name,
    lines: lines.map((line) => ({
      label: line.label,
      medians: overRounds(line, (figures, name) => figures[name]),
      ratios: overRounds(line, (figures, name, round) => {
        const base = lines[0]?.rounds[round]?.[name];
        const value = figures[name];
        return base === undefined || value === undefined ? undefined : value / base;
      }),
      rounds: line.rounds,
      ...(line.detail === undefined ? {} : { detail: line.detail }),
    })),
  };
}

/** Prints a table: medians, and behind them how many times the first line's. */
export function printReport({ title }: Row, { lines }: Report): void {
  console.log(`\n${title}`);
  const rows = lines.map(({ label, medians, ratios }, index) => [
    label,
    Object.fromEntries(
      Object.entries(medians).map(([name, value]) => [
        name,
        index === 0 || ratios[name] === undefined ? String(value) : `${value} (${ratios[name]}x)`,
      ]),
    ),
  ]);
  console.table(Object.fromEntries(rows));
  for (const { label, detail } of lines) {
    if (detail !== undefined) {
      console.log(label);
      console.table(detail);
    }
  }
}

function overRounds(
  { rounds }: Line,
  valueOf: (figures: Figures, name: string, round: number) => number | undefined,
): Figures {
  const names = [...new Set(rounds.flatMap((figures) => Object.keys(figures)))];
  return Object.fromEntries(
    names.map((name) => {
      const values = rounds
        .map((figures, round) => valueOf(figures, name, round))
        .filter((value): value is number => value !== undefined && Number.isFinite(value));
      return [name, rounded(median(values))];
    }),
  );
}
