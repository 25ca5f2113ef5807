import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { jest } from '@jest/globals';
import { Execution, RunInterceptor, RunInterceptorError } from '../../../lib/jobs/index.js';
import { InterceptorChain } from '../../../lib/jobs/interceptor-chain.js';
import { executionFacts } from './execution-facts.js';

type Intercept = RunInterceptor['intercept'];

const FAILURE = new Error('the handler failed');
const OBJECTION = new Error('the interceptor objects');

class Outer extends RunInterceptor {
  constructor(override readonly intercept: Intercept) {
    super();
  }
}

class Inner extends Outer {}

const passes: Intercept = (_execution, next) => next();
const swallows: Intercept = (_execution, next) => next().catch(() => 'all is well');
const throwsBefore: Intercept = () => Promise.reject(OBJECTION);
const throwsAfter: Intercept = async (_execution, next) => {
  await next();
  throw OBJECTION;
};
const doesNotWait: Intercept = (_execution, next) => {
  next().catch(() => undefined);
  return Promise.resolve();
};
const retries: Intercept = async (_execution, next) => {
  try {
    return await next();
  } catch {
    return next();
  }
};
const skips: Intercept = () => Promise.resolve('done');

/** Runs a handler within interceptors, the outermost first. */
function run(handler: () => Promise<unknown>, outer: Intercept, inner: Intercept = passes): Promise<unknown> {
  const execution = new Execution(executionFacts(), undefined);
  return new InterceptorChain([new Outer(outer), new Inner(inner)], execution, handler).run();
}

const succeeding = () => jest.fn(() => Promise.resolve('value'));
const failing = () => jest.fn(() => Promise.reject(FAILURE));

describe('interceptors', () => {
  it('surround the handler in their order, with the execution, and see what it returned', async () => {
    const steps: unknown[] = [];
    const noting =
      (name: string): Intercept =>
      async (execution, next) => {
        steps.push(`${name} before ${execution.runId}`);
        steps.push(`${name} after ${String(await next())}`);
      };
    const handler = () => Promise.resolve(steps.push('handler'));
    await expect(run(handler, noting('outer'), noting('inner'))).resolves.toBe(3);
    expect(steps).toEqual([
      'outer before run-1',
      'inner before run-1',
      'handler',
      'inner after 3',
      'outer after undefined',
    ]);
  });

  it('give the handler their asynchronous context', async () => {
    const tenant = new AsyncLocalStorage<string>();
    const handler = () => Promise.resolve(tenant.getStore());
    await expect(run(handler, (_execution, next) => tenant.run('acme', next))).resolves.toBe('acme');
  });

  it('are waited for, also after the handler', async () => {
    let isFlushed = false;
    await run(succeeding(), async (_execution, next) => {
      await next();
      await new Promise((resolve) => setImmediate(resolve));
      isFlushed = true;
    });
    expect(isFlushed).toBe(true);
  });

  it('invoke the handler once, however often they call next', async () => {
    const handler = succeeding();
    const results: unknown[] = [];
    await run(handler, async (_execution, next) => {
      results.push(await next(), await next(), ...(await Promise.all([next(), next()])));
    });
    expect(handler).toHaveBeenCalledTimes(1);
    expect(results).toEqual(['value', 'value', 'value', 'value']);
  });

  it('do not repeat a handler that failed', async () => {
    const handler = failing();
    await expect(run(handler, retries)).rejects.toBe(FAILURE);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Intercept, Intercept]>([
    ['one swallows it', swallows, passes],
    ['an inner one swallows it', passes, swallows],
    [
      'one throws something else',
      (_execution, next) => next().catch(() => Promise.reject(OBJECTION)),
      passes,
    ],
    ['one does not wait for it', doesNotWait, passes],
    ['an inner one does not wait for it', passes, doesNotWait],
  ])('leave the failure of a handler as it is where %s', async (_case, outer, inner) => {
    await expect(run(failing(), outer, inner)).rejects.toBe(FAILURE);
  });

  it.each<[string, Intercept, Intercept, string]>([
    ['one throws', throwsBefore, passes, 'Outer'],
    ['an inner one throws', passes, throwsBefore, 'Inner'],
    ['an inner one throws and the outer one swallows it', swallows, throwsBefore, 'Inner'],
    [
      'one throws at once',
      () => {
        throw OBJECTION;
      },
      passes,
      'Outer',
    ],
  ])('keep the handler from running where %s', async (_case, outer, inner, culprit) => {
    const handler = succeeding();
    const error: unknown = await run(handler, outer, inner).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new RunInterceptorError(`The run interceptor ${culprit} failed:`));
    expect(error).toHaveProperty('cause', OBJECTION);
    expect(handler).not.toHaveBeenCalled();
  });

  it.each<[string, Intercept, Intercept, string]>([
    ['one throws', throwsAfter, passes, 'Outer'],
    ['an inner one throws', passes, throwsAfter, 'Inner'],
    ['an inner one throws and the outer one swallows it', swallows, throwsAfter, 'Inner'],
  ])('fail the run after the success of the handler where %s', async (_case, outer, inner, culprit) => {
    const handler = succeeding();
    await expect(run(handler, outer, inner)).rejects.toMatchObject({
      name: 'RunInterceptorError',
      message: expect.stringContaining(culprit),
      cause: OBJECTION,
    });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Intercept, Intercept, string]>([
    ['one', skips, passes, 'Outer'],
    ['an inner one', passes, skips, 'Inner'],
  ])('fail the run where %s returns without next', async (_case, outer, inner, culprit) => {
    const handler = succeeding();
    await expect(run(handler, outer, inner)).rejects.toThrow(
      `The run interceptor ${culprit} returned without calling next(), so that the handler was not invoked: call it, or throw to say why the run fails.`,
    );
    expect(handler).not.toHaveBeenCalled();
  });

  it('cannot invoke the handler once they have returned', async () => {
    const handler = succeeding();
    const nexts: (() => Promise<unknown>)[] = [];
    await expect(
      run(handler, (_execution, next) => {
        nexts.push(next);
        return Promise.resolve();
      }),
    ).rejects.toThrow(RunInterceptorError);
    await expect(nexts[0]?.()).rejects.toThrow(
      'Outer called next() after it had returned: await next() instead.',
    );
    expect(handler).not.toHaveBeenCalled();
  });

  it('wait for a handler that an interceptor does not wait for', async () => {
    const waiting: (() => void)[] = [];
    const isFinished = jest.fn();
    const ended = run(() => new Promise<void>((resolve) => waiting.push(resolve)), doesNotWait).then(
      isFinished,
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(isFinished).not.toHaveBeenCalled();
    waiting.forEach((finish) => finish());
    await ended;
    expect(isFinished).toHaveBeenCalledTimes(1);
  });
});
