import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { printReport, reportOf, type Report } from './harness/report.js';
import type { Bench, Row } from './harness/row.js';
import { Server } from './harness/server.js';
import { ROWS } from './rows/index.js';

const { values: given } = parseArgs({
  options: {
    rows: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const rows = chosenRows(given.rows);
const rounds = Number(given.rounds ?? (given.quick ? 1 : 5));
const only = given.only?.split(';').map((name) => name.trim());
const server = new Server(process.env['BENCH_DATABASE_URL'] ?? '');
try {
  const machine = {
    node: process.version,
    postgres: await server.version(),
    processors: cpus().length,
    rounds,
    quick: given.quick,
  };
  console.log(
    Object.entries(machine)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  );
  const bench: Bench = {
    server,
    isQuick: given.quick,
    rounds,
    isChosen: (contestant) => only?.includes(contestant) ?? true,
  };
  const reports: Report[] = [];
  for (const row of rows) {
    const report = reportOf(row, await row.measure(bench));
    printReport(row, report);
    reports.push(report);
  }
  if (given.json) {
    console.log(JSON.stringify({ ...machine, rows: reports }));
  }
} finally {
  await server.close();
}

function chosenRows(names: string | undefined): readonly Row[] {
  const chosen = names?.split(',') ?? ROWS.map(({ name }) => name);
  return chosen.map((name) => {
    const row = ROWS.find((candidate) => candidate.name === name);
    if (row === undefined) {
      throw new Error(`There is no row ${name}. The rows are ${ROWS.map((each) => each.name).join(', ')}.`);
    }
    return row;
  });
}
