import { type Channel, channel } from 'node:diagnostics_channel';
// Imported, not global, so that a test's fake timers do not hold events back.
import { setImmediate } from 'node:timers';
import { Inject, Injectable, Optional, type OnModuleInit } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { STORE_NAME } from '../store-name.js';
import { messageOf } from '../error-reading.js';
import { codeFacts, StoreLogger } from '../store-logger.js';
import { RUN_EVENT_CLASSES, type RunEvent, type RunEventName, type RunEvents } from './run-events.js';
import { runFacts, type ToldRun } from './run-facts.js';

/** Logged once at start-up where events have no bus. Exported for tests. */
export const NO_EVENT_BUS_MESSAGE =
  'Run events go to diagnostics_channel only; import EventEmitterModule.forRoot() of @nestjs/event-emitter to receive them with @OnEvent() as well.';

/**
 * Held for good: Node forgets a channel that nobody holds, and when it notices so a moment late, it forgets with it one of
 * the same name that was made meanwhile, and whoever has subscribed to that.
 */
const CHANNELS: ReadonlyMap<string, Channel> = new Map(
  Object.keys(RUN_EVENT_CLASSES).map((name) => [name, channel(name)]),
);

interface PendingEvent {
  readonly name: RunEventName;
  readonly payload: RunEvents[RunEventName];
}

/**
 * Publishes what happens to runs, on the event bus of `@nestjs/event-emitter` and on the `diagnostics_channel` channels
 * of the same names.
 *
 * Guaranteed: publishing returns at once and never throws; events arrive in the order in which they were published;
 * what a listener throws or rejects with is logged and goes no further. Not guaranteed: delivery, which ends with the
 * process. The journal is the truth.
 *
 * A subscriber of `diagnostics_channel` that throws does not reach the publisher either, but Node raises it as an
 * uncaught exception of the process.
 */
@Injectable()
export class RunEventPublisher implements OnModuleInit {
  private readonly logger = new StoreLogger();
  private readonly listening = new Set<Promise<void>>();
  private pending: PendingEvent[] = [];

  constructor(
    @Inject(STORE_NAME) private readonly store: string,
    @Optional() @Inject(EventEmitter2) private readonly bus?: EventEmitter2,
  ) {}

  onModuleInit(): void {
    if (this.bus === undefined) {
      this.logger.log(NO_EVENT_BUS_MESSAGE);
    }
  }

  /**
   * Queues an event for the next turn of the event loop, so that no listener runs inside the caller's work. Call it
   * after the commit of what it tells.
   *
   * @param run its journal record, of which the payload says what every event does.
   * @param more what this event says beyond that; whatever else it carries is left out.
   */
  publish<Name extends RunEventName>(
    name: Name,
    run: ToldRun,
    more: Omit<RunEvents[Name], keyof RunEvent>,
  ): void {
    if (!this.isHeard(name)) {
      return;
    }
    const complete = { ...more, store: this.store, ...runFacts(run) } as RunEvents[Name];
    this.pending.push({ name, payload: new RUN_EVENT_CLASSES[name](complete) });
    if (this.pending.length === 1) {
      setImmediate(() => this.emitPending());
    }
  }

  /**
   * Emits what is queued now, and waits until the listeners have settled that were called so far. For shutdown; bound
   * it by a deadline, since a listener may never settle. Never rejects.
   */
  async flush(): Promise<void> {
    this.emitPending();
    await Promise.all(this.listening);
  }

  /** Emits what is queued now, so that every listener has been called; what they await goes on. */
  emitPending(): void {
    const events = this.pending;
    this.pending = [];
    for (const event of events) {
      CHANNELS.get(event.name)?.publish(event.payload);
      this.emit(event);
    }
  }

  private emit(event: PendingEvent): void {
    const settled = this.callListeners(event).finally(() => this.listening.delete(settled));
    this.listening.add(settled);
  }

  /** Whether anybody listens now: in most applications most events are for nobody, and there is one for every run. */
  private isHeard(name: RunEventName): boolean {
    return (
      CHANNELS.get(name)?.hasSubscribers === true ||
      (this.bus !== undefined && (Boolean(this.bus.hasListeners(name)) || this.bus.listenersAny().length > 0))
    );
  }

  /** `emitAsync`, because `emit` would leave a rejecting listener to the process as an unhandled rejection. */
  private async callListeners({ name, payload }: PendingEvent): Promise<void> {
    try {
      await this.bus?.emitAsync(name, payload);
    } catch (error) {
      this.logger.error(
        `A listener of ${name} failed for the run ${payload.runId}: ${messageOf(error)}`,
        {
          runId: payload.runId,
          scheduleName: payload.scheduleName,
          jobName: payload.jobName,
          ...codeFacts(error),
        },
        error,
      );
    }
  }
}
