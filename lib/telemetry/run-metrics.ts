import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import type { Run } from '../schedules/index.js';
import { ATTRIBUTE, endAttributes, type MeasuredStore, type RunEnd, storeAttributes } from './attributes.js';

/** Upper bounds in seconds: from what a prompt start takes to what a nightly job does. */
const BUCKETS_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400,
];

/** The outcomes that alerts watch. */
const WATCHED: readonly RunEnd[] = [
  { status: 'succeeded' },
  { status: 'failed', reason: 'handler_error' },
  { status: 'failed', reason: 'timeout' },
  { status: 'abandoned', reason: 'heartbeat_lost' },
];

/** Counts what the journal records, and measures what this node executes. */
export class RunMetrics {
  private readonly runs: Counter;
  private readonly missedOccurrences: Counter;
  private readonly lateness: Histogram;
  private readonly duration: Histogram;
  // Made once each: there are few, and every run asks for two.
  private readonly series = new Map<string, Attributes>();

  /**
   * @param store tells the stores of one process apart.
   * @param jobNames the jobs of this node, which are watched.
   */
  constructor(
    meter: Meter,
    private readonly store: MeasuredStore,
    jobNames: readonly string[],
  ) {
    const advice = { explicitBucketBoundaries: BUCKETS_SECONDS };
    this.runs = meter.createCounter('cron_store.runs', {
      unit: '{run}',
      description: 'Runs that are over, as the journal has them.',
    });
    this.missedOccurrences = meter.createCounter('cron_store.missed_occurrences', {
      unit: '{occurrence}',
      description: 'Occurrences that will never run.',
    });
    this.lateness = meter.createHistogram('cron_store.run.lateness', {
      unit: 's',
      description: 'From the logical time of a regular or manual fire to its start.',
      advice,
    });
    this.duration = meter.createHistogram('cron_store.run.duration', {
      unit: 's',
      description: 'From the start of a run to its outcome.',
      advice,
    });
    this.watch(jobNames);
  }

  /**
   * Counts what alerts watch of these jobs, from zero on: to who computes a rate, a counter that begins with its first
   * failure has not grown.
   */
  watch(jobNames: readonly string[]): void {
    for (const attributes of jobNames.map((name) => this.attributesOf(name))) {
      WATCHED.forEach((end) => this.runs.add(0, { ...attributes, ...endAttributes(end) }));
      this.missedOccurrences.add(0, attributes);
    }
  }

  /** A run was started on this node. A repetition has the logical time of its first attempt, and is late on purpose. */
  started(run: Run, startedAtUnixMs: number): void {
    if (run.origin === 'schedule' || run.origin === 'manual') {
      const lateMs = Math.max(0, startedAtUnixMs - run.scheduledAtUnixMs);
      this.lateness.record(lateMs / 1_000, this.startAttributes(run));
    }
  }

  /** The journal has how a run ended. Only one that was executed has a duration. */
  ended(run: Run, end: RunEnd, durationMs?: number): void {
    const attributes = this.endAttributes(run, end);
    this.runs.add(1, attributes);
    if (durationMs !== undefined) {
      this.duration.record(durationMs / 1_000, attributes);
    }
    if (run.missedCount > 0) {
      this.missedOccurrences.add(run.missedCount, this.attributesOf(run.jobName));
    }
  }

  private startAttributes({ jobName, origin }: Run): Attributes {
    return this.seriesOf(`started ${origin} ${jobName}`, () => ({
      ...this.attributesOf(jobName),
      [ATTRIBUTE.runOrigin]: origin,
    }));
  }

  private endAttributes({ jobName }: Run, end: RunEnd): Attributes {
    return this.seriesOf(`${end.status} ${end.reason} ${jobName}`, () => ({
      ...this.attributesOf(jobName),
      ...endAttributes(end),
    }));
  }

  private seriesOf(key: string, make: () => Attributes): Attributes {
    const known = this.series.get(key);
    if (known !== undefined) {
      return known;
    }
    const made = Object.freeze(make());
    this.series.set(key, made);
    return made;
  }

  private attributesOf(jobName: string): Attributes {
    return { ...storeAttributes(this.store), [ATTRIBUTE.jobName]: jobName };
  }
}
