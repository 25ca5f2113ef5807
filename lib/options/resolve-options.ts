import { inspect } from 'node:util';
import { DEFAULT_STORE_NAME } from '../store-name.js';
import { MAX_DURATION_MS, parseDuration, unitAdvice } from '../triggers/index.js';
import { CronStoreOptionsError } from './cron-store-options.error.js';
import { DEFAULT_AUDIT_REDACT, type CronStoreOptions, type ResolvedOptions } from './cron-store.options.js';
import { nearestName } from './nearest-name.js';

/** Below it a loop does little else than ask the database. */
const MIN_LOOP_INTERVAL_MS = 10;

/** PostgreSQL cuts longer identifiers silently. */
const MAX_IDENTIFIER_BYTES = 63;

/** The largest `integer` of PostgreSQL: counts are columns and parameters of that type. */
const MAX_COUNT = 2_147_483_647;

/** What one option may be: reads a given value, or says in words what it must be. */
interface Rule<Value> {
  readonly fallback: Value;
  /** Completes "<option> must be …". */
  readonly expected: string;
  /** What to write instead of a given value, where that can be told. */
  advice?(given: unknown): string | undefined;
  /** The value in its resolved form, or undefined when it is not what is expected. */
  read(given: unknown): Value | undefined;
}

type Rules = { readonly [Name in keyof ResolvedOptions]: Rule<ResolvedOptions[Name]> };

const RULES: Rules = {
  enabled: flag(true),
  execute: flag(true),
  name: {
    fallback: DEFAULT_STORE_NAME,
    expected: "the name of the store, 1 to 63 letters, digits, '-', '_' or '.'",
    read: (given) => (typeof given === 'string' && /^[\w.-]{1,63}$/.test(given) ? given : undefined),
  },
  dataSource: {
    fallback: 'default',
    expected: 'the name of a TypeORM data source, a string that is not empty',
    read: (given) => (typeof given === 'string' && given.trim() !== '' ? given : undefined),
  },
  schema: {
    fallback: 'public',
    expected: `the name of a PostgreSQL schema, of 1 to ${MAX_IDENTIFIER_BYTES} bytes and not starting with "pg_", which PostgreSQL keeps for itself`,
    read: (given) => (typeof given === 'string' && isSchemaName(given) ? given : undefined),
  },
  environment: {
    fallback: undefined,
    expected: "the name of an environment such as 'production', of 1 to 63 letters, digits, '.', '_' and '-'",
    read: (given) => (typeof given === 'string' && /^[\w.-]{1,63}$/.test(given) ? given : undefined),
  },
  autoMigrate: flag(false),
  startupTimeout: duration(30_000, 0),
  pollInterval: duration(5_000, MIN_LOOP_INTERVAL_MS),
  batchSize: count(32, 1),
  maxConcurrent: count(16, 1),
  misfireThreshold: duration(60_000, 1),
  heartbeatInterval: duration(10_000, MIN_LOOP_INTERVAL_MS),
  abandonedAfter: duration(60_000, 2 * MIN_LOOP_INTERVAL_MS),
  stuckAfter: duration(300_000, 0),
  maxRecoveries: count(5, 0),
  runTimeout: duration(0, 0),
  abortGrace: duration(5_000, 0),
  shutdownTimeout: duration(30_000, 0),
  runRetention: duration(0, 0),
  failedRunRetention: duration(0, 0),
  runRetentionPerSchedule: count(0, 0),
  auditRetention: duration(0, 0),
  auditRedact: {
    fallback: DEFAULT_AUDIT_REDACT,
    expected: 'an array of strings that are not empty',
    read: (given) => (isTextArray(given) ? [...given] : undefined),
  },
  listen: flag(true),
};

/** Every option's name. */
const NAMES = Object.keys(RULES);

/**
 * Checks the host's options and fills in the defaults.
 *
 * @throws CronStoreOptionsError with every fault: unknown names, wrong types, values out of range, values that do not
 *   go together.
 */
