// One node of a test's cluster: a small Nest application with the store, in a process of its own.
import 'reflect-metadata';
import { ConsoleLogger, type OnModuleInit, type Provider } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  CronStoreEngine,
  CronStoreError,
  CronStoreModule,
  type Execution,
  JobHandlerRegistry,
  type RunEvent,
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SUCCEEDED_EVENT,
  ScheduleManager,
} from '../../../lib/index.js';
import { StoreClock } from '../../../lib/storage/index.js';
import { ClusterClock } from './cluster-clock.js';
import { dieAfterFirstClaim } from './death-after-claim.js';
import { dieBeforeCommit } from './death-before-commit.js';
import { executeJob } from './job.js';
import {
  type ActionRequest,
  type NodeActions,
  type NodeMessage,
  type NodeProgram,
  PROGRAM_VARIABLE,
} from './protocol.js';
import { Recorder } from './recorder.js';
import { executeTransactionalJob } from './transactional-job.js';

const RECORDED_EVENTS = [
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SUCCEEDED_EVENT,
] as const;

const program = JSON.parse(process.env[PROGRAM_VARIABLE] ?? '') as NodeProgram;
const recorder = new Recorder(program.name, program.recordUrl);

/** Registers the program's jobs. */
class Jobs implements OnModuleInit {
  constructor(private readonly registry: JobHandlerRegistry) {}

  onModuleInit(): void {
    for (const [name, { behaviour, transactional = false, defaultSchedule }] of Object.entries(
      program.jobs,
    )) {
      const common = { name, ...(defaultSchedule === undefined ? {} : { defaultSchedule }) };
      this.registry.register(
        transactional
          ? {
              ...common,
              transactional,
              execute: (execution) => executeTransactionalJob(behaviour, execution, recorder),
            }
          : { ...common, execute: (execution: Execution) => executeJob(behaviour, execution, recorder) },
      );
    }
  }
}

const jobs: Provider = {
  provide: Jobs,
  useFactory: (registry: JobHandlerRegistry) => new Jobs(registry),
  inject: [JobHandlerRegistry],
};

if (program.diesAfterClaim) {
  dieAfterFirstClaim();
}
if (program.diesBeforeCommit) {
  dieBeforeCommit();
}
// A node whose test has ended must not outlive it.
process.on('disconnect', () => process.exit());

const module = await Test.createTestingModule({
  imports: [
    TypeOrmModule.forRoot({
      ...program.dataSource,
      type: 'postgres',
      url: program.databaseUrl,
      applicationName: program.name,
    }),
    EventEmitterModule.forRoot(),
    CronStoreModule.forRoot(program.store),
  ],
  providers: [jobs, { provide: Recorder, useValue: recorder }],
})
  .overrideProvider(StoreClock)
  .useClass(ClusterClock)
  .setLogger(new ConsoleLogger({ colors: false }))
  .compile();
for (const name of RECORDED_EVENTS) {
  module.get(EventEmitter2).on(name, (event: RunEvent) => void recorder.event(name, event));
}
const app = await module.enableShutdownHooks().init();
const engine = app.get(CronStoreEngine);
const manager = app.get(ScheduleManager);

const actions: NodeActions = {
  create: (...args) => manager.create(...args),
  update: (...args) => manager.update(...args),
  patch: (...args) => manager.patch(...args),
  delete: (...args) => manager.delete(...args),
  pause: (...args) => manager.pause(...args),
  resume: (...args) => manager.resume(...args),
  triggerNow: (...args) => manager.triggerNow(...args),
  get: (...args) => manager.get(...args),
  list: (...args) => manager.list(...args),
  listRuns: (...args) => manager.listRuns(...args),
  status: () => engine.status(),
};

process.on('message', (request: ActionRequest) => void act(request));
send({ kind: 'started', nodeId: engine.status().nodeId ?? '' });

async function act({ id, action, args }: ActionRequest): Promise<void> {
  try {
    const perform = actions[action] as (...given: readonly unknown[]) => unknown;
    send({ kind: 'answered', id, result: await perform(...args) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ kind: 'refused', id, message, code: error instanceof CronStoreError ? error.code : undefined });
  }
}

function send(message: NodeMessage): void {
  process.send?.(message);
}
