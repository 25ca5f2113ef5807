import type { INestApplicationContext } from '@nestjs/common';
import { type CronStoreEngine, RunAnnouncer } from '../engine/index.js';
import type { JobHandlerRegistry } from '../jobs/index.js';
import type { ScheduleManager, TriggerOptions } from '../manager/index.js';
import type { ResolvedOptions } from '../options/index.js';
import { StoreDisabledError, type Duration, type Run } from '../schedules/index.js';
import type { Storage, StoreClock } from '../storage/index.js';
import { type StoreParts, storePartsOf } from '../store-parts.js';
import { getScheduleManagerToken } from '../store-tokens.js';
import { ManualStoreClock } from './manual-store-clock.js';
import { testDurationOf } from './test-duration.js';
import { until } from './until.js';

/** How long a test waits for runs. */
export interface WaitOptions {
  /** In real time. Default `'10s'`. */
  readonly timeout?: Duration | undefined;
}

const DEFAULT_TIMEOUT = '10s';
const PAGE_SIZE = 1_000;

/**
 * Drives the store of an application under test: fires, waits, lets time pass, lets nodes die. Everything happens as in
 * production, on the real database, by the application's own engine, which goes on working by itself meanwhile.
 *
 * Guaranteed of every run that is returned and that this application executed: its events, counts and log lines came
 * before. Listeners have been called; what they await may go on.
 */
export class CronStoreTester {
  /** The application's own. */
  readonly schedules: ScheduleManager;
  private readonly engine: CronStoreEngine;
  private readonly options: ResolvedOptions;
  private readonly jobs: JobHandlerRegistry;
  private readonly clock: StoreClock;
  private readonly announcer: RunAnnouncer;
  /** Runs that were over before the test, or that it was told of. */
  private readonly known = new Set<string>();

  private constructor(
    schedules: ScheduleManager,
    private readonly storage: Storage,
    { options, engine, registry, events, clock }: StoreParts,
  ) {
    this.schedules = schedules;
    this.engine = engine;
    this.options = options;
    this.jobs = registry;
    this.clock = clock;
    const nobodyCounts = { ended: () => undefined };
    this.announcer = new RunAnnouncer(events, '', nobodyCounts);
  }

  /**
   * @param app an initialized application or testing module that imports `CronStoreModule`.
   * @param store the name of the store. Default: the unnamed one.
   * @throws StoreDisabledError (2705) where the store is disabled; Error where the application has no such store.
   */
  static async on(app: INestApplicationContext, store?: string): Promise<CronStoreTester> {
    const parts = storePartsOf(app, store);
    if (parts.storage === undefined) {
      throw new StoreDisabledError();
    }
    const schedules = app.get<ScheduleManager>(getScheduleManagerToken(store), { strict: false });
    const tester = new CronStoreTester(schedules, parts.storage, parts);
    await tester.takeNews();
    return tester;
  }

  /**
   * Fires a schedule now, and waits until it is a run.
   *
   * @param params for this fire alone. Default: the schedule's.
   * @returns the run: `running` as a rule, or how it ended.
   * @throws what `ScheduleManager.triggerNow` throws; Error when the fire still waits at the timeout.
   */
  async start(name: string, params?: TriggerOptions['params'], options: WaitOptions = {}): Promise<Run> {
    return this.fire(name, params, options, () => true);
  }

  /**
   * Fires a schedule now, and waits until the run is over.
   *
   * @param params for this fire alone. Default: the schedule's.
   * @returns the run as the journal has it. A `failed` one may be tried again later, where its schedule says so.
   * @throws what `ScheduleManager.triggerNow` throws; Error when the run is not over at the timeout.
   */
  async fireAndWait(
    name: string,
    params?: TriggerOptions['params'],
    options: WaitOptions = {},
  ): Promise<Run> {
    return this.fire(name, params, options, isOver);
  }

  /**
   * Runs everything that is due to completion, and what becomes due by that.
   *
   * @returns every run that is over and was not returned before, in the order of their claims; `missed` and `skipped`
   *   ones too.
   * @throws Error when something is still running at the timeout.
   */
  async drain({ timeout = DEFAULT_TIMEOUT }: WaitOptions = {}): Promise<Run[]> {
    const isDone = async () => {
      const { started, journaled } = await this.engine.runOnce();
      return started + journaled === 0 && (await this.isIdle()) ? true : undefined;
    };
    await until(isDone, timeout, () => this.describeRest());
    const news = await this.takeNews();
    await this.untilTold(news, timeout);
    return news;
  }

  /**
   * Lets the store live through some time, from one due fire to the next, each of which fires on time and ends before the
   * next. For time in which nobody is there see `ManualStoreClock.advance`.
   *
   * @param duration in ms, or as in `'90s'`, `'36h'`, `'3d'`; a day is 24 hours.
   * @returns what `drain` would.
   * @throws Error when the store has no `ManualStoreClock`, or a run does not end in time.
   */
  async runFor(duration: Duration, options: WaitOptions = {}): Promise<Run[]> {
    const clock = this.manualClock();
    const endUnixMs = (await clock.now()).getTime() + testDurationOf(duration);
    const runs = await this.drain(options);
    for (let next = await this.nextUnixMs(); next < endUnixMs; next = await this.nextUnixMs()) {
      await clock.advanceTo(next);
      runs.push(...(await this.drain(options)));
    }
    await clock.advanceTo(endUnixMs);
    runs.push(...(await this.drain(options)));
    return runs;
  }

