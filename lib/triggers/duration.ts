import { quote } from '../quote.js';

/**
 * Largest whole number of milliseconds that a signed 64-bit count of nanoseconds holds, about 292 years. Durations
 * beyond it cannot round-trip through the services and tools that count in nanoseconds (Go's `time.Duration`).
 */
export const MAX_DURATION_MS = 9_223_372_036_854;

/** A value that is not a duration, or one beyond {@link MAX_DURATION_MS}. Callers turn it into an error of theirs. */
export class DurationError extends Error {
  /** The name of the class, also where code is minified. */
  override readonly name = 'DurationError';

  constructor(
    readonly fault: 'malformed' | 'too_long',
    message: string,
  ) {
    super(message);
  }
}

const NANOSECONDS_PER_UNIT: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ns: 1n,
};
const NANOSECONDS_PER_MS = 1_000_000n;
const LONGEST_TEXT = 100;
const TEXT = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+$/;
const TERM = /(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/g;

/**
 * A duration in whole milliseconds, from zero to {@link MAX_DURATION_MS}: a number of milliseconds, or text as Go's
 * `time.ParseDuration` reads it (`90s`, `1h30m10s`, `1.5h`, `500ms`), without a sign.
 *
 * @throws DurationError when the value is neither, is not a whole number of milliseconds, or is too long
 */
export function parseDuration(value: number | string): number {
  const ms = typeof value === 'number' ? value : millisecondsOf(value);
  if (ms > MAX_DURATION_MS) {
    throw new DurationError('too_long', `${shown(value)} is longer than ${MAX_DURATION_MS} ms (292 years)`);
  }
  if (!Number.isInteger(ms) || ms < 0) throw malformed(value);
  // Negative zero would survive in JSON as 0 and in comparisons as something else.
  return ms + 0;
}

/** Whole milliseconds as {@link parseDuration} reads them, in the largest units: `1h30m`, `10s`, `1s500ms`. */
export function durationText(ms: number): string {
  const terms = [
    [Math.floor(ms / 3_600_000), 'h'],
    [Math.floor(ms / 60_000) % 60, 'm'],
    [Math.floor(ms / 1000) % 60, 's'],
    [ms % 1000, 'ms'],
  ] as const;
  return terms.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`)).join('') || '0s';
}

function millisecondsOf(text: unknown): number {
  if (typeof text !== 'string' || text.length > LONGEST_TEXT) throw malformed(text);
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  if (!TEXT.test(trimmed)) throw malformed(text);
  const nanoseconds = [...trimmed.matchAll(TERM)].reduce((sum, term) => sum + nanosecondsOf(term), 0n);
  if (nanoseconds % NANOSECONDS_PER_MS !== 0n) throw malformed(text);
  return Number(nanoseconds / NANOSECONDS_PER_MS);
}

function nanosecondsOf([, whole = '', fraction = '', unit = '']: RegExpExecArray): bigint {
  const perUnit = NANOSECONDS_PER_UNIT[unit] ?? 0n;
  return BigInt(whole) * perUnit + (BigInt(fraction) * perUnit) / 10n ** BigInt(fraction.length);
}

function malformed(value: unknown): DurationError {
  return new DurationError('malformed', `${shown(value)} is not a duration: ${adviceFor(value)}`);
}

function adviceFor(value: unknown): string {
  return (
    unitAdvice(value) ??
    'write whole milliseconds (90000) or a text such as "90s", "1h30m" or "500ms", not negative'
  );
}

/** What to write instead where the unit is missing, or is none; undefined where that is not what is wrong. */
export function unitAdvice(value: unknown): string | undefined {
  if (typeof value === 'string' && /^\s*\d+\s*$/.test(value)) {
    return `a unit is missing, write "${value.trim()}s" for seconds or give a number for milliseconds`;
  }
  if (typeof value === 'string' && /\d\s*d/i.test(value)) return 'days have no unit, write 24h for one day';
  return undefined;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? quote(value) : String(value);
}
