import { type CronField, DAY_OF_MONTH, DAY_OF_WEEK, MONTH } from './cron-field.js';

interface Mistake {
  readonly pattern: RegExp;
  /** What to write instead; undefined where the pattern turns out not to be the mistake. */
  readonly advise: (field: CronField, match: RegExpExecArray) => string | undefined;
}

const WEEKDAY = 'SUN|MON|TUE|WED|THU|FRI|SAT';
const MONTH_NAME = MONTH.names.join('|');

/** Mistakes that are recognisable, most telling first. */
const MISTAKES: readonly Mistake[] = [
  {
    pattern: /^$/,
    advise: () => 'A comma separates two values: remove the one too many.',
  },
  {
    pattern: /^H(?:$|[/(])/,
    advise: (field) =>
      `H (a number hashed from the name, as in Jenkins) is not supported: choose a number, such as ${field.min + 7 <= field.max ? field.min + 7 : field.min}.`,
  },
  {
    pattern: new RegExp(`(${WEEKDAY})[A-Z]*DAY`),
    advise: (field, [, name]) =>
      field === DAY_OF_WEEK ? `Write ${name}: names have three letters.` : undefined,
  },
  {
    pattern: new RegExp(`(${MONTH_NAME})[A-Z]+`),
    advise: (field, [, name]) => (field === MONTH ? `Write ${name}: names have three letters.` : undefined),
  },
  {
    pattern: new RegExp(`^(?:${WEEKDAY})(?:$|[^A-Z]|L$)`),
    advise: (field) => elsewhere(field, DAY_OF_WEEK, 'Names of weekdays'),
  },
  {
    pattern: new RegExp(`^(?:${MONTH_NAME})(?:$|[^A-Z])`),
    advise: (field) => elsewhere(field, MONTH, 'Names of months'),
  },
  {
    pattern: /^(?:CRON_TZ|TZ)=/i,
    advise: () => 'A zone prefix stands once, in capitals, before all fields.',
  },
  {
    pattern: /^L$/,
    advise: (field) => (field === DAY_OF_WEEK ? 'Write 5L for the last Friday.' : undefined),
  },
  {
    pattern: /^\d#L$/,
    advise: (field, [text]) => (field === DAY_OF_WEEK ? `Write ${text[0]}L.` : undefined),
  },
  {
    pattern: /^W$|-.*W$/,
    advise: (field) => (field === DAY_OF_MONTH ? 'W follows a single day: 15W.' : undefined),
  },
  { pattern: /^(?:\d+W|LW|L-\d+)$/, advise: (field) => elsewhere(field, DAY_OF_MONTH, 'W and L-n') },
  { pattern: /#/, advise: (field) => elsewhere(field, DAY_OF_WEEK, '#') ?? 'The n of d#n is 1 to 5.' },
  {
    pattern: /^\d{4}$/,
    advise: (field) => (field === DAY_OF_WEEK ? 'There is no field for years: leave it out.' : undefined),
  },
  { pattern: /\/0+$/, advise: () => 'A step is at least 1.' },
  {
    pattern: /\/(\d+)$/,
    advise: (field, [, step]) =>
      Number(step) > field.size
        ? `Steps start anew with every cycle of the field, so one above ${field.size} is never reached: for a longer period use an interval trigger or @every.`
        : undefined,
  },
  { pattern: /^\/.*/, advise: (_field, [text]) => `Write *${text}.` },
  { pattern: /^\?\/(\d+)$/, advise: (_field, [, step]) => `Write */${step}.` },
  {
    pattern: /^(\d+)-(\d+)(?:\/\d+)?$/,
    advise: (field, [, from, to]) =>
      Number(from) > Number(to) && Number(from) <= field.max
        ? `A range goes upwards: to pass the end of the field write ${from}-${field.max},${field.min}-${to}.`
        : undefined,
  },
  {
    pattern: new RegExp(`^(${WEEKDAY}|${MONTH_NAME}|\\d+)-(${WEEKDAY}|${MONTH_NAME}|\\d+)(?:$|/)`),
    advise: () => 'A range goes upwards: split one that passes the end of the field in two.',
  },
];

/** What to write instead of a recognisable mistake in a field. */
export function adviceOnField(field: CronField, found: string): string | undefined {
  for (const { pattern, advise } of MISTAKES) {
    const match = pattern.exec(found);
    const advice = match === null ? undefined : advise(field, match);
    if (advice !== undefined) return advice;
  }
  return undefined;
}

function elsewhere(field: CronField, home: CronField, subject: string): string | undefined {
  return field === home ? undefined : `${subject} belong in the ${home.name}.`;
}
