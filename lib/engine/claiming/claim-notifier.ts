import { occurrenceOf, type Claim, type ClaimIntent, type ClaimObserver } from '../../jobs/index.js';
import type { NewRun } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';

/** Where claims are made. */
interface ClaimSource {
  readonly store: string;
  readonly nodeId: string;
}

/** Tells claim observers what this node claims. Waits for none of them, and lets none of them disturb a claim. */
export class ClaimNotifier {
  private readonly logger: StoreLogger;

  constructor(
    private readonly observers: readonly ClaimObserver[],
    private readonly source: ClaimSource,
  ) {
    this.logger = new StoreLogger({ nodeId: source.nodeId });
  }

  /** The node is about to claim. */
  beforeClaim(intent: Omit<ClaimIntent, keyof ClaimSource>): void {
    const told = Object.freeze({ ...intent, ...this.source, jobNames: Object.freeze([...intent.jobNames]) });
    this.tell((observer) => observer.beforeClaim?.(told));
  }

  /** A claim has committed, and its runs were started. */
  afterClaim(runs: readonly NewRun[]): void {
    if (this.observers.length === 0) {
      return;
    }
    for (const run of runs) {
      const claim = claimOf(run, this.source);
      this.tell((observer) => observer.afterClaim?.(claim));
    }
  }

  private tell(call: (observer: ClaimObserver) => unknown): void {
    this.observers.forEach((observer) => void this.attempt(observer, call));
  }

  private async attempt(observer: ClaimObserver, call: (observer: ClaimObserver) => unknown): Promise<void> {
    try {
      await call(observer);
    } catch (error) {
      this.logger.warn(
        `The claim observer ${observer.constructor.name} failed: ${messageOf(error)}`,
        codeFacts(error),
      );
    }
  }
}

function claimOf(run: NewRun, source: ClaimSource): Claim {
  const occurrence = occurrenceOf(run.scheduleId, run.occurrenceAtUnixMs);
  return Object.freeze({
    ...source,
    runId: run.id,
    scheduleId: run.scheduleId,
    scheduleName: run.scheduleName,
    jobName: run.jobName,
    origin: run.origin,
    ...(occurrence === undefined ? {} : { occurrence }),
    scheduledAtUnixMs: run.scheduledAtUnixMs,
    claimedAtUnixMs: run.claimedAtUnixMs,
    attempt: run.attempt,
    idempotencyKey: run.idempotencyKey,
  });
}
