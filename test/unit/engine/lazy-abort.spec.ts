import { jest } from '@jest/globals';
import { LazyAbort } from '../../../lib/engine/execution/lazy-abort.js';

const reason = new Error('enough');

describe('An abort whose signal is made on demand', () => {
  it('has one signal, however often it is asked for', () => {
    const abort = new LazyAbort();
    expect(abort.signal).toBe(abort.signal);
    expect(abort.signal.aborted).toBe(false);
    expect(() => abort.throwIfAborted()).not.toThrow();
  });

  it('aborts the signal that somebody has', () => {
    const abort = new LazyAbort();
    const { signal } = abort;
    const onAbort = jest.fn();
    signal.addEventListener('abort', onAbort);
    abort.abort(reason);
    abort.abort(new Error('too late'));
    expect(onAbort).toHaveBeenCalledTimes(1);
    expect(signal.reason).toBe(reason);
  });

  it('is aborted for who asks only then', () => {
    const abort = new LazyAbort();
    abort.abort(reason);
    expect(() => abort.throwIfAborted()).toThrow(reason);
    expect(abort.signal.aborted).toBe(true);
    expect(abort.signal.reason).toBe(reason);
  });
});
