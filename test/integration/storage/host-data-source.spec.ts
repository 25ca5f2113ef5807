import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, DefaultNamingStrategy, Entity, PrimaryColumn } from 'typeorm';
import {
  CronStoreModule,
  every,
  type Execution,
  JobHandler,
  type Run,
  ScheduleManager,
} from '../../../lib/index.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { QUICK } from '../../support/store-app.js';
import { catalogOf } from './support/catalog.js';

@Entity()
class HostRow {
  @PrimaryColumn()
  readonly id: number = 0;

  @Column({ type: 'bigint' })
  readonly someValue: number = 0;
}

/** Another application's taste: everything is called otherwise than by default. */
class ShoutingNames extends DefaultNamingStrategy {
  override tableName(className: string): string {
    return `T_${className.toUpperCase()}`;
  }

  override columnName(propertyName: string): string {
    return `C_${propertyName.toUpperCase()}`;
  }
}

const executions: Execution[] = [];

@JobHandler({
  name: 'tick',
  defaultSchedule: { trigger: every('1s'), params: { at: '2026-01-15T12:00:00Z' } },
})
class TickHandler implements JobHandler {
  execute(execution: Execution) {
    executions.push(execution);
  }
}

describe('beside a data source with a will of its own', () => {
  let database: TestDatabase;
  let module: TestingModule;

  beforeAll(async () => {
    database = await createTestDatabase();
    const [row] = await database.query<{ name: string }>('select current_database() as name');
    await database.query(`alter database ${row?.name} set timezone = 'Asia/Kolkata'`);
    module = await boot();
  });

  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  async function boot(): Promise<TestingModule> {
    const started = await Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot({
          ...options(database.url),
          entities: [HostRow],
          autoLoadEntities: true,
          synchronize: true,
          entityPrefix: 'app_',
          namingStrategy: new ShoutingNames(),
          parseInt8: true,
          poolSize: 1,
          extra: { max: 1, statement_timeout: 10_000 },
        }),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot(QUICK),
      ],
      providers: [TickHandler],
    }).compile();
    return started.init();
  }

  it('keeps its tables as the migrations made them, however often the host synchronizes', async () => {
    const before = await catalogOf(database, 'public');
    expect(Object.keys(before.columns)).toContain('crn_schedule');
    await module.get(DataSource).synchronize();
    await module.close();
    module = await boot();

    expect(await catalogOf(database, 'public')).toEqual(before);
    expect(await database.query('select * from "app_T_HOSTROW"')).toEqual([]);
  });

  it('leaves the entities and the migrations of the host alone', () => {
    const dataSource = module.get(DataSource);

    expect(dataSource.entityMetadatas.map((metadata) => metadata.name)).toEqual(['HostRow']);
    expect(dataSource.migrations).toEqual([]);
  });

  it('fires, journals and reads instants as numbers, at the true time', async () => {
    const manager = module.get(ScheduleManager);
    let runs: Run[] = [];
    await untilTrue('a run has succeeded', async () => {
      runs = await manager.listRuns({ statuses: ['succeeded'], limit: 1 });
      return runs.length > 0;
    });
    const { schedule, nextFiresUnixMs } = await manager.get('tick');
    const [now] = await database.query<{ now: string }>(
      'select extract(epoch from clock_timestamp()) * 1000 as now',
    );

    expect(executions.at(-1)?.params).toEqual({ at: '2026-01-15T12:00:00Z' });
    expect(executions.at(-1)?.scheduledAt).toBeInstanceOf(Date);
    for (const instant of [
      schedule.createdAtUnixMs,
      schedule.anchorAtUnixMs,
      schedule.nextFireAtUnixMs,
      ...nextFiresUnixMs,
      runs[0]?.scheduledAtUnixMs,
      runs[0]?.claimedAtUnixMs,
      runs[0]?.startedAtUnixMs,
      runs[0]?.finishedAtUnixMs,
      runs[0]?.heartbeatAtUnixMs,
    ]) {
      expect(typeof instant).toBe('number');
      // Half an hour would already be a time zone.
      expect(Math.abs(Number(instant) - Number(now?.now))).toBeLessThan(15 * 60_000);
    }
  });

  it("commits in the host's transaction, on the only connection that the host has", async () => {
    const manager = module.get(ScheduleManager);
    await module.get(DataSource).transaction(async (transaction) => {
      await transaction.save(HostRow, { id: 1, someValue: 2 });
      await manager.patch('tick', { timeout: 4_000 }, { transaction });
      const created = await manager.create(
        { name: 'hourly', jobName: 'tick', trigger: every('1h') },
        { transaction },
      );
      expect(created.everyMs).toBe(3_600_000);
      expect(created.version).toBe(1);
    });

    expect((await manager.get('tick')).schedule.timeoutMs).toBe(4_000);
    expect((await manager.get('hourly')).schedule.state).toBe('armed');
    expect(await module.get(DataSource).manager.count(HostRow)).toBe(1);
  });

  it('goes on while the host holds its only connection', async () => {
    const manager = module.get(ScheduleManager);
    await module.get(DataSource).transaction(async (transaction) => {
      await transaction.query('select 1');
      const before = executions.length;
      await untilTrue('two more runs', () => executions.length >= before + 2);
      await manager.patch('tick', { recover: true });
    });

    expect((await manager.get('tick')).schedule.recover).toBe(true);
  });
});