export function resolveOptions(options: CronStoreOptions): ResolvedOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new CronStoreOptionsError([`The options must be an object, but are ${shown(options)}.`]);
  }
  const faults = Object.keys(options)
    .filter((name) => !NAMES.includes(name))
    .map(unknownOption);
  const read = <Name extends keyof ResolvedOptions>(name: Name): ResolvedOptions[Name] =>
    readOption(name, options[name], faults);
  const resolved: ResolvedOptions = {
    enabled: read('enabled'),
    execute: read('execute'),
    name: read('name'),
    dataSource: read('dataSource'),
    schema: read('schema'),
    environment: read('environment'),
    autoMigrate: read('autoMigrate'),
    startupTimeout: read('startupTimeout'),
    pollInterval: read('pollInterval'),
    batchSize: read('batchSize'),
    maxConcurrent: read('maxConcurrent'),
    misfireThreshold: read('misfireThreshold'),
    heartbeatInterval: read('heartbeatInterval'),
    abandonedAfter: read('abandonedAfter'),
    stuckAfter: read('stuckAfter'),
    maxRecoveries: read('maxRecoveries'),
    runTimeout: read('runTimeout'),
    abortGrace: read('abortGrace'),
    shutdownTimeout: read('shutdownTimeout'),
    runRetention: read('runRetention'),
    failedRunRetention: read('failedRunRetention'),
    runRetentionPerSchedule: read('runRetentionPerSchedule'),
    auditRetention: read('auditRetention'),
    auditRedact: read('auditRedact'),
    listen: read('listen'),
  };
  faults.push(...faultsBetween(resolved));
  if (faults.length > 0) {
    throw new CronStoreOptionsError(faults);
  }
  return Object.freeze(resolved);
}

function readOption<Name extends keyof ResolvedOptions>(
  name: Name,
  given: unknown,
  faults: string[],
): ResolvedOptions[Name] {
  const rule = RULES[name];
  if (given === undefined) {
    return rule.fallback;
  }
  const value = rule.read(given);
  if (value === undefined) {
    const advice = rule.advice?.(given);
    const rest = advice === undefined ? '' : `: ${advice}`;
    faults.push(`${name} must be ${rule.expected}, but is ${shown(given)}${rest}.`);
    return rule.fallback;
  }
  return value;
}

function faultsBetween(options: ResolvedOptions): readonly string[] {
  const { heartbeatInterval, abandonedAfter, runRetention, failedRunRetention } = options;
  const faults: string[] = [];
  if (abandonedAfter < 2 * heartbeatInterval) {
    faults.push(
      `abandonedAfter (${abandonedAfter} ms) must be at least twice heartbeatInterval (${heartbeatInterval} ms), or runs that are alive are declared abandoned: raise it to ${2 * heartbeatInterval} ms, or shorten heartbeatInterval.`,
    );
  }
  if (failedRunRetention > 0 && failedRunRetention < runRetention) {
    faults.push(
      `failedRunRetention (${failedRunRetention} ms) must not be shorter than runRetention (${runRetention} ms), which keeps failures as long already: raise it, or leave it out.`,
    );
  }
  return faults;
}

/** What shapes the module is given to the module itself, and does not come out of a factory. */
const STRUCTURAL_NAMES = new Set(['management', 'console', 'isGlobal']);

function unknownOption(name: string): string {
  if (STRUCTURAL_NAMES.has(name)) {
    return `${name} comes too late from a factory, because it shapes the module: give it beside the factory, as in forRootAsync({ ${name}: …, useFactory: … }).`;
  }
  const nearest = nearestName(name, NAMES);
  return nearest === undefined
    ? `${name} is not an option: remove it. The options are ${NAMES.join(', ')}.`
    : `${name} is not an option; did you mean ${nearest}?`;
}

function flag(fallback: boolean): Rule<boolean> {
  return {
    fallback,
    expected: 'true or false',
    read: (given) => (typeof given === 'boolean' ? given : undefined),
  };
}

function count(fallback: number, least: number): Rule<number> {
  return {
    fallback,
    expected: `a whole number from ${least} to ${MAX_COUNT}`,
    read: (given) => (isWholeNumber(given) && given >= least && given <= MAX_COUNT ? given : undefined),
  };
}

function duration(fallback: number, least: number): Rule<number> {
  return {
    fallback,
    expected: `a duration of ${least} to ${MAX_DURATION_MS} whole milliseconds, as a number such as 30000 or a string such as '30s'`,
    advice: unitAdvice,
    read: (given) => {
      const milliseconds = millisecondsOf(given);
      return milliseconds !== undefined && milliseconds >= least ? milliseconds : undefined;
    },
  };
}

function millisecondsOf(given: unknown): number | undefined {
  try {
    return typeof given === 'number' || typeof given === 'string' ? parseDuration(given) : undefined;
  } catch {
    return undefined;
  }
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isSchemaName(name: string): boolean {
  const bytes = Buffer.byteLength(name);
  return bytes >= 1 && bytes <= MAX_IDENTIFIER_BYTES && !name.startsWith('pg_') && !name.includes('\0');
}

function shown(value: unknown): string {
  const text = inspect(value, { depth: 0, breakLength: Infinity });
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function isTextArray(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((text) => typeof text === 'string' && text !== '');
}
