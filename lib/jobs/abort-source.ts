/** What may be told to stop, and the signal that says so. */
export interface AbortSource {
  /** May be made only now: a signal costs more than the rest of a short run, and few handlers look at it. */
  readonly signal: AbortSignal;
  /** @throws the reason, once it is aborted; without a signal being made for the question. */
  throwIfAborted(): void;
}
