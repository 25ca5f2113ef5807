import type { DataSource } from 'typeorm';
import { createSchemaWhereMissing } from '../../migrations/create-schema.js';
import { quoteIdentifier } from '../../migrations/quoting.js';
import { unixMsOf, type Duration } from '../schedules/index.js';
import { PostgresClock, StoreClock, StoreSchema } from '../storage/index.js';
import type { Instant } from '../triggers/index.js';
import { testDurationOf } from './test-duration.js';

/** The time of one store, as its statements read it. */
class TableClock extends StoreClock {
  constructor(private readonly table: string) {
    super();
  }

  override get nowSql(): string {
    return nowIn(this.table);
  }
}

/** Where a store keeps the time of its tests. */
interface Place {
  readonly dataSource: DataSource;
  /** Qualified and quoted. */
  readonly table: string;
  readonly channel: string;
}

/**
 * The store's time in the hands of a test: it stands still, and moves when the test moves it. Everything that the store
 * decides by time follows it: what is due, late, misfired, stale, expired. Provide it in place of `StoreClock`:
 *
 * ```ts
 * const clock = new ManualStoreClock(new Date('2030-01-01T00:00:00Z'));
 * Test.createTestingModule({ imports: [AppModule] }).overrideProvider(StoreClock).useValue(clock);
 * ```
 *
 * Time is kept in the database, in a table of its own (`crn_test_clock`), and so it is the same for every node there. Where an
 * application has several stores, one clock moves them together. It is the stores' alone: `Date.now()` of your own code,
 * timers, timeouts of runs and `execution.signal` go by real time.
 */
export class ManualStoreClock extends StoreClock {
  private readonly startUnixMs: number | undefined;
  private places: readonly Place[] = [];

  /**
   * @param start the time to begin with. Default: where the store has a test's time already, that, else the database's.
   * @throws TypeError when it is not an instant.
   */
  constructor(start?: Instant) {
    super();
    this.startUnixMs = start === undefined ? undefined : instantOf(start);
  }

  /** @throws Error before the application is initialized. */
  override get nowSql(): string {
    return nowIn(this.place.table);
  }

  /** Is called by the store. */
  override async forStore(dataSource: DataSource, schema: string): Promise<StoreClock> {
    const table = `${quoteIdentifier(schema)}.crn_test_clock`;
    const queryRunner = dataSource.createQueryRunner();
    try {
      await createSchemaWhereMissing(queryRunner, schema);
      await queryRunner.query(
        `create table if not exists ${table} (id boolean primary key check (id), at_unix_ms bigint not null)`,
      );
      await queryRunner.query(
        `insert into ${table} as clock (id, at_unix_ms)
         values (true, coalesce($1::bigint, ${new PostgresClock().nowSql}))
         on conflict (id) do update set at_unix_ms = coalesce($1::bigint, clock.at_unix_ms)`,
        [this.startUnixMs ?? null],
      );
    } finally {
      await queryRunner.release();
    }
    this.places = [...this.places, { dataSource, table, channel: new StoreSchema(schema).channel }];
    return new TableClock(table);
  }

  /** The store's time. */
  async now(): Promise<Date> {
    const [row]: { at: string }[] = await this.place.dataSource.query(`select ${this.nowSql} as at`);
    return new Date(Number(row?.at));
  }

  /**
   * Lets time pass at once, and wakes every node. To the store it is an outage: nobody was there meanwhile, so that the
   * misfire policy decides about what came due. For time in which it works see `CronStoreTester.runFor`.
   *
   * @param duration in ms, or as in `'90s'`, `'36h'`, `'3d'`; a day is 24 hours.
   * @returns the store's time now.
   * @throws TypeError when it is not a duration.
   */
  async advance(duration: Duration): Promise<Date> {
    return this.set('at_unix_ms + $1::bigint', testDurationOf(duration));
  }

  /**
   * Lets time pass up to an instant, as `advance` does.
   *
   * @returns the store's time now.
   * @throws TypeError when it is not an instant; RangeError when it is in the store's past.
   */
  async advanceTo(instant: Instant): Promise<Date> {
    const unixMs = instantOf(instant);
    const now = await this.now();
    if (unixMs < now.getTime()) {
      throw new RangeError(
        `${new Date(unixMs).toISOString()} is before the store's time, ${now.toISOString()}: the store's time does not go back.`,
      );
    }
    return this.set('$1::bigint', unixMs);
  }

  private async set(expression: string, value: number): Promise<Date> {
    await setIn(this.place, expression, value);
    const now = await this.now();
    // The other stores follow the first, whatever their times were.
    for (const place of this.places.filter(isOpen)) {
      await setIn(place, 'greatest(at_unix_ms, $1::bigint)', now.getTime());
    }
    return now;
  }

  private get place(): Place {
    const place = this.places.find(isOpen) ?? this.places[0];
    if (place === undefined) {
      throw new Error(
        'This ManualStoreClock belongs to no store yet: provide it by .overrideProvider(StoreClock).useValue(clock), and initialize the application.',
      );
    }
    return place;
  }
}

function nowIn(table: string): string {
  return `(select at_unix_ms from ${table})`;
}

function isOpen({ dataSource }: Place): boolean {
  return dataSource.isInitialized;
}

async function setIn(
  { dataSource, table, channel }: Place,
  expression: string,
  value: number,
): Promise<void> {
  await dataSource.transaction(async (manager) => {
    await manager.query(`update ${table} set at_unix_ms = ${expression}`, [value]);
    // Nodes look for what is due, and say that they are alive, at the new time.
    await manager.query(`select pg_notify($1, kind) from unnest(array['claim', 'cancel']) as kind`, [
      channel,
    ]);
  });
}

function instantOf(instant: Instant): number {
  const unixMs = unixMsOf(instant);
  if (unixMs === undefined) {
    throw new TypeError(
      'An instant of the store must be a valid Date or a whole number of Unix milliseconds.',
    );
  }
  return unixMs;
}
