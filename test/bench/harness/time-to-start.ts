/** The nodes were not ready when the first fire was due. */
class NotReadyError extends Error {}

/** Most that is tried before the machine counts as too slow. */
const MOST_MS = 120_000;

/** Measures with so much time until the first fire, and again with more where the nodes were not ready by then. */
export async function withTimeToStart<Result>(
  startMs: number,
  measure: (startMs: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await measure(startMs);
  } catch (error) {
    if (!(error instanceof NotReadyError) || startMs > MOST_MS) {
      throw error;
    }
    return withTimeToStart(2 * startMs, measure);
  }
}

/** @throws when the first fire is due already, for `withTimeToStart` to try again. */
export function assertReady(firstAtUnixMs: number): void {
  if (Date.now() > firstAtUnixMs) {
    throw new NotReadyError('The nodes were not ready in time: the machine is too slow or too busy.');
  }
}
