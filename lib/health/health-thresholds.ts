import { inspect } from 'node:util';
import { CronStoreOptionsError, type ResolvedOptions } from '../options/index.js';
import { parseDuration } from '../triggers/index.js';

/** From when on a node is not healthy. Durations are ms or a string such as `'30s'`. */
export interface HealthThresholds {
  /** How long the database may take to answer; longer than 0. No check takes noticeably longer. Default `'2s'`. */
  readonly timeout?: number | string;
  /**
   * How long ago the last pass may have succeeded before the node is `down`; longer than `pollInterval`, in which an idle
   * node makes one. Default: `pollInterval` and 30 seconds.
   */
  readonly maxPassAge?: number | string;
  /** How late a fire may be before the node is `degraded`. Default `'5m'`. */
  readonly maxLag?: number | string;
  /** How many handlers may go on after their run was over before the node is `degraded`. Default 0. */
  readonly maxDetached?: number;
}

/** Which store to check, and from when on it is not healthy. */
export interface HealthCheckOptions extends HealthThresholds {
  /** The name of the store. Default: the unnamed one. */
  readonly store?: string;
}

/** The thresholds after validation, durations in ms. */
export interface ResolvedThresholds {
  readonly timeoutMs: number;
  readonly maxPassAgeMs: number;
  readonly maxLagMs: number;
  readonly maxDetached: number;
}

const DEFAULT_TIMEOUT_MS = 2_000;
const DEFAULT_MAX_LAG_MS = 5 * 60_000;
const LONGEST_PASS_MS = 30_000;

/** @throws CronStoreOptionsError with every fault. */
export function resolveThresholds(
  given: HealthThresholds,
  { pollInterval }: Pick<ResolvedOptions, 'pollInterval'>,
): ResolvedThresholds {
  const faults: string[] = [];
  const duration = (name: 'timeout' | 'maxPassAge' | 'maxLag', fallback: number, above: number) => {
    const milliseconds = given[name] === undefined ? fallback : millisecondsOf(given[name]);
    if (milliseconds === undefined || milliseconds <= above) {
      faults.push(
        `The threshold ${name} must be a duration of more than ${above} ms, as a number such as 30000 or a string such as '30s', but is ${inspect(given[name])}.`,
      );
    }
    return milliseconds ?? fallback;
  };
  const resolved = {
    timeoutMs: duration('timeout', DEFAULT_TIMEOUT_MS, 0),
    maxPassAgeMs: duration('maxPassAge', pollInterval + LONGEST_PASS_MS, pollInterval),
    maxLagMs: duration('maxLag', DEFAULT_MAX_LAG_MS, 0),
    maxDetached: given.maxDetached ?? 0,
  };
  if (!Number.isSafeInteger(resolved.maxDetached) || resolved.maxDetached < 0) {
    faults.push(
      `The threshold maxDetached must be a whole number of at least 0, but is ${inspect(given.maxDetached)}.`,
    );
  }
  if (faults.length > 0) {
    throw new CronStoreOptionsError(faults, 'A health check cannot go by these thresholds');
  }
  return resolved;
}

function millisecondsOf(given: number | string): number | undefined {
  try {
    return parseDuration(given);
  } catch {
    return undefined;
  }
}
