const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Tells a zone's offset from UTC, in milliseconds, at an instant. */
export type OffsetSource = (instant: number) => number;

/**
 * The offsets of a zone as Intl knows them (ICU's copy of the time zone database, `process.versions.tz`), to the
 * second: local mean times are odd. About a microsecond a call, so {@link Zone} remembers what it learned.
 */
export function intlOffsets(name: string): OffsetSource {
  // The year keeps the formatted text short; the offset cannot be asked for alone.
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    timeZoneName: 'longOffset',
  });
  return (instant) => {
    const [, sign, hours, minutes, seconds] = OFFSET.exec(format.format(instant)) ?? [];
    const magnitude = (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000;
    return sign === '-' ? -magnitude : magnitude;
  };
}
