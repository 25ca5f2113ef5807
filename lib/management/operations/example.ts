/** An example of a request, which the documentation shows and the tests send. */
export interface OperationExample {
  /** What it shows, in a few words. */
  readonly summary: string;
  readonly params?: unknown;
  readonly meta?: unknown;
  /** The code of its answer, where there are the schedule `nightly-report` and the run that the examples name. */
  readonly code: number;
}

/** The schedule that examples name. */
export const EXAMPLE_SCHEDULE = 'nightly-report';

/** The run that examples name. */
export const EXAMPLE_RUN_ID = '01970f2e-6c00-7000-8000-000000000001';

/** The backfill that examples name, which is running. */
export const EXAMPLE_BACKFILL_ID = '01970f2e-6c00-7000-8000-000000000002';
