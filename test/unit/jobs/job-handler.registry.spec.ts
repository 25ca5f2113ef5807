import 'reflect-metadata';
import { jest } from '@jest/globals';
import { IsInt } from 'class-validator';
import type { EntityManager } from 'typeorm';
import {
  JobHandlerInvalidError,
  JobHandlerRegistry,
  ParamsInvalidError,
  type Execution,
  type JobRegistration,
} from '../../../lib/jobs/index.js';
import { TransactionalJob } from '../../../lib/jobs/registered-job.js';
import { every } from '../../../lib/triggers/index.js';
import { executionFacts } from './execution-facts.js';
import { plainJob } from './plain-job.js';

class Days {
  @IsInt()
  days!: number;
}

const nothing = (): void => undefined;

/** Registers as a host in JavaScript may. */
function registerUntyped(registration: object): void {
  const registry = new JobHandlerRegistry();
  Reflect.apply(registry.register.bind(registry), undefined, [registration]);
}

describe('JobHandlerRegistry', () => {
  it('lists what is registered, sorted by name', () => {
    const registry = new JobHandlerRegistry();
    registry.register({ name: 'b', execute: nothing });
    registry.register({ name: 'a', execute: nothing });
    expect(registry.names()).toEqual(['a', 'b']);
    expect(registry.all().map(({ name }) => name)).toEqual(['a', 'b']);
    expect(registry.get('a')).toMatchObject({ name: 'a', place: 'JobHandlerRegistry.register()' });
    expect(registry.get('c')).toBeUndefined();
    expect(registry.get('toString')).toBeUndefined();
  });

  it('executes with the params as they are when no class is declared', async () => {
    const registry = new JobHandlerRegistry();
    registry.register({ name: 'echo', execute: ({ params, runId }) => [runId, params] });
    await expect(plainJob(registry, 'echo').execute(executionFacts({ params: [1] }))).resolves.toEqual([
      'run-1',
      [1],
    ]);
  });

  it('gives each execution params of its own', async () => {
    const params = { tags: ['a'] };
    const registry = new JobHandlerRegistry();
    registry.register<{ tags: string[] }>({
      name: 'greedy',
      execute: ({ params }) => params.tags.push('b'),
    });
    await expect(plainJob(registry, 'greedy').execute(executionFacts({ params }))).resolves.toBe(2);
    await expect(plainJob(registry, 'greedy').execute(executionFacts({ params }))).resolves.toBe(2);
    expect(params).toEqual({ tags: ['a'] });
  });

  it('executes a transactional job with the manager of its transaction', async () => {
    const manager = {} as EntityManager;
    const registry = new JobHandlerRegistry();
    registry.register({ name: 'books', transactional: true, execute: (execution) => execution.manager });
    const job = registry.get('books');
    if (!(job instanceof TransactionalJob)) {
      throw new Error('It is no transactional job.');
    }
    await expect(job.execute(executionFacts(), manager)).resolves.toBe(manager);
  });

  it('decodes the params before the handler is invoked', async () => {
    const execute = jest.fn(({ params }: Execution<Days>) => params);
    const registry = new JobHandlerRegistry();
    registry.register({ name: 'report', params: Days, execute });
    const job = plainJob(registry, 'report');
    await expect(job.execute(executionFacts({ params: { days: 7 } }))).resolves.toBeInstanceOf(Days);
    await expect(job.execute(executionFacts({ params: { days: 'x' } }))).rejects.toThrow(ParamsInvalidError);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('turns whatever a handler does into a promise', async () => {
    const registry = new JobHandlerRegistry();
    registry.register({
      name: 'throws',
      execute: () => {
        throw new Error('broken');
      },
    });
    registry.register({ name: 'rejects', execute: () => Promise.reject(new Error('broken later')) });
    await expect(plainJob(registry, 'throws').execute(executionFacts())).rejects.toThrow('broken');
    await expect(plainJob(registry, 'rejects').execute(executionFacts())).rejects.toThrow('broken later');
  });

  it('does not invoke a handler whose run was aborted before', async () => {
    const execute = jest.fn();
    const registry = new JobHandlerRegistry();
    registry.register({ name: 'late', execute });
    const signal = AbortSignal.abort(new Error('shutting down'));
    await expect(plainJob(registry, 'late').execute(executionFacts({ signal }))).rejects.toThrow(
      'shutting down',
    );
    expect(execute).not.toHaveBeenCalled();
  });

  it('keeps the `this` of a registered object', async () => {
    class Greeter implements JobRegistration {
      readonly name = 'greet';
      greeting = 'hello';
      execute(): string {
        return this.greeting;
      }
    }
    const registry = new JobHandlerRegistry();
    registry.register(new Greeter());
    await expect(plainJob(registry, 'greet').execute(executionFacts())).resolves.toBe('hello');
  });

  it('answers with the default schedule, given or computed', async () => {
    const schedule = { trigger: every(60_000) };
    const registry = new JobHandlerRegistry();
    registry.register({ name: 'none', execute: nothing });
    registry.register({ name: 'given', execute: nothing, defaultSchedule: schedule });
    registry.register({
      name: 'computed',
      execute: nothing,
      defaultSchedule: () => Promise.resolve(schedule),
    });
    registry.register({ name: 'withdrawn', execute: nothing, defaultSchedule: () => undefined });
    await expect(registry.get('none')?.defaultSchedule()).resolves.toBeUndefined();
    await expect(registry.get('given')?.defaultSchedule()).resolves.toBe(schedule);
    await expect(registry.get('computed')?.defaultSchedule()).resolves.toBe(schedule);
    await expect(registry.get('withdrawn')?.defaultSchedule()).resolves.toBeUndefined();
  });

  it.each(['', ' ', ' a', 'a\n', 'a\u0000b', '\uD800', 'x'.repeat(129), undefined, 7])(
    'refuses the name %p and says where it is',
    (name) => {
      expect(() => registerUntyped({ name, execute: nothing })).toThrow(JobHandlerInvalidError);
      expect(() => registerUntyped({ name, execute: nothing })).toThrow(
        /^The job handler JobHandlerRegistry\.register\(\) cannot be registered: its job name /,
      );
    },
  );

  it('counts a name in characters, not in UTF-16 units', () => {
    const registry = new JobHandlerRegistry();
    registry.register({ name: '🕰'.repeat(128), execute: nothing });
    expect(() => registry.register({ name: '🕰'.repeat(129), execute: nothing })).toThrow(/longer than 128/);
  });

  it('refuses a name that is taken', () => {
    const registry = new JobHandlerRegistry();
    registry.register({ name: 'a', execute: nothing });
    expect(() => registry.register({ name: 'a', execute: nothing })).toThrow(
      'Two handlers have the job name "a": JobHandlerRegistry.register() and JobHandlerRegistry.register(). Rename one of them, or provide it only once.',
    );
  });

  it.each([{ execute: undefined }, { execute: 'x' }, { execute: nothing, params: {} }])(
    'refuses what cannot be executed: %p',
    (registration) => {
      expect(() => registerUntyped({ name: 'a', ...registration })).toThrow(JobHandlerInvalidError);
    },
  );

  it('tells the engine of what comes after its start, and of nothing that is refused', () => {
    const registry = new JobHandlerRegistry();
    registry.register({ name: 'a', execute: nothing });
    const late: string[] = [];
    registry.announceLateJobs(({ name }) => late.push(name));
    registry.register({ name: 'b', execute: nothing });
    expect(() => registry.register({ name: 'a', execute: nothing })).toThrow(JobHandlerInvalidError);
    expect(late).toEqual(['b']);
    expect(registry.names()).toEqual(['a', 'b']);
  });
});
