import { ConsoleLogger, type LoggerService } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { jest } from '@jest/globals';
import {
  CronStoreEngine,
  CronStoreModule,
  type CronStoreOptions,
  cron,
  every,
  JobHandlerRegistry,
  RUN_SUCCEEDED_EVENT,
  ScheduleManager,
} from '../../../lib/index.js';
import { StoreClock } from '../../../lib/storage/index.js';
import {
  createTestDatabase,
  options as dataSourceOptions,
  type TestDatabase,
  untilTrue,
} from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { QUICK } from '../../support/store-app.js';
import { NEVER } from './support/runs.js';

/** Is in params, and nowhere else: no line may have it. */
const PAYLOAD = 'c0nfidential';

const HOUR_MS = 3_600_000;

interface Line {
  readonly level: string;
  readonly sentence: string;
  /** What follows the sentence: the facts, a stack. */
  readonly more: readonly unknown[];
  readonly context: unknown;
}

describe('the log of a node', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let lines: Line[];

  const logger: LoggerService = {
    log: (...line) => note('log', line),
    warn: (...line) => note('warn', line),
    error: (...line) => note('error', line),
  };

  function note(level: string, [sentence, ...more]: readonly unknown[]): void {
    lines.push({ level, sentence: String(sentence), more: more.slice(0, -1), context: more.at(-1) });
  }

  beforeEach(async () => {
    lines = [];
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
  });

  afterEach(() => database.drop());

  async function start(options: CronStoreOptions = {}) {
    const module = await Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot(dataSourceOptions(database.url)),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot({ ...QUICK, shutdownTimeout: 0, abortGrace: 0, ...options }),
      ],
      providers: [
        {
          provide: 'jobs',
          inject: [JobHandlerRegistry],
          useFactory: (registry: JobHandlerRegistry) => {
            registry.register({
              name: 'work',
              execute: () => undefined,
              defaultSchedule: { name: 'seeded', trigger: cron('0 0 1 1 *'), params: { secret: PAYLOAD } },
            });
            registry.register({ name: 'fails', execute: () => Promise.reject(new Error('out of paper')) });
            registry.register({ name: 'hangs', execute: () => new Promise(() => undefined) });
          },
        },
      ],
    })
      .overrideProvider(StoreClock)
      .useValue(clock)
      .setLogger(logger)
      .compile();
    const app = await module.init();
    return {
      app,
      manager: app.get(ScheduleManager),
      nodeId: app.get(CronStoreEngine).status().nodeId ?? '',
      events: app.get(EventEmitter2),
    };
  }

  /** The lines of the store, in order. */
  function ours(): Line[] {
    return lines.filter(({ context }) => context === 'CronStore');
  }

  async function untilLogged(pattern: RegExp, times = 1): Promise<Line[]> {
    await untilTrue(`the log has ${String(pattern)}`, () => matching(pattern).length >= times);
    return matching(pattern);
  }

  function matching(pattern: RegExp): Line[] {
    return ours().filter(({ sentence }) => pattern.test(sentence));
  }

  it('has one line for each event that matters, with whom it is about, and never params', async () => {
    // No heartbeat is late while it lasts, which would have a line too.
    const { app, manager, nodeId, events } = await start({ heartbeatInterval: '1m', abandonedAfter: '5m' });
    const params = { secret: PAYLOAD };
    expect(ours().map(({ level, sentence, more: [facts] }) => [level, sentence, facts])).toEqual([
      ['log', 'Seeded the schedule "seeded" of the job "work".', { scheduleName: 'seeded', jobName: 'work' }],
      [
        'log',
        `The node ${nodeId} of the unnamed store executes the jobs "fails", "hangs", "work".`,
        { nodeId },
      ],
    ]);

    // A run that fails: once with the stack of what its handler threw, after an attempt without.
    const retry = { maxAttempts: 2, backoffMs: 1 };
    await manager.create({ name: 'paper', jobName: 'fails', trigger: NEVER, params, retry });
    await manager.triggerNow('paper');
    const [again, failed] = await untilLogged(/^The run \S+ of "paper" failed/, 2);
    expect(again).toMatchObject({
      level: 'warn',
      sentence: expect.stringMatching(/failed, and is tried again: out of paper$/),
      more: [{ nodeId, scheduleName: 'paper', jobName: 'fails', attempt: 1, reason: 'handler_error' }],
    });
    expect(failed).toMatchObject({
      level: 'error',
      sentence: expect.stringMatching(/failed: out of paper$/),
      more: [
        { nodeId, runId: expect.any(String), attempt: 2 },
        expect.stringMatching(/^Error: out of paper\n/),
      ],
    });
    expect(JSON.stringify(lines).split('Error: out of paper')).toHaveLength(2);

    // A listener that throws.
    events.on(RUN_SUCCEEDED_EVENT, () => {
      throw new Error('no listener');
    });
    await manager.create({ name: 'heard', jobName: 'work', trigger: NEVER, params });
    await manager.triggerNow('heard');
    const [unheard] = await untilLogged(
      /^A listener of cron\.run\.succeeded failed for the run \S+: no listener$/,
    );
    expect(unheard?.more[0]).toMatchObject({ scheduleName: 'heard', jobName: 'work' });

    // Occurrences that nobody executed.
    await manager.create({
      name: 'hourly',
      jobName: 'work',
      trigger: every('1h'),
      misfirePolicy: 'skip',
      params,
    });
    await clock.moveBy(3 * HOUR_MS + HOUR_MS / 2);
    const [missed] = await untilLogged(/^3 occurrences of "hourly" from \S+ on were missed\.$/);
    expect(missed).toMatchObject({ level: 'warn', more: [{ nodeId, missedCount: 3 }] });

    // A run that a shutdown cancels.
    await manager.create({ name: 'long', jobName: 'hangs', trigger: NEVER, params, recover: true });
    await manager.triggerNow('long');
    await untilTrue('it runs', () => app.get(CronStoreEngine).status().running > 0);
    await app.close();
    expect(matching(/^Draining/)).toHaveLength(1);
    expect(matching(/^The run \S+ of "long" was canceled \(shutdown\), and is fired again\.$/)).toHaveLength(
      1,
    );

    expect(JSON.stringify(lines)).not.toContain(PAYLOAD);
    expect(JSON.stringify(lines)).not.toContain(new URL(database.url).host);
  });

  it('tells a fault once, and its end', async () => {
    const { app } = await start();
    await database.query('alter table crn_backfill rename to crn_backfill_away');
    await database.query('alter table crn_node rename to crn_node_away');
    const [claim] = await untilLogged(/^Claiming failed and is tried again: .*crn_backfill/);
    expect(claim).toMatchObject({
      level: 'warn',
      more: [{ errorCode: '42P01', nodeId: expect.any(String) }],
    });
    await untilLogged(/^The heartbeat failed and is tried again: .*crn_node/);
    await untilTrue(
      'both have failed for a while',
      () => app.get(CronStoreEngine).status().faults.length === 2,
    );
    await database.query('alter table crn_backfill_away rename to crn_backfill');
    await database.query('alter table crn_node_away rename to crn_node');
    await untilLogged(/^Claiming works again\.$/);
    await untilLogged(/^The heartbeat works again\.$/);
    expect(matching(/^Claiming failed/)).toHaveLength(1);
    expect(matching(/^The heartbeat failed/)).toHaveLength(1);
    await app.close();
  });

  it.each([
    ['text', false, /WARN \[CronStore\] The pause of "x" could not end: late \{ scheduleName: 'x' \}\n$/],
    [
      'JSON',
      true,
      /"message":"The pause of \\"x\\" could not end: late","context":"CronStore","params":\{"scheduleName":"x"\}/,
    ],
  ])('reads well as %s', (_, json, expected) => {
    const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      const console = new ConsoleLogger({ json, colors: false });
      console.warn('The pause of "x" could not end: late', { scheduleName: 'x' }, 'CronStore');
      expect(written.mock.calls.join('')).toMatch(expected);
    } finally {
      written.mockRestore();
    }
  });
});
