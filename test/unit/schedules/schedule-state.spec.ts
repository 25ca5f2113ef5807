import { occurrenceKey, scheduleState } from '../../../lib/schedules/index.js';

describe('scheduleState', () => {
  it.each([
    ['armed', { isEnabled: true, nextFireAtUnixMs: 1 }],
    ['spent', { isEnabled: true }],
    ['paused', { isEnabled: false, nextFireAtUnixMs: 1 }],
    ['paused', { isEnabled: false }],
    ['parked', { isEnabled: true, parkedReason: 'why' }],
    ['parked', { isEnabled: false, parkedReason: 'why' }],
    ['armed', { isEnabled: true, nextFireAtUnixMs: 0 }],
  ])('is %s for %j', (state, condition) => {
    expect(scheduleState(condition)).toBe(state);
  });
});

describe('occurrenceKey', () => {
  it('differs between schedules and between occurrences', () => {
    const keys = [occurrenceKey('a', 1), occurrenceKey('a', 2), occurrenceKey('b', 1)];

    expect(new Set(keys).size).toBe(3);
    expect(occurrenceKey('a', 1)).toBe(keys[0]);
  });
});
