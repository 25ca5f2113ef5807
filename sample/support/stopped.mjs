/** The program was asked to stop, which is no fault. */
export class StoppedError extends Error {
  /** @override */
  name = 'StoppedError';
}
