/** The local time of an instant as Intl formats it, independent of how the engine asks for offsets. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  /** Milliseconds since 1970-01-01T00:00 local time. */
  readonly sinceEpoch: number;
}

/** Reads a zone's clock through Intl. */
export function localClock(timeZone: string): (instant: number) => LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = format
      .format(instant)
      .split(/\D+/)
      .map(Number);
    const sinceEpoch = Date.UTC(year, month - 1, day, hour, minute, second);
    return { year, month, day, weekday: new Date(sinceEpoch).getUTCDay(), hour, minute, sinceEpoch };
  };
}
