import { CronStoreOptionsError } from '../../../lib/options/cron-store-options.error.js';
import { DEFAULT_AUDIT_REDACT } from '../../../lib/options/cron-store.options.js';
import { resolveOptions } from '../../../lib/options/resolve-options.js';
import { MAX_DURATION_MS } from '../../../lib/triggers/index.js';

/** The faults that options are refused with, of whatever type a host in JavaScript gives them. */
function faultsOf(options: unknown): readonly string[] {
  try {
    Reflect.apply(resolveOptions, undefined, [options]);
  } catch (error) {
    if (error instanceof CronStoreOptionsError) {
      return error.faults;
    }
    throw error;
  }
  return [];
}

describe('resolveOptions', () => {
  it('fills in the documented defaults, durations in milliseconds', () => {
    expect(resolveOptions({})).toEqual({
      enabled: true,
      execute: true,
      name: 'default',
      dataSource: 'default',
      schema: 'public',
      autoMigrate: false,
      startupTimeout: 30_000,
      pollInterval: 5_000,
      batchSize: 32,
      maxConcurrent: 16,
      misfireThreshold: 60_000,
      heartbeatInterval: 10_000,
      abandonedAfter: 60_000,
      stuckAfter: 300_000,
      maxRecoveries: 5,
      runTimeout: 0,
      abortGrace: 5_000,
      shutdownTimeout: 30_000,
      runRetention: 0,
      failedRunRetention: 0,
      runRetentionPerSchedule: 0,
      auditRetention: 0,
      auditRedact: DEFAULT_AUDIT_REDACT,
      listen: true,
    });
  });

  it('takes an undefined option for an omitted one', () => {
    expect(faultsOf({ dataSource: undefined, schema: undefined, batchSize: undefined })).toEqual([]);
  });

  it('takes durations as milliseconds and as text', () => {
    const options = resolveOptions({ pollInterval: 50, heartbeatInterval: '100ms', runRetention: '720h' });
    expect(options).toMatchObject({
      pollInterval: 50,
      heartbeatInterval: 100,
      runRetention: 30 * 24 * 60 * 60 * 1000,
    });
  });

  it('cannot be changed by who reads it', () => {
    expect(Object.isFrozen(resolveOptions({}))).toBe(true);
  });

  it.each([
    ['enabled', 'true'],
    ['execute', 'yes'],
    ['autoMigrate', 1],
    ['startupTimeout', 'soon'],
    ['listen', null],
    ['dataSource', ''],
    ['dataSource', ' '],
    ['dataSource', 5],
    ['schema', ''],
    ['schema', 'pg_cron'],
    ['schema', 'a\0b'],
    ['schema', 'x'.repeat(64)],
    ['schema', 'é'.repeat(32)],
    ['pollInterval', 0],
    ['pollInterval', 9],
    ['pollInterval', -1],
    ['pollInterval', 10.5],
    ['pollInterval', Number.NaN],
    ['pollInterval', Number.POSITIVE_INFINITY],
    ['pollInterval', null],
    ['pollInterval', 'soon'],
    ['pollInterval', ''],
    ['pollInterval', '-5s'],
    ['pollInterval', '0s'],
    ['heartbeatInterval', 0],
    ['misfireThreshold', 0],
    ['abandonedAfter', 0],
    ['stuckAfter', -1],
    ['runTimeout', -1],
    ['abortGrace', -1],
    ['shutdownTimeout', -1],
    ['runRetention', -1],
    ['runRetention', MAX_DURATION_MS + 1],
    ['runRetention', 2 * MAX_DURATION_MS],
    ['runRetention', true],
    ['failedRunRetention', -1],
    ['runRetentionPerSchedule', -1],
    ['runRetentionPerSchedule', '100'],
    ['batchSize', 0],
    ['batchSize', -1],
    ['batchSize', 1.5],
    ['batchSize', '32'],
    ['maxConcurrent', 0],
    ['maxConcurrent', Number.POSITIVE_INFINITY],
    ['maxRecoveries', -1],
    ['maxRecoveries', 2 ** 31],
    ['maxConcurrent', Number.MAX_SAFE_INTEGER],
  ])('refuses %s: %p, and says what it must be', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults[0]).toMatch(new RegExp(`^${name} must be .*, but is .*\\.$`, 's'));
  });

  it.each([
    ['schema', 'x'.repeat(63)],
    ['schema', 'Über "quoted"'],
    ['pollInterval', 10],
    ['heartbeatInterval', '10ms'],
    ['runTimeout', 0],
    ['abortGrace', 0],
    ['shutdownTimeout', '0s'],
    ['startupTimeout', '0s'],
    ['runRetention', MAX_DURATION_MS],
    ['batchSize', 1],
    ['maxConcurrent', 1],
    ['maxRecoveries', 0],
    ['maxRecoveries', 2 ** 31 - 1],
    ['stuckAfter', '0s'],
  ])('accepts %s: %p', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([]);
  });

  it('refuses to declare living runs abandoned', () => {
    expect(faultsOf({ heartbeatInterval: '10s', abandonedAfter: '20s' })).toEqual([]);
    expect(faultsOf({ heartbeatInterval: '10s', abandonedAfter: 19_999 })).toEqual([
      expect.stringContaining(
        'abandonedAfter (19999 ms) must be at least twice heartbeatInterval (10000 ms)',
      ),
    ]);
    expect(faultsOf({ heartbeatInterval: '1m' })).toEqual([expect.stringContaining('120000 ms')]);
  });

  it('refuses to keep failures shorter than other runs', () => {
    expect(faultsOf({ runRetention: '1h', failedRunRetention: '1h', runRetentionPerSchedule: 0 })).toEqual(
      [],
    );
    expect(faultsOf({ failedRunRetention: '1h', runRetentionPerSchedule: 100 })).toEqual([]);
    expect(faultsOf({ runRetention: 3_000, failedRunRetention: 2_999 })).toEqual([
      expect.stringMatching(
        /^failedRunRetention \(2999 ms\) must not be shorter than runRetention \(3000 ms\), .*: raise it, or leave it out\.$/,
      ),
    ]);
  });

  it.each([
    ['poll_interval', 'pollInterval'],
    ['pollinterval', 'pollInterval'],
    ['maxConcurent', 'maxConcurrent'],
    ['datasource', 'dataSource'],
    ['listenn', 'listen'],
  ])('refuses the unknown option %s and names %s', (written, meant) => {
    expect(faultsOf({ [written]: 1 })).toEqual([`${written} is not an option; did you mean ${meant}?`]);
  });

  it.each(['management', 'console', 'isGlobal'])(
    'says where %s belongs, which no factory can give',
    (name) => {
      expect(faultsOf({ [name]: false })).toEqual([
        expect.stringMatching(`^${name} comes too late from a factory.*beside the factory`),
      ]);
    },
  );

  it('refuses an unknown option that resembles none, listing those there are', () => {
    expect(faultsOf({ redis: {} })).toEqual([
      expect.stringMatching(/^redis is not an option: remove it\. The options are enabled, .*, listen\.$/),
    ]);
    expect(faultsOf({ toString: 1 })).toHaveLength(1);
    expect(faultsOf(JSON.parse('{"__proto__": 1}'))).toHaveLength(1);
  });

  it('names every fault at once', () => {
    const options = { pollInterval: 0, batchSize: 0, retention: 1, abandonedAfter: '1s' };
    const faults = faultsOf(options);
    expect(faults).toHaveLength(4);
    expect(() => resolveOptions(options)).toThrow(
      `CronStoreModule cannot start with these options:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    );
  });

  it.each([null, undefined, 'options', []])('refuses %p for the options', (options) => {
    expect(faultsOf(options)).toEqual([expect.stringMatching(/^The options must be an object/)]);
  });
});
