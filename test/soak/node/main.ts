// One node of a soak: a small Nest application with the store, in a process of its own.
import 'reflect-metadata';
import { ConsoleLogger, type OnModuleInit } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import {
  CronStoreEngine,
  CronStoreError,
  CronStoreModule,
  type Execution,
  JobHandlerRegistry,
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_SUCCEEDED_EVENT,
  ScheduleManager,
} from '../../../lib/index.js';
import { StoreClock } from '../../../lib/storage/index.js';
import { ClusterClock } from '../../cluster/node/cluster-clock.js';
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

const END_EVENTS = [
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_SUCCEEDED_EVENT,
] as const;

const program = JSON.parse(process.env[PROGRAM_VARIABLE] ?? '') as NodeProgram;
const recorder = new NodeRecorder(program.recordFile);
const jobs = new Jobs(recorder);
if (program.isSettling) {
  jobs.settle();
}

/** Registers the program's jobs. */
class JobRegistrations implements OnModuleInit {
  constructor(private readonly registry: JobHandlerRegistry) {}

  onModuleInit(): void {
    for (const name of program.jobs) {
      const execute = (execution: Execution) => jobs.execute(name, execution);
      this.registry.register(
        name === 'transactional' ? { name, transactional: true, execute } : { name, execute },
      );
    }
  }
}

// A node whose soak has ended must not outlive it.
process.on('disconnect', () => process.exit());

const module = await Test.createTestingModule({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url: program.databaseUrl, applicationName: program.name }),
    EventEmitterModule.forRoot(),
    CronStoreModule.forRoot(program.store),
  ],
  providers: [
    {
      provide: JobRegistrations,
      useFactory: (registry: JobHandlerRegistry) => new JobRegistrations(registry),
      inject: [JobHandlerRegistry],
    },
  ],
})
  .overrideProvider(StoreClock)
  .useClass(ClusterClock)
  .setLogger(new ConsoleLogger({ colors: false }))
  .compile();
for (const name of END_EVENTS) {
  module.get(EventEmitter2).on(name, ({ runId }: EndEvent) => recorder.event(name, runId));
}
const app = await module.enableShutdownHooks().init();
// TypeORM listens to a connection of the application's pool only a moment after it was handed out. One that the server
// ends in that very moment would end the process, with or without the store.
const { master } = app.get(DataSource).driver as unknown as { readonly master: Pool };
master.on('connect', (client) => client.on('error', () => undefined));
const engine = app.get(CronStoreEngine);
const manager = app.get(ScheduleManager);
recorder.nodeId = engine.status().nodeId ?? '';

const actions: NodeActions = {
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
  status: () => engine.status(),
  sample,
  settle: () => jobs.settle(),
};

process.on('message', (request: ActionRequest) => void act(request));
send({ kind: 'started' });

async function act({ id, action, args }: ActionRequest): Promise<void> {
  try {
    const perform = actions[action] as (...given: readonly unknown[]) => unknown;
    send({ kind: 'answered', id, result: await perform(...args) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ kind: 'refused', id, message, code: error instanceof CronStoreError ? error.code : undefined });
  }
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
