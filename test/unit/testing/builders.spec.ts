import { IsString } from 'class-validator';
import { Execution, ParamsInvalidError, TransactionalExecution } from '../../../lib/index.js';
import {
  buildExecution,
  buildRun,
  buildSchedule,
  buildTransactionalExecution,
} from '../../../lib/testing/index.js';
import type { EntityManager } from 'typeorm';

it('builds an execution of an occurrence, as handlers get it', () => {
  const execution = buildExecution({ customer: 'acme' });
  expect(execution).toBeInstanceOf(Execution);
  expect(Object.isFrozen(execution)).toBe(true);
  expect(execution).toMatchObject({
    params: { customer: 'acme' },
    origin: 'schedule',
    attempt: 1,
    scheduledAt: new Date('2030-01-01T00:00:00Z'),
    occurrence: { scheduleId: execution.scheduleId, atUnixMs: execution.scheduledAtUnixMs },
  });
  expect(execution.signal.aborted).toBe(false);
});

it('builds what the test says of an execution', () => {
  const signal = AbortSignal.abort();
  const execution = buildExecution(undefined, { origin: 'manual', attempt: 3, signal, scheduleName: 'mine' });
  expect(execution).toMatchObject({ origin: 'manual', attempt: 3, scheduleName: 'mine' });
  expect(execution.signal).toBe(signal);
  expect(execution.occurrence).toBeUndefined();
});

it('has the same key for every attempt of an occurrence, and for no other', () => {
  const facts = { scheduleId: '0188e7a4-3b9c-7000-8000-000000000000', scheduledAtUnixMs: 1_000 };
  const [first, second] = [1, 2].map((attempt) => buildExecution(null, { ...facts, attempt }));
  expect(first?.idempotencyKey).toBe(second?.idempotencyKey);
  expect(buildExecution(null, { ...facts, scheduledAtUnixMs: 2_000 }).idempotencyKey).not.toBe(
    first?.idempotencyKey,
  );
  expect(buildRun(facts).idempotencyKey).toBe(first?.idempotencyKey);
});

it('builds an execution of a transactional handler', () => {
  const manager = { query: () => Promise.resolve([]) } as unknown as EntityManager;
  const execution = buildTransactionalExecution({ customer: 'acme' }, manager);
  expect(execution).toBeInstanceOf(TransactionalExecution);
  expect(execution.manager).toBe(manager);
});

it('binds params, as handlers do by hand', async () => {
  class Params {
    @IsString()
    customer = '';
  }
  const bound = await buildExecution({ customer: 'acme' }).bindParams(Params);
  expect(bound).toBeInstanceOf(Params);
  expect(bound.customer).toBe('acme');
  await expect(buildExecution({ customer: 1 }).bindParams(Params)).rejects.toThrow(ParamsInvalidError);
});

it('builds schedules and runs that are what they are', () => {
  expect(buildSchedule()).toMatchObject({ state: 'armed', isEnabled: true, kind: 'interval' });
  expect(buildSchedule({ name: 'nightly', state: 'paused', isEnabled: false })).toMatchObject({
    name: 'nightly',
    state: 'paused',
  });
  const run = buildRun({ scheduledAtUnixMs: 5_000, status: 'failed', reason: 'timeout', error: 'no' });
  expect(run).toMatchObject({
    status: 'failed',
    reason: 'timeout',
    startedAtUnixMs: 5_000,
    durationMs: 1_000,
  });
  expect(new Set([buildRun().id, buildRun().id]).size).toBe(2);
});
