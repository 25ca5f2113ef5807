import 'reflect-metadata';
import type { INestApplicationContext, Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  cron,
  CronStoreModule,
  every,
  JobHandlerRegistry,
  ScheduleManager,
  type CronStoreOptions,
  type Execution,
} from 'nestjs-cron-store';
import type { Contestant, Fires, NodeContext, RunningNode } from '../harness/contestant.js';
import type { Database } from '../harness/database.js';
import { Recorder } from '../harness/recorder.js';

const JOB = 'bench';

/** Schedules that those of a measurement are copies of, so that they are what the manager stores. */
const TEMPLATES = { day: 'daily', second: 'every second' };

/** The store as a node that is to execute much would have it. */
export const tuned = cronStore({ batchSize: 256, maxConcurrent: 1_024 });

/** The store as it comes. */
export const defaults = cronStore({});

function cronStore(options: CronStoreOptions): Contestant {
  return {
    hasUnfinishedSql: `select exists (select from crn_run where status = 'running')`,
    prepare,
    store: storeSchedules,
    start: (context) => startNode(context, { ...options, ...context.settings }),
  };
}

async function prepare(url: string): Promise<void> {
  const app = await startApplication(url, { autoMigrate: true }, new Recorder());
  const manager = app.get(ScheduleManager);
  const common = { jobName: JOB, enabled: false };
  await manager.create({ ...common, name: TEMPLATES.day, trigger: cron('0 0 0 * * *') });
  await manager.create({ ...common, name: TEMPLATES.second, trigger: every('1s') });
  await app.close();
}

/** Copies a template, with all that it has but what tells schedules apart. */
export async function storeSchedules(
  database: Database,
  { count, firstAtUnixMs, spreadMs = 0, every: period = 'day' }: Fires,
): Promise<void> {
  const due = `($1::bigint + (i * $2::float8 / $3::float8)::bigint)`;
  const own: Readonly<Record<string, string>> = {
    id: 'gen_random_uuid()',
    name: `'bench ' || $1 || ' ' || i`,
    expr: `case when t.expr is not null then
      to_char(to_timestamp(${due} / 1000.0) at time zone 'UTC', 'FMSS FMMI FMHH24 * * *') end`,
    anchor_at_unix_ms: due,
    next_fire_at_unix_ms: due,
    accounted_until_unix_ms: `${due} - 1`,
    is_enabled: 'true',
    paused_at_unix_ms: 'null',
    paused_by: 'null',
  };
  const columns = await database.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = 'crn_schedule'`,
  );
  const names = columns.map(({ name }) => name);
  await database.query(
    `with stored as (
       insert into crn_schedule (${names.join(', ')})
       select ${names.map((name) => own[name] ?? `t.${name}`).join(', ')}
       from crn_schedule t cross join generate_series(0, $3::int - 1) as i where t.name = $4
       returning name, id
     )
     insert into crn_schedule_name (name, schedule_id) select name, id from stored`,
    [firstAtUnixMs, spreadMs, count, TEMPLATES[period]],
  );
}

async function startNode({ url, recorder }: NodeContext, options: CronStoreOptions): Promise<RunningNode> {
  const app = await startApplication(url, options, recorder);
  return { stop: () => app.close() };
}

async function startApplication(
  url: string,
  options: CronStoreOptions,
  recorder: Recorder,
): Promise<INestApplicationContext> {
  const app = await NestFactory.createApplicationContext(
    {
      module: class BenchModule {},
      imports: [
        TypeOrmModule.forRoot({ type: 'postgres', url }),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot(options),
      ],
      providers: [handler(recorder)],
    },
    { logger: ['error'] },
  );
  return app;
}

function handler(recorder: Recorder): Provider {
  return {
    provide: 'handler',
    inject: [JobHandlerRegistry],
    useFactory: (registry: JobHandlerRegistry) =>
      registry.register({
        name: JOB,
        execute: ({ scheduledAtUnixMs }: Execution) => recorder.started(scheduledAtUnixMs),
      }),
  };
}
