import { cron, describeTrigger, every, once } from '../../../lib/triggers/index.js';

it.each([
  ['0 2 * * *', 'Asia/Shanghai', 'At 02:00, Asia/Shanghai'],
  ['@daily', 'UTC', 'At 00:00, UTC'],
  ['* * * * * *', 'UTC', 'Every second, UTC'],
  ['*/5 * * * *', 'UTC', 'Every 5 minutes, UTC'],
  ['0 9 * * 1-5', 'America/New_York', 'At 09:00, Monday through Friday, America/New_York'],
  ['0 9 ? * 2#1', 'UTC', 'At 09:00, on the first Tuesday of the month, UTC'],
  ['0 0 29 2 ?', 'UTC', 'At 00:00, on day 29 of the month, only in February, UTC'],
  ['0 0 13 * 5', 'UTC', 'At 00:00, on day 13 of the month or only on Friday, UTC'],
  ['0 0 13 1 5', 'UTC', 'At 00:00, on day 13 of the month or only on Friday, only in January, UTC'],
  ['0 0 * * 5/2', 'UTC', 'At 00:00, only on Sunday and Friday, UTC'],
  ['0 0 * * WED', 'UTC', 'At 00:00, only on Wednesday, UTC'],
  ['0 0 L-0 * *', 'UTC', 'At 00:00, on the last day of the month, UTC'],
  ['0 0 1,LW * *', 'UTC', 'At 00:00, on day 1 of the month or on the last weekday of the month, UTC'],
  ['5,* 3 * * *', 'UTC', 'Every minute, between 03:00 and 03:59, UTC'],
  ['*/60 */24 * * *', 'UTC', 'At 00:00, UTC'],
  ['*/25 * * * *', 'UTC', 'At 0, 25, and 50 minutes past the hour, UTC'],
])('says of %s in %s: %s', (expr, timezone, description) => {
  expect(describeTrigger(cron(expr, timezone))).toBe(description);
});

it.each([
  [every('1s'), 'Every second'],
  [every('90s'), 'Every 90 seconds'],
  [every(1500), 'Every 1.5 seconds'],
  [every('1m'), 'Every minute'],
  [every('90m'), 'Every 90 minutes'],
  [every('1h'), 'Every hour'],
  [every('24h'), 'Every 24 hours'],
  [cron('@every 90m'), 'Every 90 minutes'],
  [once(Date.UTC(2030, 0, 2, 15, 4, 5)), 'January 2, 2030 at 15:04:05 UTC'],
])('says of %p: %s', (trigger, description) => {
  expect(describeTrigger(trigger)).toBe(description);
});

it.each([
  ['de', 'Um 02:00, Asia/Shanghai'],
  ['de-AT', 'Um 02:00, Asia/Shanghai'],
  ['pt-BR', 'Às 02:00, Asia/Shanghai'],
  ['tlh', 'At 02:00, Asia/Shanghai'],
  ['not a locale', 'At 02:00, Asia/Shanghai'],
])('speaks %s', (locale, description) => {
  expect(describeTrigger(cron('0 2 * * *', 'Asia/Shanghai'), { locale })).toBe(description);
});

it('says "or" in other languages too', () => {
  expect(describeTrigger(cron('0 0 13 * 5'), { locale: 'de' })).toContain(' oder ');
});
