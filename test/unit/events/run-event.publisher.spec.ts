import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Injectable, Logger, type ModuleMetadata } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { jest } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  RunEventPublisher,
  RunFailedEvent,
  type RunEvent,
  type RunEventName,
  type RunEvents,
} from '../../../lib/events/index.js';
import { NO_EVENT_BUS_MESSAGE } from '../../../lib/events/run-event.publisher.js';
import { STORE_NAME } from '../../../lib/store-name.js';

/** What a run and its events call alike. */
const SAME = {
  scheduleId: 'schedule-1',
  scheduleName: 'nightly',
  jobName: 'daily-report',
  origin: 'schedule' as const,
  attempt: 1,
  scheduledAtUnixMs: 1_767_232_800_000,
};

const RUN = { id: 'run-1', ...SAME };

const FACTS = { store: 'default', runId: 'run-1', ...SAME };

const EVENTS = {
  [RUN_STARTED_EVENT]: { ...FACTS, nodeId: 'node-1' },
  [RUN_SUCCEEDED_EVENT]: { ...FACTS, nodeId: 'node-1', durationMs: 12 },
  [RUN_FAILED_EVENT]: { ...FACTS, nodeId: 'node-1', error: 'broken', willRetry: false },
  [RUN_MISSED_EVENT]: { ...FACTS, missedCount: 3 },
  [RUN_SKIPPED_EVENT]: { ...FACTS },
  [RUN_CANCELED_EVENT]: { ...FACTS, nodeId: 'node-1', willRecover: true },
  [RUN_ABANDONED_EVENT]: { ...FACTS, nodeId: 'node-1', willRecover: false },
} satisfies RunEvents;

const NAMES = [
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_ABANDONED_EVENT,
] as const satisfies readonly RunEventName[];

const FAILURE = EVENTS[RUN_FAILED_EVENT];

let app: TestingModule;

async function start(metadata: ModuleMetadata): Promise<RunEventPublisher> {
  app = await Test.createTestingModule({
    ...metadata,
    providers: [
      RunEventPublisher,
      { provide: STORE_NAME, useValue: 'default' },
      ...(metadata.providers ?? []),
    ],
  }).compile();
  await app.init();
  return app.get(RunEventPublisher);
}

const WITH_BUS: ModuleMetadata = { imports: [EventEmitterModule.forRoot()] };

afterEach(async () => {
  await app.close();
  jest.restoreAllMocks();
});

/** Gathers what arrives on the channels of every event while `during` runs. */
async function onChannels(during: () => Promise<void>): Promise<readonly (readonly [string, unknown])[]> {
  const received: (readonly [string, unknown])[] = [];
  const listener = (message: unknown, name: string | symbol): void => {
    received.push([String(name), message]);
  };
  NAMES.forEach((name) => subscribe(name, listener));
  try {
    await during();
  } finally {
    NAMES.forEach((name) => unsubscribe(name, listener));
  }
  return received;
}

