/**
 * How long a next fire takes, in microseconds, against the libraries a Node project would otherwise use, in one
 * process and one run; and the exact count of a year of one-second ticks. `--json` adds one line for programs.
 */
import { countFires, cron } from '../../../lib/triggers/index.js';
import { CONTENDERS, type Contender } from './contenders.js';
import { microsecondsPerCall, microsecondsPerFire } from './measure.js';

interface Row {
  readonly case: string;
  readonly ours_us: number;
  readonly 'cron-parser_us': number;
  readonly croner_us: number;
  readonly cron_us: number;
}

type Reading = 'parsedOnce' | 'parsedEachTime';

const START = Date.UTC(2026, 0, 1, 0, 0, 30);
const YEAR_MS = 365 * 86_400_000;

const CASES: readonly (readonly [expr: string, timezone: string])[] = [
  ['* * * * *', 'UTC'],
  ['*/5 * * * *', 'America/New_York'],
  ['0 9 * * 1-5', 'America/New_York'],
  ['0 0 29 2 *', 'America/New_York'],
  ['0 0 1 1 *', 'Asia/Shanghai'],
];

function measure(reading: Reading): readonly Row[] {
  return CASES.map(([expr, timezone]) => {
    const timeOf = (contender: Contender): number =>
      microsecondsPerFire(contender[reading](expr, timezone), START);
    const [ours = 0, cronParser = 0, croner = 0, cronTime = 0] = CONTENDERS.map(timeOf);
    return {
      case: `${expr} ${timezone}`,
      ours_us: rounded(ours),
      'cron-parser_us': rounded(cronParser),
      croner_us: rounded(croner),
      cron_us: rounded(cronTime),
    };
  });
}

function printTable(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}, µs per next fire (and how many times as long as ours)`);
  console.table(
    Object.fromEntries(
      rows.map((row) => [
        row.case,
        {
          ours: row.ours_us,
          'cron-parser': withRatio(row['cron-parser_us'], row.ours_us),
          croner: withRatio(row.croner_us, row.ours_us),
          cron: withRatio(row.cron_us, row.ours_us),
        },
      ]),
    ),
  );
}

function withRatio(microseconds: number, ours: number): string {
  return `${microseconds} (${Math.round(microseconds / ours)}x)`;
}

function rounded(microseconds: number): number {
  return Number(microseconds.toPrecision(4));
}

const everySecond = cron('* * * * * *', 'America/New_York');
const gap = { after: START + 1, until: START + 1 + YEAR_MS };

const rows = measure('parsedOnce');
const rowsParsedEachTime = measure('parsedEachTime');
const countYear = rounded(microsecondsPerCall(() => countFires(everySecond, gap)));

printTable('Parsed once', rows);
printTable('Parsed each time', rowsParsedEachTime);
console.log(`\nCount of a year of one-second ticks (${countFires(everySecond, gap)}): ${countYear} µs`);
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ rows, count_year_us: countYear, rows_parsed_each_time: rowsParsedEachTime }));
}
