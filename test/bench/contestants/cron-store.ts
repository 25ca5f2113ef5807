import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import type { CanActivate, ExecutionContext, INestApplication, Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  cron,
  CronStoreModule,
  every,
  JobHandlerRegistry,
  once,
  ScheduleManager,
  type CronStoreOptions,
  type Execution,
} from 'nestjs-cron-store';
import { insertedColumns } from '../harness/columns.js';
import type { Contestant, Fires, RunningNode } from '../harness/contestant.js';
import type { Database } from '../harness/database.js';
import { Recorder } from '../harness/recorder.js';

const JOB = 'bench';

/** Schedules that those of a measurement are copies of, so that they are what the manager stores. */
const TEMPLATES = { day: 'daily', second: 'every second' };

/** The store as a node that is to execute much would have it. */
export const tuned = cronStore({ batchSize: 512, maxConcurrent: 2_048 });

/** The store as it comes. */
export const defaults = cronStore({});

/** What a row can set of a node, beside the options of the store. */
interface NodeSettings extends CronStoreOptions {
  /** How long a handler takes. Default: it returns at once. */
  readonly handlerMs?: number;
}

function cronStore(options: CronStoreOptions): Contestant {
  return {
    hasUnfinishedSql: `select exists (select from crn_run where status = 'running')`,
    prepare,
    store: storeSchedules,
    start: ({ url, recorder, settings }) => startNode(url, { ...options, ...settings }, recorder),
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
  const names = await insertedColumns(database, 'crn_schedule');
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

/**
 * Makes schedules due at once that `storeSchedules` has stored with the same first fire. A node that is running notices
 * when it looks next.
 */
export async function makeDue(database: Database, firstAtUnixMs: number): Promise<void> {
  await database.query(
    `update crn_schedule set next_fire_at_unix_ms = $1 where name like 'bench ' || $2 || ' %'`,
    // Never twice the same: an occurrence that is in the journal already is not fired again.
    [Date.now(), firstAtUnixMs],
  );
}

/** How soon a schedule that is created is due: the store takes none that would never fire. */
const CREATED_AHEAD_MS = 25;

async function startNode(url: string, settings: NodeSettings, recorder: Recorder): Promise<RunningNode> {
  const app = await startApplication(url, settings, recorder);
  const manager = app.get(ScheduleManager);
  let created = 0;
  let address: Promise<string> | undefined;
  return {
    async request(kind) {
      const nowUnixMs = Date.now();
      if (kind === 'trigger') {
        await manager.triggerNow(TEMPLATES.day, { evenIfPaused: true });
        return nowUnixMs;
      }
      created += 1;
      const fireAtUnixMs = nowUnixMs + CREATED_AHEAD_MS;
      await manager.create({ name: `created ${created}`, jobName: JOB, trigger: once(fireAtUnixMs) });
      return fireAtUnixMs;
    },
    async manage(action, params) {
      address ??= app.listen(0, '127.0.0.1').then(() => app.getUrl());
      const response = await fetch(`${await address}/api/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ params }),
      });
      const answer: unknown = await response.json();
      if (!response.ok) {
        throw new Error(`${action} answered ${response.status}: ${JSON.stringify(answer)}`);
      }
    },
    stop: () => app.close(),
  };
}

async function startApplication(
  url: string,
  { handlerMs = 0, ...options }: NodeSettings,
  recorder: Recorder,
): Promise<INestApplication> {
  const app = await NestFactory.create(
    {
      module: class BenchModule {},
      imports: [
        TypeOrmModule.forRoot({ type: 'postgres', url }),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot({ ...options, management: { guards: [new OperatorGuard()] } }),
      ],
      providers: [handler(recorder, handlerMs)],
    },
    { logger: ['error'] },
  );
  return app.init();
}

/** Whoever asks may read runs. */
class OperatorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ user?: object }>();
    request.user = { id: 'bench', permissions: ['cron.run.query'] };
    return true;
  }
}

function handler(recorder: Recorder, handlerMs: number): Provider {
  return {
    provide: 'handler',
    inject: [JobHandlerRegistry],
    useFactory: (registry: JobHandlerRegistry) =>
      registry.register({
        name: JOB,
        execute: ({ scheduledAtUnixMs }: Execution) => {
          recorder.started(scheduledAtUnixMs);
          return handlerMs === 0 ? undefined : delay(handlerMs);
        },
      }),
  };
}
