import 'reflect-metadata';
import { IsInt } from 'class-validator';
import type { EntityManager } from 'typeorm';
import { Execution, ParamsInvalidError, TransactionalExecution } from '../../../lib/jobs/index.js';
import { executionFacts } from './execution-facts.js';

class Days {
  @IsInt()
  days!: number;
}

describe('Execution', () => {
  it('tells the run, and nothing else', () => {
    const { abort, ...told } = executionFacts({ origin: 'recovery', attempt: 2 });
    const withMore = { ...told, abort, password: 'x' };
    const execution = new Execution(withMore, undefined);
    expect(Object.fromEntries(Object.entries(execution))).toEqual({
      ...told,
      bindParams: expect.any(Function),
    });
    expect(execution.signal).toBe(abort.signal);
    expect(execution.scheduledAt).toEqual(new Date('2026-01-01T02:00:00Z'));
  });

  it('names the occurrence, frozen, where the run is for one', () => {
    const { occurrence } = new Execution(executionFacts({ occurrenceAtUnixMs: 1_000 }), undefined);
    expect(occurrence).toEqual({ scheduleId: 'schedule-1', atUnixMs: 1_000 });
    expect(Object.isFrozen(occurrence)).toBe(true);
    const manual = new Execution(executionFacts({ origin: 'manual' }), undefined);
    expect(manual.occurrence).toBeUndefined();
  });

  it('has a manager where it is transactional, and is as frozen', () => {
    const manager = {} as EntityManager;
    const execution = new TransactionalExecution(executionFacts(), undefined, manager);
    expect(execution).toBeInstanceOf(Execution);
    expect(execution.manager).toBe(manager);
    expect(Object.isFrozen(execution)).toBe(true);
  });

  it('cannot be changed, neither itself nor through its date', () => {
    const execution = new Execution(executionFacts(), undefined);
    expect(() => Object.assign(execution, { attempt: 7 })).toThrow(TypeError);
    execution.scheduledAt.setFullYear(1999);
    expect(execution.scheduledAt).toEqual(new Date('2026-01-01T02:00:00Z'));
  });

  it('binds the params to a class, as often as asked', async () => {
    const { bindParams } = new Execution(executionFacts({ params: { days: 7 } }), undefined);
    const bound = await bindParams(Days);
    expect(bound).toBeInstanceOf(Days);
    bound.days = 8;
    await expect(bindParams(Days)).resolves.toEqual({ days: 7 });
  });

  it('refuses params that do not fit the class', async () => {
    const execution = new Execution(executionFacts({ params: { days: '7' } }), undefined);
    await expect(execution.bindParams(Days)).rejects.toThrow(ParamsInvalidError);
  });

  it('can be a plain object in a test of a handler', () => {
    const execution: Execution<Days> = {
      ...executionFacts(),
      params: { days: 1 },
      signal: new AbortController().signal,
      scheduledAt: new Date(0),
      bindParams: () => Promise.reject(new Error('not needed')),
    };
    expect(execution.params.days).toBe(1);
  });
});
