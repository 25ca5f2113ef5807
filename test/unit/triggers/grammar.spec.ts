import { cron, nextFires } from '../../../lib/triggers/index.js';

const START = Date.UTC(2026, 0, 1) - 1;

/** The next fires in UTC as `2026-01-05` or, within a day, as `2026-01-01T00:05:00`. */
function fires(expr: string, count = 5): readonly string[] {
  return nextFires(cron(expr), { after: START, count }).map((at) => new Date(at).toISOString().slice(0, 19));
}

function days(expr: string, count = 5): readonly string[] {
  return fires(expr, count).map((text) => text.slice(0, 10));
}

it.each([
  ['0 0 * * 5/2', '0 0 * * 5,7'],
  ['0 0 * * FRI-SUN', '0 0 * * 0,5,6'],
  ['0 0 * * mon-sun', '0 0 * * *'],
  ['0 0 * * SUN-SUN', '0 0 * * 0'],
  ['0 0 * * 0-7', '0 0 * * *'],
  ['0 0 * * 7', '0 0 * * 0'],
  ['5/15 * * * *', '5-59/15 * * * *'],
  ['? ? ? ? ?', '* * * * *'],
  ['0 0 ? * MON', '0 0 * * 1'],
  ['0 0 L-0 * *', '0 0 L * *'],
  ['0 0 * feb,NOV *', '0 0 * 2,11 *'],
  ['0 0 * * frIL', '0 0 * * 5L'],
  ['0 0 * * mon#2', '0 0 * * 1#2'],
  ['0 0 * * 7#1,0L', '0 0 * * 0#1,7L'],
  ['0 0 lw * *', '0 0 LW * *'],
  ['0009 0 1 1 *', '9 0 1 1 *'],
  ['0\u00a00\u20031 1 *', '0 0 1 1 *'],
  ['@Yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])('reads %s as %s', (expr, same) => {
  expect(fires(expr, 50)).toEqual(fires(same, 50));
});

it.each([
  ['0 0 L * *', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
  ['0 0 L-3 * *', ['2026-01-28', '2026-02-25', '2026-03-28', '2026-04-27', '2026-05-28']],
  ['0 0 L-30 * *', ['2026-01-01', '2026-03-01', '2026-05-01', '2026-07-01', '2026-08-01']],
  ['0 0 LW * *', ['2026-01-30', '2026-02-27', '2026-03-31', '2026-04-30', '2026-05-29']],
  ['0 0 1W * *', ['2026-01-01', '2026-02-02', '2026-03-02', '2026-04-01', '2026-05-01']],
  ['0 0 15W * *', ['2026-01-15', '2026-02-16', '2026-03-16', '2026-04-15', '2026-05-15']],
  ['0 0 31W * *', ['2026-01-30', '2026-03-31', '2026-05-29', '2026-07-31', '2026-08-31']],
  ['0 0 1W,15W * *', ['2026-01-01', '2026-01-15', '2026-02-02', '2026-02-16', '2026-03-02']],
  ['0 0 * * 5L', ['2026-01-30', '2026-02-27', '2026-03-27', '2026-04-24', '2026-05-29']],
  ['0 0 * * 1#5', ['2026-03-30', '2026-06-29', '2026-08-31', '2026-11-30', '2027-03-29']],
  ['0 0 29 2 *', ['2028-02-29', '2032-02-29', '2036-02-29', '2040-02-29', '2044-02-29']],
  ['0 0 L-28 2 *', ['2028-02-01', '2032-02-01', '2036-02-01', '2040-02-01', '2044-02-01']],
  ['0 0 * 2 1#5', ['2044-02-29', '2072-02-29', '2112-02-29', '2140-02-29', '2168-02-29']],
  ['0 0 13 * 5', ['2026-01-02', '2026-01-09', '2026-01-13', '2026-01-16', '2026-01-23']],
  ['0 0 13 * 5L', ['2026-01-13', '2026-01-30', '2026-02-13', '2026-02-27', '2026-03-13']],
  ['0 0 1-31 * 1', ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05']],
  ['0 0 */1 * 1', ['2026-01-05', '2026-01-12', '2026-01-19', '2026-01-26', '2026-02-02']],
])('finds the days of %s', (expr, expected) => {
  expect(days(expr)).toEqual(expected);
});

it.each([
  ['* * * *', /has 4 fields.*write "\* \* \* \* \*"/],
  ['0 0 12 * * ? 2026', /has 7 fields.*no field for years, as in Quartz: write "0 0 12 \* \* \?"/],
  ['*', /has 1 field;/],
  ['60 * * * *', /minute .* is "60".*Allowed are 0-59/],
  ['1,99,3 * * * *', /minute .* is "99" in "1,99,3"/],
  ['* 24 * * *', /hour .* is "24".*0-23/],
  ['61 * * * * *', /second .* is "61"/],
  ['* * 0 * *', /day of month .* is "0".*1-31/],
  ['* * * 13 *', /month .* is "13".*JAN-DEC/],
  ['* * * * 8', /day of week .* is "8".*Sunday is 0 and 7/],
  ['0 0 * * MONDAY', /Write MON: names have three letters/],
  ['0 0 * * monday-friday', /Write MON: names have three letters/],
  ['0 0 * JANUARY *', /Write JAN: names have three letters/],
  ['FRI * * * *', /Names of weekdays belong in the day of week/],
  ['0 0 JAN * *', /Names of months belong in the month/],
  ['H * * * *', /not supported: choose a number/],
  ['H/15 * * * *', /not supported: choose a number/],
  ['H(0-7) * * * *', /not supported: choose a number/],
  ['0 22-2 * * *', /A range goes upwards.*write 22-23,0-2/],
  ['0 0 * * FRI-MON', /A range goes upwards/],
  ['*/90 * * * *', /one above 60 is never reached.*interval trigger or @every/],
  ['*/0 * * * *', /A step is at least 1/],
  ['1-2-3 * * * *', /"1-2-3"\. Allowed/],
  ['/5 * * * *', /Write \*\/5/],
  ['?/5 * * * *', /Write \*\/5/],
  ['1,,2 * * * *', /remove the one too many/],
  ['L * * * *', /Allowed are 0-59/],
  ['0 0 * * L', /Write 5L for the last Friday/],
  ['0 0 W * *', /W follows a single day: 15W/],
  ['0 0 1-15W * *', /W follows a single day: 15W/],
  ['0 0 * * 15W', /belong in the day of month/],
  ['0 0 5#2 * *', /belong in the day of week/],
  ['0 0 * * 1#6', /n of d#n is 1 to 5/],
  ['0 0 * * 5#L', /Write 5L/],
  ['0 12 * * ? 2026', /no field for years/],
  ['0 0 30 2 *', /day of month "30" never comes in the month "2"/],
  ['0 0 31W 4,6 *', /never comes/],
  ['0 0 L-29 2 *', /never comes/],
  ['0 0 L-31 * *', /L-1 to L-30/],
  ['0 0 5L * *', /Allowed are 1-31/],
  ['@reboot', /onApplicationBootstrap/],
  ['@fortnightly', /allowed are @yearly/],
  ['@every', /write "@every 90m"/],
  ['@every 5', /unit is missing, write "5s"/],
  ['@every 1d', /write 24h/],
  ['@every: 5000', /write "@every 90m"/],
  ['@everyday', /allowed are @yearly/],
  ['cron_tz=UTC 0 9 * * *', /A zone prefix stands once, in capitals/],
  ['TZ=UTC CRON_TZ=UTC 9 * * *', /A zone prefix stands once, in capitals/],
  ['\u{17f}un * * * *', /minute/],
  ['0 0 * * \u{17f}UN', /day of week/],
])('refuses %s and says what to write', (expr, message) => {
  expect(() => cron(expr)).toThrow(expect.objectContaining({ reason: 'expr_invalid' }));
  expect(() => cron(expr)).toThrow(message);
});

it('quotes only the beginning of a long mistake', () => {
  expect(() => cron(`${'9'.repeat(900)} * * * *`)).toThrow(/^.{1,400}$/);
});
