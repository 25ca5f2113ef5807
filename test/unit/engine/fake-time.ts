import { setImmediate as endOfTurn } from 'node:timers/promises';
import { jest } from '@jest/globals';

/** Takes the monotonic clock and the timers over: nothing passes but what a test lets pass. */
export function fakeTime(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
}

/** Lets time pass, with whatever it sets off and whatever was left for the end of a turn. */
export async function pass(ms: number): Promise<void> {
  await endOfTurn();
  await jest.advanceTimersByTimeAsync(ms);
  await endOfTurn();
}
