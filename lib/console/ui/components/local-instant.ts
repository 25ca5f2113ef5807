/** The instant of a `datetime-local` input, in the reader's zone; undefined where it is empty. */
export function instantOf(text: string): number | undefined {
  const unixMs = text === '' ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(unixMs) ? undefined : unixMs;
}

/** The text of a `datetime-local` input for an instant. */
export function inputTextOf(unixMs: number | undefined): string {
  if (unixMs === undefined) {
    return '';
  }
  const offsetMs = new Date(unixMs).getTimezoneOffset() * 60_000;
  return new Date(unixMs - offsetMs).toISOString().slice(0, unixMs % 60_000 === 0 ? 16 : 19);
}
