import fc from 'fast-check';
import { backoffAfter, defineRetry } from '../../../lib/schedules/index.js';

describe('defineRetry', () => {
  it('fills in the defaults', () => {
    expect(defineRetry({ maxAttempts: 3 })).toEqual({
      maxAttempts: 3,
      backoffMs: 10_000,
      factor: 2,
      maxBackoffMs: 3_600_000,
    });
  });

  it.each([undefined, null])('is no policy for %s', (given) => {
    expect(defineRetry(given)).toBeUndefined();
  });

  it('lets a long wait raise the longest wait', () => {
    expect(defineRetry({ maxAttempts: 2, backoffMs: 7_200_000 })).toMatchObject({ maxBackoffMs: 7_200_000 });
  });
});

describe('backoffAfter', () => {
  const policy = { maxAttempts: 5, backoffMs: 100, factor: 3, maxBackoffMs: 1_000 };

  it('grows by the factor up to the longest wait, and ends with the last attempt', () => {
    expect([1, 2, 3, 4, 5, 6].map((attempt) => backoffAfter(policy, attempt))).toEqual([
      100,
      300,
      900,
      1_000,
      undefined,
      undefined,
    ]);
  });

  it('never retries without a policy', () => {
    expect(backoffAfter(undefined, 1)).toBeUndefined();
  });

  it('is a whole number within bounds for every policy', () => {
    fc.assert(
      fc.property(
        fc.record({
          maxAttempts: fc.integer({ min: 1, max: 100 }),
          backoffMs: fc.integer({ min: 0, max: 1e12 }),
          factor: fc.double({ min: 1, max: 100, noNaN: true }),
          maxBackoffMs: fc.integer({ min: 0, max: 1e12 }),
        }),
        fc.integer({ min: 1, max: 100 }),
        (given, attempt) => {
          const wait = backoffAfter(given, attempt);
          return wait === undefined || (Number.isInteger(wait) && wait >= 0 && wait <= given.maxBackoffMs);
        },
      ),
    );
  });
});