  /**
   * Lets the running runs of a schedule be found abandoned, as if the node that executes them had died: whatever their
   * handlers still do is not journaled, their signals abort, and where the schedule says `recover` they are fired again.
   *
   * @returns the abandoned runs.
   * @throws Error when no run of the schedule is running.
   */
  async crash(name: string): Promise<Run[]> {
    const runIds = await this.runningIds(name);
    if (runIds.length === 0) {
      throw new Error(`No run of ${JSON.stringify(name)} is running: start one whose handler waits.`);
    }
    const abandoned: Run[] = [];
    // A heartbeat in between revives them, but not every time.
    for (let left = runIds; left.length > 0; left = await this.runningIds(name, runIds)) {
      abandoned.push(...(await this.abandon(left)));
    }
    await this.untilNoticed();
    await this.untilTold([], DEFAULT_TIMEOUT);
    abandoned.forEach(({ id }) => this.known.add(id));
    return abandoned;
  }

  /** Waits until the node has found out, by a heartbeat, which runs are not its own any more. */
  private async untilNoticed(): Promise<void> {
    const { connections, wakeUp } = this.storage;
    await connections.transaction('manager', async ({ executor }) => wakeUp.send(executor, 'cancel'));
    const look = async () => {
      const running = await this.schedules.listRuns({ statuses: ['running'] });
      return this.engine.status().running <= running.length ? true : undefined;
    };
    await until(look, this.options.heartbeatInterval + testDurationOf(DEFAULT_TIMEOUT), () =>
      Promise.resolve('the node has not noticed that a run was taken over.'),
    );
  }

  private async fire(
    name: string,
    params: TriggerOptions['params'],
    { timeout = DEFAULT_TIMEOUT }: WaitOptions,
    isWanted: (run: Run) => boolean,
  ): Promise<Run> {
    const { requestId } = await this.schedules.triggerNow(name, { params });
    const look = async () => {
      await this.engine.runOnce();
      const runs = await this.schedules.listRuns({ scheduleName: name, limit: PAGE_SIZE });
      return runs.find((each) => each.idempotencyKey === requestId && each.attempt === 1 && isWanted(each));
    };
    const run = await until(look, timeout, () => this.describeRest());
    if (isOver(run)) {
      this.known.add(run.id);
    }
    await this.untilTold([run], timeout);
    return run;
  }

  /** The journal is ahead of the node: what that did is told when the database has answered. */
  private async untilTold(runs: readonly Run[], timeout: Duration): Promise<void> {
    const runIds = new Set(runs.filter(isOver).map(({ id }) => id));
    const look = async () => ((await this.engine.tellOf(runIds)) ? true : undefined);
    await until(look, timeout, () => Promise.resolve('the node had not told how its runs ended.'));
  }

  private manualClock(): ManualStoreClock {
    const { clock } = this;
    if (!(clock instanceof ManualStoreClock)) {
      throw new Error(
        'The store goes by real time: provide another by .overrideProvider(StoreClock).useValue(new ManualStoreClock()).',
      );
    }
    return clock;
  }

  private async abandon(runIds: readonly string[]): Promise<Run[]> {
    const { connections, staleRuns, schema } = this.storage;
    const { abandonedAfter: abandonedAfterMs, maxRecoveries } = this.options;
    await connections.query(
      'manager',
      `update ${schema.run} set heartbeat_at_unix_ms = 0 where id = any($1::uuid[]) and status = 'running'`,
      [runIds],
    );
    const takenOver = await staleRuns.sweep({ abandonedAfterMs, maxRecoveries, mayTakeOver: () => true });
    takenOver.forEach((run) => this.announcer.takenOver(run));
    return takenOver.map(({ run }) => run);
  }

  private async runningIds(name: string, among?: readonly string[]): Promise<string[]> {
    const runs = await this.schedules.listRuns({ scheduleName: name, statuses: ['running'] });
    return runs.map(({ id }) => id).filter((id) => among === undefined || among.includes(id));
  }

  private async describeRest(): Promise<string> {
    const running = await this.schedules.listRuns({ statuses: ['running'] });
    const names = [...new Set(running.map(({ scheduleName }) => JSON.stringify(scheduleName)))];
    return names.length === 0
      ? 'something that is due is still not claimed: is it held, or does its policy let it wait?'
      : `runs of ${names.join(', ')} are still running: do their handlers wait for the test?`;
  }

  private async isIdle(): Promise<boolean> {
    const running = await this.schedules.listRuns({ statuses: ['running'], limit: 1 });
    const { nowUnixMs } = await this.agenda();
    return running.length === 0 && (await this.nextUnixMs()) > nowUnixMs;
  }

  /** When the next fire is due, or the next pause ends; infinite where none is. */
  private async nextUnixMs(): Promise<number> {
    const { nextDueAtUnixMs = Infinity, nextResumeAtUnixMs = Infinity } = await this.agenda();
    return Math.min(nextDueAtUnixMs, nextResumeAtUnixMs);
  }

  private agenda() {
    return this.storage.agenda.read(this.jobs.names(), this.options.misfireThreshold);
  }

  /** The runs that are over and not known yet, which they are from then on. */
  private async takeNews(): Promise<Run[]> {
    const news: Run[] = [];
    let page: Run[] = [];
    do {
      page = await this.schedules.listRuns({ limit: PAGE_SIZE, cursor: page.at(-1)?.id });
      news.push(...page.filter((run) => isOver(run) && !this.known.has(run.id)));
    } while (page.length === PAGE_SIZE);
    news.forEach(({ id }) => this.known.add(id));
    return news.toReversed();
  }
}

function isOver({ status }: Run): boolean {
  return status !== 'running';
}