describe('RunEventPublisher', () => {
  it('is heard by who subscribes after events that nobody heard, whatever the garbage collector does', async () => {
    const publisher = await start({});
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    publisher.publish(RUN_FAILED_EVENT, RUN, FAILURE);
    await publisher.flush();
    await endOfTurn();
    collectGarbage();
    const received = await onChannels(async () => {
      // What was collected is cleared up after some turns.
      for (let turn = 0; turn < 10; turn += 1) {
        await endOfTurn();
      }
      publisher.publish(RUN_FAILED_EVENT, RUN, FAILURE);
      await publisher.flush();
    });
    expect(received).toEqual([[RUN_FAILED_EVENT, expect.objectContaining(FAILURE)]]);
  });

  it.each(NAMES)('publishes %s to listeners and to the channel of that name, alike', async (name) => {
    const publisher = await start(WITH_BUS);
    const payloads: unknown[] = [];
    app.get(EventEmitter2).on(name, (payload: unknown) => payloads.push(payload));
    const received = await onChannels(() => {
      publisher.publish(name, RUN, EVENTS[name]);
      return publisher.flush();
    });
    expect(payloads).toEqual([EVENTS[name]]);
    expect(received).toEqual([[name, payloads[0]]]);
    expect(Object.isFrozen(payloads[0])).toBe(true);
  });

  it('reaches @OnEvent listeners with an instance of the class', async () => {
    @Injectable()
    class Alerts {
      readonly events: RunFailedEvent[] = [];
      @OnEvent(RUN_FAILED_EVENT)
      onFailed(event: RunFailedEvent): void {
        this.events.push(event);
      }
    }
    const publisher = await start({ ...WITH_BUS, providers: [Alerts] });
    publisher.publish(RUN_FAILED_EVENT, RUN, FAILURE);
    await publisher.flush();
    expect(app.get(Alerts).events).toEqual([FAILURE]);
    expect(app.get(Alerts).events[0]).toBeInstanceOf(RunFailedEvent);
  });

  it('leaves out what is not part of the event', async () => {
    const publisher = await start(WITH_BUS);
    const listener = jest.fn();
    app.get(EventEmitter2).on(RUN_FAILED_EVENT, listener);
    const secret = { params: { password: 'x' }, status: 'failed' };
    publisher.publish(RUN_FAILED_EVENT, { ...RUN, ...secret }, { ...FAILURE, ...secret });
    await publisher.flush();
    expect(JSON.parse(JSON.stringify(listener.mock.calls[0]?.[0]))).toEqual(FAILURE);
  });

  it('runs no listener inside the caller, and needs no flush', async () => {
    const publisher = await start(WITH_BUS);
    let called = false;
    const arrival = new Promise<void>((resolve) => {
      app.get(EventEmitter2).on(RUN_FAILED_EVENT, () => {
        called = true;
        resolve();
      });
    });
    publisher.publish(RUN_FAILED_EVENT, RUN, FAILURE);
    expect(called).toBe(false);
    await arrival;
  });

  it('keeps the order, also of what is published while others are emitted', async () => {
    const publisher = await start(WITH_BUS);
    const bus = app.get(EventEmitter2);
    const seen: string[] = [];
    const last = new Promise<void>((resolve) => {
      bus.onAny((name, event: RunEvent) => {
        seen.push(`${String(name)} ${event.runId}`);
        if (event.runId === 'run-2') {
          resolve();
        }
      });
    });
    bus.once(RUN_STARTED_EVENT, () => publisher.publish(RUN_FAILED_EVENT, { ...RUN, id: 'run-2' }, FAILURE));
    publisher.publish(RUN_STARTED_EVENT, RUN, EVENTS[RUN_STARTED_EVENT]);
    publisher.publish(RUN_FAILED_EVENT, RUN, FAILURE);
    await last;
    expect(seen).toEqual(['cron.run.started run-1', 'cron.run.failed run-1', 'cron.run.failed run-2']);
  });

  it('logs a listener that throws or rejects, and goes on', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const publisher = await start(WITH_BUS);
    const bus = app.get(EventEmitter2);
    bus.on(RUN_STARTED_EVENT, () => {
      throw new Error('thrown');
    });
    bus.on(RUN_FAILED_EVENT, (): unknown => Promise.reject(new Error('rejected')));
    const listener = jest.fn();
    bus.on(RUN_SUCCEEDED_EVENT, listener);
    for (const name of [RUN_STARTED_EVENT, RUN_FAILED_EVENT, RUN_SUCCEEDED_EVENT] as const) {
      publisher.publish(name, RUN, EVENTS[name]);
    }
    await publisher.flush();
    expect(listener).toHaveBeenCalledTimes(1);
    expect(logged.mock.calls.map(([message]) => message)).toEqual([
      'A listener of cron.run.started failed for the run run-1: thrown',
      'A listener of cron.run.failed failed for the run run-1: rejected',
    ]);
  });

  it('waits in flush for the listeners that were called', async () => {
    const publisher = await start(WITH_BUS);
    const bus = app.get(EventEmitter2);
    const listening = bus.waitFor('finish');
    app.get(EventEmitter2).on(RUN_FAILED_EVENT, (): unknown => listening);
    publisher.publish(RUN_FAILED_EVENT, RUN, FAILURE);
    const settled = jest.fn();
    const flush = publisher.flush().finally(settled);
    await new Promise(setImmediate);
    expect(settled).not.toHaveBeenCalled();
    bus.emit('finish');
    await flush;
  });

  it('publishes to the channels alone where there is no event bus, and says so once', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    const publisher = await start({});
    const received = await onChannels(() => {
      publisher.publish(RUN_FAILED_EVENT, RUN, FAILURE);
      publisher.publish(RUN_FAILED_EVENT, RUN, FAILURE);
      return publisher.flush();
    });
    expect(received).toHaveLength(2);
    expect(log.mock.calls.filter(([message]) => message === NO_EVENT_BUS_MESSAGE)).toHaveLength(1);
  });

  it('says nothing about the event bus where there is one', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    await start(WITH_BUS);
    expect(log.mock.calls.filter(([message]) => message === NO_EVENT_BUS_MESSAGE)).toEqual([]);
  });
});
