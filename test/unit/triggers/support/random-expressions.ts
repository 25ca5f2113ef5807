import fc from 'fast-check';

interface Range {
  readonly min: number;
  readonly max: number;
}

const MINUTES: Range = { min: 0, max: 59 };
const HOURS: Range = { min: 0, max: 23 };
const DAYS: Range = { min: 1, max: 31 };
const MONTHS: Range = { min: 1, max: 12 };
const WEEKDAYS: Range = { min: 0, max: 6 };

function item(range: Range): fc.Arbitrary<string> {
  const value = fc.integer(range);
  const step = fc.integer({ min: 1, max: range.max - range.min + 1 });
  const span = fc
    .tuple(value, value)
    .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
  return fc.oneof(
    value.map(String),
    span,
    fc.tuple(span, step).map(([text, by]) => `${text}/${by}`),
    step.map((by) => `*/${by}`),
  );
}

function list(one: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
}

function field(range: Range, special: readonly fc.Arbitrary<string>[] = []): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: list(fc.oneof(item(range), ...special)) },
  );
}

const SPECIAL_DAYS = [
  fc.constant('L'),
  fc.constant('LW'),
  fc.integer({ min: 1, max: 10 }).map((days) => `L-${days}`),
  fc.integer({ min: 1, max: 28 }).map((day) => `${day}W`),
];

const SPECIAL_WEEKDAYS = [
  fc.integer(WEEKDAYS).map((weekday) => `${weekday}L`),
  fc.tuple(fc.integer(WEEKDAYS), fc.integer({ min: 1, max: 5 })).map(([weekday, nth]) => `${weekday}#${nth}`),
];

/** Expressions of six fields, each unrestricted or a list of up to three items of any form. Some name no real date. */
export const expressions: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(fc.constant('0'), field(MINUTES)),
    field(MINUTES),
    field(HOURS),
    field(DAYS, SPECIAL_DAYS),
    field(MONTHS),
    field(WEEKDAYS, SPECIAL_WEEKDAYS),
  )
  .map((fields) => fields.join(' '));

/** Any instant within some centuries, in whole milliseconds. */
export const instants: fc.Arbitrary<number> = fc.integer({
  min: Date.UTC(1890, 0, 1),
  max: Date.UTC(2210, 0, 1),
});

/** Zones of every temper: none, by the hour, half an hour, two hours, at midnight, southern, odd minutes, a day lost. */
export const zones: fc.Arbitrary<string> = fc.constantFrom(
  'UTC',
  'America/New_York',
  'Europe/Dublin',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Santiago',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Monrovia',
);
