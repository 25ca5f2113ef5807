import { Injectable, Logger, Module, Scope } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { jest } from '@jest/globals';
import {
  every,
  type Execution,
  JobHandler,
  JobHandlerInvalidError,
  JobHandlerRegistry,
  RunInterceptor,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from '../engine/support/jobs.js';
import { fire, NEVER, untilOver } from '../engine/support/runs.js';
import { rejectionOf } from '../manager/support/still-store.js';

/** A node that looks at nothing by itself while a test lasts. */
const SLEEPY = { pollInterval: '24h', heartbeatInterval: '6h', abandonedAfter: '24h', stuckAfter: 0 };

describe('handlers that come after the start', () => {
  let database: TestDatabase;
  let node: StoreApp;
  const started = new Set<StoreApp>();

  beforeEach(async () => {
    database = await createTestDatabase();
    node = await start({ providers: [job('early', () => undefined)] });
  });

  afterEach(async () => {
    await Promise.all([...started].map((app) => app.close()));
    started.clear();
    await database.drop();
    jest.restoreAllMocks();
  });

  async function start(given: Omit<Parameters<typeof startStoreApp>[0], 'url'>): Promise<StoreApp> {
    const app = await startStoreApp({ ...given, url: database.url, store: { ...SLEEPY, ...given.store } });
    started.add(app);
    return app;
  }

  async function jobsOfNodes(): Promise<readonly string[]> {
    const rows = await database.query<{ job_names: string[] }>('select job_names from crn_node');
    return rows.flatMap((row) => row.job_names).toSorted();
  }

  function load(module: new () => object) {
    return node.app.get(LazyModuleLoader).load(() => module);
  }

  it('are found in a module that was loaded lazily, seeded, told to the other nodes, and executed', async () => {
    const executed: string[] = [];
    @Injectable()
    class Paper {
      readonly format = 'A4';
    }
    @JobHandler({ name: 'lazy', defaultSchedule: { name: 'lazily', trigger: every('1s') } })
    class Lazy implements JobHandler {
      constructor(private readonly paper: Paper) {}
      execute({ scheduleName }: Execution): void {
        executed.push(`${scheduleName} on ${this.paper.format}`);
      }
    }
    @JobHandler('scoped')
    @Injectable({ scope: Scope.REQUEST })
    class Scoped implements JobHandler {
      constructor(private readonly paper: Paper) {}
      execute(): void {
        executed.push(this.paper.format);
      }
    }
    @Module({ providers: [Lazy, Scoped, Paper] })
    class LazyModule {}
    await load(LazyModule);
    expect(await jobsOfNodes()).toEqual(['early']);

    expect((await node.engine.discoverHandlers()).toSorted()).toEqual(['lazy', 'scoped']);
    expect(await jobsOfNodes()).toEqual(['early', 'lazy', 'scoped']);
    expect(await node.manager.list()).toMatchObject([{ name: 'lazily', createdBy: 'system' }]);
    // The node sleeps for a day: it was woken up to see its first occurrence come.
    await untilOver(node, 'lazily');
    await node.manager.create({ name: 'asked', jobName: 'scoped', trigger: NEVER });
    expect(await fire(node, 'asked')).toMatchObject({ status: 'succeeded' });
    expect(executed).toEqual(expect.arrayContaining(['lazily on A4', 'A4']));
    expect(await node.engine.discoverHandlers()).toEqual([]);
  });

  it('are registered by code at any time, and what is due of theirs fires at once', async () => {
    const managing = await start({ store: { execute: false }, providers: [job('late', () => undefined)] });
    await managing.manager.create({ name: 'owed', jobName: 'late', trigger: NEVER });
    await managing.manager.triggerNow('owed');
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    const registry = node.app.get(JobHandlerRegistry);
    registry.register({
      name: 'late',
      execute: () => undefined,
      defaultSchedule: { name: 'own', trigger: NEVER },
    });

    expect(await untilOver(node, 'owed')).toMatchObject([{ status: 'succeeded' }]);
    await node.engine.discoverHandlers();
    expect(await jobsOfNodes()).toEqual(['early', 'late']);
    expect((await node.manager.list()).map(({ name }) => name)).toEqual(['owed', 'own']);
    expect(() => registry.register({ name: 'late', execute: () => undefined })).toThrow(
      JobHandlerInvalidError,
    );
  });

  it('say what is wrong with them: to whoever waits, else to the log', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    @JobHandler({ name: 'broken', defaultSchedule: { trigger: { kind: 'cron', expr: 'bad' } } })
    class Broken implements JobHandler {
      execute(): void {}
    }
    @Module({ providers: [Broken] })
    class BrokenModule {}
    await load(BrokenModule);
    expect(await rejectionOf(node.engine.discoverHandlers())).toMatchObject({
      message: expect.stringMatching(/default schedule of Broken \(BrokenModule\)/),
    });
    expect(logged).not.toHaveBeenCalled();

    node.app.get(JobHandlerRegistry).register({
      name: 'broken by code',
      execute: () => undefined,
      defaultSchedule: () => Promise.reject(new Error('no configuration')),
    });
    await untilTrue('it is logged', () => logged.mock.calls.length > 0);
    expect(logged.mock.calls[0]?.[0]).toMatch(
      /^What was registered late could not be taken up: .*no configuration/,
    );
    // Both can be executed all the same.
    expect(await jobsOfNodes()).toEqual(['broken', 'broken by code', 'early']);
  });

  it('are refused where their name is taken', async () => {
    @JobHandler('early')
    class Twin implements JobHandler {
      execute(): void {}
    }
    @Module({ providers: [Twin] })
    class TwinModule {}
    await load(TwinModule);

    expect(await rejectionOf(node.engine.discoverHandlers())).toBeInstanceOf(JobHandlerInvalidError);
    expect(await jobsOfNodes()).toEqual(['early']);
  });

  it('are surrounded by the interceptors of the start, and by none that comes with them', async () => {
    const surrounded: string[] = [];
    class Surrounding extends RunInterceptor {
      override async intercept({ jobName }: Execution, next: () => Promise<unknown>): Promise<unknown> {
        surrounded.push(`${this.constructor.name} ${jobName}`);
        return next();
      }
    }
    class Lazy extends Surrounding {}
    node = await start({ providers: [Surrounding] });
    @JobHandler('lazy')
    class LazyHandler implements JobHandler {
      execute(): void {}
    }
    @Module({ providers: [LazyHandler, Lazy] })
    class LazyModule {}
    await load(LazyModule);
    await node.engine.discoverHandlers();
    await node.manager.create({ name: 'asked', jobName: 'lazy', trigger: NEVER });
    await fire(node, 'asked');

    expect(surrounded).toEqual(['Surrounding lazy']);
  });

  it('are only noted by a process that manages, and by one that is disabled', async () => {
    const managing = await start({ store: { execute: false } });
    managing.app.get(JobHandlerRegistry).register({
      name: 'noted',
      execute: () => undefined,
      defaultSchedule: { trigger: NEVER },
    });
    await managing.engine.discoverHandlers();
    const disabled = await start({ store: { enabled: false } });
    disabled.app.get(JobHandlerRegistry).register({ name: 'noted', execute: () => undefined });
    await disabled.engine.discoverHandlers();

    expect(await managing.manager.listJobs()).toEqual(['early', 'noted']);
    expect(await jobsOfNodes()).toEqual(['early']);
    expect(await managing.manager.list()).toEqual([]);
  });
});
