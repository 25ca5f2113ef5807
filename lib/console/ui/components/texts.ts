// How instants, durations and numbers are written: in the words and the order of the reader's own locale.

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const shortDateTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const timeOnly = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const number = new Intl.NumberFormat();

export function dateTimeText(unixMs: number): string {
  return dateTime.format(unixMs);
}

export function optionalDateTimeText(unixMs: number | undefined): string | undefined {
  return unixMs === undefined ? undefined : dateTimeText(unixMs);
}

export function shortDateTimeText(unixMs: number): string {
  return shortDateTime.format(unixMs);
}

export function timeText(unixMs: number): string {
  return timeOnly.format(unixMs);
}

export function dateText(unixMs: number): string {
  return dateOnly.format(unixMs);
}

/** An instant in a zone of its own, with the zone's name. */
export function zonedText(unixMs: number, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, {
      dateStyle: 'medium',
      timeStyle: 'long',
      timeZone,
    }).format(unixMs);
  } catch {
    return dateTimeText(unixMs);
  }
}

export function countText(count: number): string {
  return number.format(count);
}

/** `one run`, `1,204 runs`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${countText(count)} ${count === 1 ? singular : plural}`;
}

/** A length of time in its two largest units, as on a clock: `3d 4h`, `2m 05s`, `850 ms`. */
export function durationText(ms: number): string {
  if (ms < 1_000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  if (ms < 10_000) {
    return `${(ms / 1_000).toFixed(1)} s`;
  }
  return spanText(ms);
}

/** The same in whole seconds, for what counts down. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const units: readonly [string, number][] = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor(seconds / 3_600) % 24],
    ['m', Math.floor(seconds / 60) % 60],
    ['s', seconds % 60],
  ];
  const first = units.findIndex(([, count]) => count > 0);
  if (first === -1) {
    return '0s';
  }
  return units
    .slice(first, first + 2)
    .map(([unit, count], index) => `${index === 0 ? count : String(count).padStart(2, '0')}${unit}`)
    .join(' ');
}

/** How long ago, or in how long. */
export function relativeText(unixMs: number, nowUnixMs: number): string {
  const distance = unixMs - nowUnixMs;
  if (Math.abs(distance) < 1_000) {
    return 'now';
  }
  return distance > 0 ? `in ${spanText(distance)}` : `${spanText(-distance)} ago`;
}

export const LOCAL_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;
