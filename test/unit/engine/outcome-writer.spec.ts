import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { OutcomeWriter, type JournaledOutcome } from '../../../lib/engine/execution/outcome-writer.js';
import type { RunOutcome, StandingOutcome } from '../../../lib/storage/index.js';
import { fakeTime, pass } from './fake-time.js';

function outcomeOf(runId: string): RunOutcome {
  return {
    runId,
    scheduleId: 'schedule',
    status: 'succeeded',
    startedAtUnixMs: 0,
    finishedAtUnixMs: 1,
    durationMs: 1,
  };
}

/** A writer whose store answers what a test says (the outcomes that wait, if any), and what its observer heard. */
function writerOf(write: (outcomes: readonly RunOutcome[]) => Promise<readonly string[] | void>) {
  const batches: string[][] = [];
  const journaled: string[] = [];
  const onJournaled = jest.fn(({ outcome }: JournaledOutcome) => {
    journaled.push(outcome.runId);
  });
  const store = {
    async write(_nodeId: string, outcomes: readonly RunOutcome[]) {
      const runIds = outcomes.map(({ runId }) => runId);
      batches.push(runIds);
      const waitingIds = new Set((await write(outcomes)) ?? []);
      const writtenIds = new Set(runIds.filter((runId) => !waitingIds.has(runId)));
      return { writtenIds, repeatedIds: new Set<string>(), waitingIds, standing: new Map() };
    },
  };
  const writer = new OutcomeWriter(store, 'node', { onJournaled, onRefused: jest.fn() });
  return { writer, batches, journaled, onJournaled };
}

describe('OutcomeWriter', () => {
  beforeEach(() => {
    fakeTime();
    Logger.overrideLogger(false);
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    Logger.overrideLogger(['error']);
    jest.useRealTimers();
  });

  it('writes together what ends in one turn', async () => {
    const { writer, batches } = writerOf(() => Promise.resolve());
    ['a', 'b', 'c'].forEach((runId) => writer.add(outcomeOf(runId)));
    await pass(0);
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('writes the first at once, and what comes meanwhile together', async () => {
    const { writer, batches } = writerOf(() => new Promise((resolve) => setTimeout(resolve, 10)));
    writer.add(outcomeOf('a'));
    await pass(0);
    writer.add(outcomeOf('b'));
    writer.add(outcomeOf('c'));
    await pass(20);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'leaves none behind that comes %i turns after the last was written',
    async (turns) => {
      const { writer, journaled, onJournaled } = writerOf(() => Promise.resolve());
      onJournaled.mockImplementationOnce(({ outcome }) => {
        journaled.push(outcome.runId);
        let later = Promise.resolve();
        for (let turn = 0; turn < turns; turn += 1) {
          later = later.then(() => undefined);
        }
        void later.then(() => writer.add(outcomeOf('b')));
      });
      writer.add(outcomeOf('a'));
      await pass(0);
      expect(journaled).toEqual(['a', 'b']);
    },
  );

  it('keeps outcomes while the database is away', async () => {
    let isAway = true;
    const { writer, journaled } = writerOf(() =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(),
    );
    writer.add(outcomeOf('a'));
    writer.add(outcomeOf('b'));
    await pass(60_000);
    expect(journaled).toEqual([]);
    isAway = false;
    await pass(5_000);
    expect(journaled.toSorted()).toEqual(['a', 'b']);
  });

  it('does not let one that the database refuses hold up the others', async () => {
    const { writer, journaled } = writerOf((outcomes) =>
      outcomes.some(({ runId }) => runId === 'bad') ? Promise.reject(new Error('bad')) : Promise.resolve(),
    );
    writer.add(outcomeOf('bad'));
    ['a', 'b', 'c'].forEach((runId) => writer.add(outcomeOf(runId)));
    await pass(60_000);
    expect(journaled.toSorted()).toEqual(['a', 'b', 'c']);
    const closed = writer.close(1_000);
    await pass(1_000);
    await closed;
    await pass(5_000);
  });

  it('writes the others while one waits for its schedule, and that one when it is free', async () => {
    let isLocked = true;
    const { writer, journaled } = writerOf(() => Promise.resolve(isLocked ? ['locked'] : []));
    ['locked', 'a'].forEach((runId) => writer.add(outcomeOf(runId)));
    await pass(1_000);
    writer.add(outcomeOf('b'));
    await pass(1_000);
    expect(journaled).toEqual(['a', 'b']);
    expect(writer.isFailing).toBe(false);
    await pass(4_000);
    expect(writer.isFailing).toBe(true);
    isLocked = false;
    const closed = writer.close(1_000);
    await pass(1_000);
    await closed;
    expect(journaled).toEqual(['a', 'b', 'locked']);
    expect(writer.isFailing).toBe(false);
  });

  it('waits at its end for what is being written', async () => {
    const { writer, journaled } = writerOf(() => new Promise((resolve) => setTimeout(resolve, 500)));
    writer.add(outcomeOf('a'));
    const closed = writer.close(1_000);
    await pass(500);
    await closed;
    expect(journaled).toEqual(['a']);
  });

  it('gives up at its end what the database does not take in time', async () => {
    const { writer, batches } = writerOf(() => Promise.reject(new Error('away')));
    writer.add(outcomeOf('a'));
    const closed = writer.close(1_000);
    await pass(1_000);
    await closed;
    const attempts = batches.length;
    await pass(60_000);
    expect(batches).toHaveLength(attempts);
  });

  it('tells what this node had journaled without hearing of it: its own write, or the commit of a success', async () => {
    const standing = new Map<string, StandingOutcome>([
      ['committed', { status: 'succeeded', isRepeated: false }],
      ['written', { status: 'failed', isRepeated: true }],
    ]);
    const store = {
      write: () =>
        Promise.resolve({
          writtenIds: new Set<string>(),
          repeatedIds: new Set<string>(),
          waitingIds: new Set<string>(),
          standing,
        }),
    };
    const observer = { onJournaled: jest.fn(), onRefused: jest.fn() };
    const writer = new OutcomeWriter(store, 'node', observer);
    const failure = { status: 'failed', reason: 'handler_error', error: 'lost', retryAfterMs: 1 } as const;
    const failed = (runId: string): RunOutcome => ({ ...outcomeOf(runId), ...failure });
    ['committed', 'written', 'taken over'].forEach((runId) => writer.add(failed(runId)));
    await pass(0);
    expect(observer.onJournaled.mock.calls).toEqual([
      [{ outcome: outcomeOf('committed'), willRepeat: false }],
      [{ outcome: failed('written'), willRepeat: true }],
    ]);
    expect(observer.onRefused.mock.calls).toEqual([[failed('taken over')]]);
  });
});
