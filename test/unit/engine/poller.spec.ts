import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EMPTY_PASS, type ClaimPass } from '../../../lib/engine/claiming/claimer.js';
import { Poller } from '../../../lib/engine/claiming/poller.js';
import { StoreLogger } from '../../../lib/store-logger.js';
import { fakeTime, pass } from './fake-time.js';

const SOMETHING: ClaimPass = { ...EMPTY_PASS, started: 1 };
const FULL: ClaimPass = { ...SOMETHING, mayHaveMore: true };
const HOUR_MS = 60 * 60 * 1_000;

/** A poller whose passes do what a test says: one where something is due, at each look the next of these delays. */
function pollerOf(claim: () => Promise<ClaimPass>, untilDueMs: readonly (number | undefined)[] = [0]) {
  const delays = [...untilDueMs];
  const claimer = {
    claim: jest.fn(claim),
    untilDue: jest.fn(async () => (delays.length === 0 ? HOUR_MS : delays.shift())),
    settle: async () => undefined,
  };
  return { claimer, poller: new Poller(claimer, HOUR_MS, new StoreLogger()) };
}

describe('Poller', () => {
  beforeEach(() => {
    fakeTime();
    Logger.overrideLogger(false);
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    Logger.overrideLogger(['error']);
    jest.useRealTimers();
  });

  it('claims what is due at once, and what is due later when it is', async () => {
    const { claimer, poller } = pollerOf(async () => SOMETHING, [0, HOUR_MS, 0]);
    poller.start();
    await pass(0);
    expect(claimer.claim).toHaveBeenCalledTimes(1);
    await pass(HOUR_MS - 1);
    expect(claimer.claim).toHaveBeenCalledTimes(1);
    await pass(1);
    expect(claimer.claim).toHaveBeenCalledTimes(2);
    await poller.stop();
  });

  it('looks when it is woken, and claims nothing where nothing is due', async () => {
    const { claimer, poller } = pollerOf(async () => SOMETHING, [HOUR_MS, HOUR_MS, 0]);
    poller.start();
    await pass(0);
    poller.wake();
    await pass(0);
    expect(claimer.untilDue).toHaveBeenCalledTimes(2);
    expect(claimer.claim).not.toHaveBeenCalled();
    poller.wake();
    await pass(0);
    expect(claimer.claim).toHaveBeenCalledTimes(1);
    await poller.stop();
  });

  it('goes on at once after a pass that did something, and pauses after one that found everything locked', async () => {
    const results = [SOMETHING, EMPTY_PASS];
    const { claimer, poller } = pollerOf(async () => results.shift() ?? SOMETHING, [0, 0, 0]);
    poller.start();
    await pass(0);
    expect(claimer.claim).toHaveBeenCalledTimes(2);
    await pass(19);
    expect(claimer.claim).toHaveBeenCalledTimes(2);
    await pass(1);
    expect(claimer.claim).toHaveBeenCalledTimes(3);
    await poller.stop();
  });

  it('claims on two sides while batches are full, and on one again when they are not', async () => {
    const open: ((result: ClaimPass) => void)[] = [];
    const { claimer, poller } = pollerOf(() => new Promise((resolve) => open.push(resolve)));
    const settle = async (...results: ClaimPass[]) => {
      open.splice(0).forEach((resolve, index) => resolve(results[index] ?? EMPTY_PASS));
      await pass(0);
    };
    poller.start();
    await pass(0);
    expect(open).toHaveLength(1);
    await settle(FULL);
    expect(open).toHaveLength(2);
    await settle(FULL, FULL);
    expect(open).toHaveLength(2);
    await settle(EMPTY_PASS, EMPTY_PASS);
    await pass(HOUR_MS - 1);
    expect(open).toHaveLength(0);
    // What is full is followed by the next without a look.
    expect(claimer.untilDue).toHaveBeenCalledTimes(2);
    await poller.stop();
  });

  it('looks at what is locked for long less and less often, and at what comes then as before', async () => {
    const untilDueMs = [...Array.from({ length: 9 }, () => 0), HOUR_MS, 0, 0];
    const { claimer, poller } = pollerOf(async () => EMPTY_PASS, untilDueMs);
    poller.start();
    await pass(0);
    for (const pauseMs of [20, 40, 80, 160, 320, 640, 1_000, 1_000]) {
      const passes = claimer.claim.mock.calls.length;
      await pass(pauseMs - 1);
      expect(claimer.claim).toHaveBeenCalledTimes(passes);
      await pass(1);
      expect(claimer.claim).toHaveBeenCalledTimes(passes + 1);
    }
    await pass(1_000 + HOUR_MS);
    await pass(20);
    expect(claimer.claim).toHaveBeenCalledTimes(11);
    await poller.stop();
  });

  it.each(['the claim beside it', 'a claim that was asked for'])(
    'looks again when %s has given its slots back',
    async (which) => {
      const open: ((result: ClaimPass) => void)[] = [];
      const { claimer, poller } = pollerOf(() => new Promise((resolve) => open.push(resolve)));
      poller.start();
      await pass(0);
      const asked = which === 'the claim beside it' ? undefined : poller.runOnce();
      open.shift()?.(asked === undefined ? FULL : EMPTY_PASS);
      await pass(0);
      // The loop sleeps meanwhile, as it has found no slot.
      if (asked === undefined) {
        open.shift()?.(EMPTY_PASS);
      }
      await pass(20);
      const looks = claimer.untilDue.mock.calls.length;
      open.shift()?.(EMPTY_PASS);
      await pass(0);
      await asked;
      expect(claimer.untilDue).toHaveBeenCalledTimes(looks + 1);
      await poller.stop();
    },
  );

  it('waits at its end for the claim beside the loop, and goes on when that one fails', async () => {
    const open: { resolve: (result: ClaimPass) => void; reject: (error: Error) => void }[] = [];
    const { poller } = pollerOf(() => new Promise((resolve, reject) => open.push({ resolve, reject })));
    poller.start();
    await pass(0);
    open.shift()?.resolve(FULL);
    await pass(0);
    open.shift()?.reject(new Error('away'));
    await pass(0);
    expect(poller.fault).toBeUndefined();
    open.shift()?.resolve(FULL);
    await pass(0);
    expect(open).toHaveLength(2);
    const stopped = jest.fn();
    void poller.stop().then(stopped);
    open.shift()?.resolve(FULL);
    await pass(0);
    expect(stopped).not.toHaveBeenCalled();
    open.shift()?.resolve(FULL);
    await pass(0);
    expect(stopped).toHaveBeenCalled();
  });

  it('says when the passes under way have ended, also the one beside the loop, and waits for no later one', async () => {
    const open: ((result: ClaimPass) => void)[] = [];
    const { poller } = pollerOf(() => new Promise((resolve) => open.push(resolve)));
    const passed = jest.fn();
    const settleOne = async (result: ClaimPass) => {
      open.shift()?.(result);
      await pass(0);
    };
    poller.start();
    await pass(0);
    await settleOne(FULL);
    expect(open).toHaveLength(2);
    void poller.untilPassed().then(passed);
    await settleOne(EMPTY_PASS);
    expect(passed).not.toHaveBeenCalled();
    await settleOne(FULL);
    expect(passed).toHaveBeenCalled();
    // Both have begun anew.
    expect(open).toHaveLength(2);
    await settleOne(EMPTY_PASS);
    await settleOne(EMPTY_PASS);
    await poller.stop();
  });

  it('never makes two passes at once', async () => {
    let current = 0;
    let most = 0;
    const { claimer, poller } = pollerOf(async () => {
      current += 1;
      most = Math.max(most, current);
      await Promise.resolve();
      current -= 1;
      return SOMETHING;
    });
    poller.start();
    await Promise.all([poller.runOnce(), poller.runOnce(), poller.runOnce()]);
    await poller.stop();
    expect(claimer.claim).toHaveBeenCalledTimes(4);
    expect(most).toBe(1);
  });

  it('goes on after failures, at intervals that grow to seconds and not to the poll interval', async () => {
    let isAway = true;
    const { claimer, poller } = pollerOf(
      () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(SOMETHING)),
      Array.from({ length: 100_000 }, () => 0),
    );
    poller.start();
    await pass(0);
    expect(poller.fault).toBe('claim_failed');
    await pass(100);
    expect(claimer.claim).toHaveBeenCalledTimes(2);
    await pass(10 * HOUR_MS);
    isAway = false;
    await pass(5_000);
    expect(poller.fault).toBeUndefined();
    await poller.stop();
  });

  it('keeps in mind what is wrong while no slot is free, and nothing is asked', async () => {
    const { claimer, poller } = pollerOf(() => Promise.reject(new Error('away')), [0, undefined, HOUR_MS]);
    poller.start();
    await pass(0);
    expect(poller.fault).toBe('claim_failed');
    await pass(100);
    expect(claimer.untilDue).toHaveBeenCalledTimes(2);
    expect(poller.fault).toBe('claim_failed');
    await pass(HOUR_MS);
    expect(poller.fault).toBeUndefined();
    await poller.stop();
  });

  it('reports a failed pass to whoever asked for it, and goes on', async () => {
    let passes = 0;
    const { poller } = pollerOf(() => {
      passes += 1;
      return passes === 1 ? Promise.reject(new Error('away')) : Promise.resolve(EMPTY_PASS);
    });
    await expect(poller.runOnce()).rejects.toThrow('away');
    await expect(poller.runOnce()).resolves.toEqual(EMPTY_PASS);
  });

  it('makes no pass once it is stopped, and waits for the one under way', async () => {
    const settle: (() => void)[] = [];
    const { claimer, poller } = pollerOf(
      () => new Promise((resolve) => settle.push(() => resolve(EMPTY_PASS))),
    );
    poller.start();
    await pass(0);
    const stopped = jest.fn();
    void poller.stop().then(stopped);
    await pass(HOUR_MS);
    expect(stopped).not.toHaveBeenCalled();
    settle.forEach((resolve) => resolve());
    await pass(0);
    expect(stopped).toHaveBeenCalledTimes(1);
    await expect(poller.runOnce()).resolves.toEqual(EMPTY_PASS);
    expect(claimer.claim).toHaveBeenCalledTimes(1);
  });
});
