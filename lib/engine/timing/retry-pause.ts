const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** How long to wait after so many failures in a row before the database is asked again: doubled each time, up to seconds. */
export function retryPauseAfter(failures: number): number {
  return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}
