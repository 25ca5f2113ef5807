import { ConsoleLogger, type OnModuleInit, type Provider } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type * as library from '../../../lib/index.js';
import type { Execution, JobHandlerRegistry } from '../../../lib/index.js';
import type { StoreClock } from '../../../lib/storage/index.js';
import { Jobs } from './jobs.js';
import { NodeRecorder } from './node-recorder.js';
import {
  type ActionRequest,
  type EndEvent,
  type NodeActions,
  type NodeMessage,
  type NodeProgram,
  PROGRAM_VARIABLE,
  type Sample,
} from './protocol.js';

/** The store that a node runs: its sources, or the package of some version. */
export type Store = Pick<
  typeof library,
  | 'CronStoreEngine'
  | 'CronStoreError'
  | 'CronStoreModule'
  | 'JobHandlerRegistry'
  | 'RUN_ABANDONED_EVENT'
  | 'RUN_CANCELED_EVENT'
  | 'RUN_FAILED_EVENT'
  | 'RUN_MISSED_EVENT'
  | 'RUN_SKIPPED_EVENT'
  | 'RUN_SUCCEEDED_EVENT'
  | 'ScheduleManager'
> & { readonly StoreClock: typeof StoreClock };

/** Starts the node that the environment describes: a small Nest application with the store, which does as it is told. */
export async function startNode(store: Store): Promise<void> {
  const program = JSON.parse(process.env[PROGRAM_VARIABLE] ?? '') as NodeProgram;
  const recorder = new NodeRecorder(program.recordFile);
  const jobs = new Jobs(recorder);
  if (program.isSettling) {
    jobs.settle();
  }
  // A node whose test has ended must not outlive it.
  process.on('disconnect', () => process.exit());

  const module = await compile(store, program, jobs);
  for (const name of endEventsOf(store)) {
    module.get(EventEmitter2).on(name, ({ runId }: EndEvent) => recorder.event(name, runId));
  }
  const app = await module.enableShutdownHooks().init();
  guardPool(app);
  const engine = app.get(store.CronStoreEngine);
  recorder.nodeId = engine.status().nodeId ?? '';
  answer(store, {
    ...actionsOf(app.get(store.ScheduleManager)),
    status: () => engine.status(),
    sample,
    settle: () => jobs.settle(),
  });
}

async function compile(store: Store, program: NodeProgram, jobs: Jobs): Promise<TestingModule> {
  return Test.createTestingModule({
    imports: [
      TypeOrmModule.forRoot({ type: 'postgres', url: program.databaseUrl, applicationName: program.name }),
      EventEmitterModule.forRoot(),
      store.CronStoreModule.forRoot(program.store),
    ],
    providers: [registrationsOf(store, program, jobs)],
  })
    .overrideProvider(store.StoreClock)
    .useClass(clockOf(store))
    .setLogger(new ConsoleLogger({ json: true, colors: false }))
    .compile();
}

/** Registers the program's jobs. */
class JobRegistrations implements OnModuleInit {
  constructor(
    private readonly registry: JobHandlerRegistry,
    private readonly program: NodeProgram,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    for (const name of this.program.jobs) {
      const execute = (execution: Execution) => this.jobs.execute(name, execution);
      const defaultSchedule = this.program.defaultSchedules?.[name];
      const common = { name, execute, ...(defaultSchedule === undefined ? {} : { defaultSchedule }) };
      this.registry.register(name === 'transactional' ? { ...common, transactional: true } : common);
    }
  }
}

function registrationsOf(store: Store, program: NodeProgram, jobs: Jobs): Provider {
  return {
    provide: JobRegistrations,
    useFactory: (registry: JobHandlerRegistry) => new JobRegistrations(registry, program, jobs),
    inject: [store.JobHandlerRegistry],
  };
}

/** The store's time as the test's database tells it: the server's clock, moved by what the test says. */
function clockOf({ StoreClock }: Store): new () => StoreClock {
  return class extends StoreClock {
    readonly nowSql = 'public.cluster_now()';
  };
}

function endEventsOf(store: Store): readonly string[] {
  return [
    store.RUN_ABANDONED_EVENT,
    store.RUN_CANCELED_EVENT,
    store.RUN_FAILED_EVENT,
    store.RUN_MISSED_EVENT,
    store.RUN_SKIPPED_EVENT,
    store.RUN_SUCCEEDED_EVENT,
  ];
}

/**
 * TypeORM listens to a connection of the application's pool only a moment after it was handed out. One that the server
 * ends in that very moment would end the process, with or without the store.
 */
function guardPool(app: TestingModule): void {
  const { master } = app.get(DataSource).driver as unknown as { readonly master: Pool };
  master.on('connect', (client) => client.on('error', () => undefined));
}

function actionsOf(manager: library.ScheduleManager): Omit<NodeActions, 'sample' | 'settle' | 'status'> {
  return {
    backfill: (...args) => manager.backfill(...args),
    cancelRun: (...args) => manager.cancelRun(...args),
    cancelRunsOf: (...args) => manager.cancelRunsOf(...args),
    create: (...args) => manager.create(...args),
    delete: (...args) => manager.delete(...args),
    hold: (...args) => manager.hold(...args),
    patch: (...args) => manager.patch(...args),
    pause: (...args) => manager.pause(...args),
    release: (...args) => manager.release(...args),
    rerun: (...args) => manager.rerun(...args),
    resume: (...args) => manager.resume(...args),
    triggerNow: (...args) => manager.triggerNow(...args),
    update: (...args) => manager.update(...args),
  };
}

/** Does what it is asked for, from now on, and says that it is ready. */
function answer({ CronStoreError }: Store, actions: NodeActions): void {
  const act = async ({ id, action, args }: ActionRequest): Promise<void> => {
    try {
      const perform = actions[action] as (...given: readonly unknown[]) => unknown;
      send({ kind: 'answered', id, result: await perform(...args) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      send({ kind: 'refused', id, message, code: error instanceof CronStoreError ? error.code : undefined });
    }
  };
  process.on('message', (request: ActionRequest) => void act(request));
  send({ kind: 'started' });
}

function sample(): Sample {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    resources[kind] = (resources[kind] ?? 0) + 1;
  }
  return { rssBytes: rss, heapBytes: heapUsed, resources };
}

function send(message: NodeMessage): void {
  if (process.connected) {
    process.send?.(message);
  }
}
