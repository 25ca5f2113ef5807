import { createServer, type AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import type { ModuleMetadata, Provider } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { CronStoreModule, type CronStoreOptions, JobHandler, ScheduleManager } from '../../lib/index.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../support/database.js';
import { QUICK } from '../support/store-app.js';
import { job } from '../integration/engine/support/jobs.js';
import { NEVER } from '../integration/engine/support/runs.js';
import { rejectionOf } from '../integration/manager/support/still-store.js';

interface Line {
  readonly level: string;
  readonly sentence: string;
}

/** An application of a test. */
interface Application {
  readonly url?: string;
  readonly store?: CronStoreOptions;
  readonly providers?: Provider[];
  /** Instead of a data source that is connected only by the store, and an event bus. */
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
}

describe('what goes wrong is said in one sentence, with what to do', () => {
  const started = new Set<TestingModule>();
  let database: TestDatabase;
  let lines: Line[];

  beforeEach(async () => {
    lines = [];
    database = await createTestDatabase();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([...started].map((module) => module.close()));
    started.clear();
    await database.drop();
  });

  const noting =
    (level: string) =>
    (sentence: unknown, ...more: readonly unknown[]): void => {
      if (more.at(-1) === 'CronStore') {
        lines.push({ level, sentence: String(sentence) });
      }
    };

  async function start({ url = database.url, store, providers = [], imports }: Application = {}) {
    const module = await Test.createTestingModule({
      imports: [
        ...(imports ?? [
          // The store is the first that needs the database: what TypeORM says when it connects is not ours to word.
          TypeOrmModule.forRoot({ ...options(url), manualInitialization: true }),
          EventEmitterModule.forRoot(),
        ]),
        // Without the thread that stands in for late heartbeats, and says so.
        CronStoreModule.forRoot({ ...QUICK, startupTimeout: 0, stuckAfter: 0, ...store }),
      ],
      providers,
    })
      .setLogger({ debug: noting('debug'), log: noting('log'), warn: noting('warn'), error: noting('error') })
      .compile();
    started.add(module);
    return module.init().then(() => module);
  }

  /** What a start that fails is refused with: the whole text. */
  async function refusal(application: Application): Promise<string> {
    return ((await rejectionOf(start(application))) as Error).message;
  }

  /** The lines of a level that are not about what went as it should. */
  function said(level: string): readonly string[] {
    return lines.filter((line) => line.level === level).map(({ sentence }) => sentence);
  }

  it('where nobody answers at the address of PostgreSQL', async () => {
    expect(await refusal({ url: 'postgres://app:secret@127.0.0.1:1/app' })).toBe(
      'PostgreSQL at 127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Start it, or correct the data source.',
    );
  });

  it('while it waits for PostgreSQL', async () => {
    const error = await refusal({
      url: 'postgres://app:secret@127.0.0.1:1/app',
      store: { startupTimeout: 50 },
    });
    expect(error).toMatch(/^PostgreSQL at 127\.0\.0\.1:1 cannot be reached/);
    expect(said('warn')).toEqual([
      expect.stringMatching(
        /^The database cannot be reached, the start-up waits for up to \d+ ms: (?:Error: )?connect ECONNREFUSED 127\.0\.0\.1:1$/,
      ),
    ]);
  });

  it('where the password is wrong', async () => {
    // The server of the tests trusts everybody; this one refuses everybody, in PostgreSQL's words.
    const fields = ['SFATAL', 'C28P01', 'Mpassword authentication failed for user "app"'];
    const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`);
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, body])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      expect(await refusal({ url: `postgres://app:wrong@127.0.0.1:${port}/app` })).toBe(
        `PostgreSQL at 127.0.0.1:${port} does not let the user "app" in: password authentication failed for user "app". Correct the user and the password of the data source.`,
      );
    } finally {
      server.close();
    }
  });

  it('where the database does not exist', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    expect(await refusal({ url: url.href })).toBe(
      `There is no database "nowhere" at ${url.host}. Create it, or correct the data source.`,
    );
  });

  it('where nothing was migrated', async () => {
    expect(await refusal({ store: { autoMigrate: false } })).toBe(
      'The schema "public" is not ready for this version of nestjs-cron-store: ' +
        'the table crn_schedule is missing; the table crn_schedule_name is missing; the table crn_fire_request is missing; ' +
        'the table crn_run is missing; the table crn_backfill is missing; the table crn_hold is missing; ' +
        'the table crn_seed is missing; the table crn_audit is missing; the table crn_store is missing; ' +
        'the table crn_node is missing. Run the migrations of `cronStoreMigrations({ schema })` with the migrations of ' +
        'your application, run `npx cron-store migrate up`, or set `autoMigrate: true`.',
    );
  });

  it('where there is no event bus', async () => {
    await start({ imports: [TypeOrmModule.forRoot(options(database.url))] });
    expect(said('log').filter((sentence) => sentence.includes('event'))).toEqual([
      'Run events go to diagnostics_channel only; import EventEmitterModule.forRoot() of @nestjs/event-emitter to receive them with @OnEvent() as well.',
    ]);
    expect([...said('warn'), ...said('error')]).toEqual([]);
  });

  it('where nobody schedules a job, to who looks at the debug level', async () => {
    await start({ providers: [job('idle', () => undefined)] });
    expect(said('debug')).toEqual([
      'No schedule has the job "idle": create one, or give its handler a defaultSchedule.',
    ]);
    expect(said('warn')).toEqual([]);
  });

  it('where nobody executes a schedule', async () => {
    const before = await start({ providers: [job('gone', () => undefined), job('rare', () => undefined)] });
    const manager = before.get(ScheduleManager);
    await manager.create({ name: 'stray', jobName: 'gone', trigger: NEVER });
    await manager.create({ name: 'first', jobName: 'rare', trigger: NEVER });
    await manager.create({ name: 'second', jobName: 'rare', trigger: NEVER });
    await before.close();
    started.delete(before);
    lines = [];

    await start();
    expect(said('warn')).toEqual([
      'The schedule "stray" does not fire, because no live node has the job "gone": start one that has it, or delete what is of no use any more.',
      'The schedule "first" and 1 more do not fire, because no live node has the job "rare": start one that has it, or delete what is of no use any more.',
    ]);
  });

  it('where everything is held', async () => {
    const before = await start();
    const held = await before.get(ScheduleManager).hold({}, { note: 'The move' });
    await start();
    const since = `Everything is held since ${new Date(held.heldAtUnixMs).toISOString()}`;
    const until = new Date(held.heldAtUnixMs + 3_600_000);
    await before.get(ScheduleManager).hold({}, { until });
    const [{ heldAtUnixMs } = held] = await before.get(ScheduleManager).listHolds();
    await start();
    await before.get(ScheduleManager).release({});
    await start();
    expect(said('warn').filter((sentence) => sentence.startsWith('Everything'))).toEqual([
      `${since} ("The move"): nothing fires until it is released, with \`npx cron-store release\`.`,
      `Everything is held since ${new Date(heldAtUnixMs).toISOString()}: nothing fires until ${until.toISOString()}, or until it is released, with \`npx cron-store release\`.`,
    ]);
  });

  it('where a schedule has a time zone that there is not', async () => {
    const module = await start({ providers: [job('work', () => undefined)] });
    const manager = module.get(ScheduleManager);
    const trigger = { kind: 'cron', expr: '0 2 * * *', timezone: 'Mars/Olympus_Mons' } as const;
    const sentence =
      'The timezone is "Mars/Olympus_Mons": there is no such IANA time zone; write a name such as "Europe/Berlin", or leave it out for UTC.';
    expect(await rejectionOf(manager.create({ name: 'martian', jobName: 'work', trigger }))).toMatchObject({
      message: sentence,
    });

    // Written by a process whose Node.js knew it.
    await manager.create({ name: 'martian', jobName: 'work', trigger: NEVER });
    await database.query(
      `update crn_schedule set timezone = 'Mars/Olympus_Mons', next_fire_at_unix_ms = 0 where name = 'martian'`,
    );
    await untilTrue(
      'it is parked',
      async () => (await manager.listRuns({ statuses: ['failed'] })).length > 0,
    );
    const [run] = await manager.listRuns();
    expect(run?.error).toBe(`The schedule cannot be evaluated and was parked: ${sentence}`);
  });

  it("where the machine's clock is an hour off the database's", async () => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    await start();
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    await start();
    const rest =
      "the database's: schedules fire by the database's, and what handlers do by Date is wrong. Synchronize the clocks.";
    // As near to the hour as the database answers fast.
    expect(said('warn').map((sentence) => sentence.replace(/ (?:359|360)\d s /, ' an hour '))).toEqual([
      `The clock of this machine is an hour ahead of ${rest}`,
      `The clock of this machine is an hour behind ${rest}`,
    ]);
  });

  it('where the store is of another environment', async () => {
    await start({ store: { environment: 'production' } });
    expect(await refusal({ store: { environment: 'staging' } })).toBe(
      'The schedules in this database belong to the environment "production", and this application is "staging": connect to another database, or take them over with `npx cron-store take-over --environment staging`.',
    );
    expect(await refusal({})).toBe(
      'The schedules in this database belong to the environment "production", and this application declares none: set the option environment, or connect to another database.',
    );
  });

  it('to a store that has a name, by that', async () => {
    const work = { name: 'work', store: 'orders', defaultSchedule: { name: 'yearly', trigger: NEVER } };
    await start({
      store: { name: 'orders', environment: 'production' },
      providers: [job(work, () => undefined)],
    });
    expect(said('log')).toEqual(
      expect.arrayContaining([
        'The store "orders" belongs to the environment "production" from now on.',
        'Seeded the schedule "yearly" of the job "work" in the store "orders".',
      ]),
    );
  });

  it('where several options are wrong: each', async () => {
    const store = {
      pollInterval: 'soon',
      batchSize: 0,
      runRetention: '30d',
      maxConcurent: 5,
      environment: 'the test',
    } as CronStoreOptions;
    expect(await refusal({ store })).toBe(
      [
        'CronStoreModule cannot start with these options:',
        '- maxConcurent is not an option; did you mean maxConcurrent?',
        "- environment must be the name of an environment such as 'production', of 1 to 63 letters, digits, '.', '_' and '-', but is 'the test'.",
        "- pollInterval must be a duration of 10 to 9223372036854 whole milliseconds, as a number such as 30000 or a string such as '30s', but is 'soon'.",
        '- batchSize must be a whole number from 1 to 2147483647, but is 0.',
        "- runRetention must be a duration of 0 to 9223372036854 whole milliseconds, as a number such as 30000 or a string such as '30s', but is '30d': days have no unit, write 24h for one day.",
      ].join('\n'),
    );
  });

  it('where two handlers have one name', async () => {
    @JobHandler('report')
    class Report implements JobHandler {
      execute() {
        return undefined;
      }
    }
    @JobHandler('report')
    class Summary implements JobHandler {
      execute() {
        return undefined;
      }
    }
    expect(await refusal({ providers: [Report, Summary] })).toBe(
      'Two handlers have the job name "report": Report (RootTestModule) and Summary (RootTestModule). Rename one of them, or provide it only once.',
    );
  });

  it('where PostgreSQL is too old', async () => {
    const { Connections } = await import('../../lib/storage/connections/connections.js');
    const query = Connections.prototype.query;
    jest.spyOn(Connections.prototype, 'query').mockImplementation(async function (
      this: InstanceType<typeof Connections>,
      ...[purpose, text, values, name]
    ) {
      return text.includes('server_version_num')
        ? ([{ version: '13.21', number: 130_021 }] as never)
        : (query.call(this, purpose, text, values, name) as never);
    });
    expect(await refusal({})).toBe(
      'The server is PostgreSQL 13.21, and nestjs-cron-store needs 14 or newer: upgrade it, or name the data source of another server in the option dataSource.',
    );
  });

  it.each(['mysql', 'better-sqlite3'])('where the data source is of the type %s', async (type) => {
    class OtherDatabase {}
    const provider = { provide: getDataSourceToken(), useValue: { options: { type } } };
    const imports = [{ module: OtherDatabase, global: true, providers: [provider], exports: [provider] }];
    expect(await refusal({ imports })).toBe(
      `CronStoreModule needs a PostgreSQL data source, and this one is of type "${type}". Name another one with the option \`dataSource\`.`,
    );
  });

  it('where there is no TypeOrmModule', async () => {
    expect(await refusal({ imports: [] })).toBe(
      'CronStoreModule cannot start with these options:\n' +
        '- There is no default TypeORM data source: import TypeOrmModule.forRoot(…), or name another in the option dataSource.',
    );
  });
});
