import { Logger, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { EntityManager } from 'typeorm';
import {
  JobHandler,
  type Run,
  RunInterceptor,
  RUN_SUCCEEDED_EVENT,
  type RunEvent,
  type ScheduleSpec,
  type TransactionalExecution,
} from '../../../lib/index.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { Gate } from '../engine/support/jobs.js';
import { fire, NEVER, runsOf, untilFireIsOver } from '../engine/support/runs.js';

type Work = (execution: TransactionalExecution) => unknown;

/** What the key of the advisory lock is that the commit of an effect waits for, where it is told to. */
const COMMIT_LOCK = 1_234;

/** A transactional handler of the job `books` that does what a test says. */
function books(work: Work): Provider {
  @JobHandler({ name: 'books', transactional: true })
  class Books {
    execute(execution: TransactionalExecution): unknown {
      return work(execution);
    }
  }
  return Books;
}

/** Writes a row that belongs to the run. */
async function write({ manager, runId }: TransactionalExecution, note = 'done'): Promise<void> {
  await manager.query('insert into effect (run_id, note) values ($1, $2)', [runId, note]);
}

/** The session of the run's transaction. */
async function pidOf({ manager }: TransactionalExecution): Promise<number> {
  const [row] = await manager.query<{ pid: number }[]>('select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}

/** The socket of the run's connection, as the network can cut it. */
async function socketOf(manager: EntityManager): Promise<{ destroy(): void }> {
  const client: { connection: { stream: { destroy(): void } } } = await manager.queryRunner?.connect();
  return client.connection.stream;
}

/** Rejects when the signal aborts, or at once where it has. */
const heedSignal = (signal: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
    }
  });

describe('transactional handlers', () => {
  let database: TestDatabase;
  let node: StoreApp;
  let work: Work;
  let created = 0;
  const succeeded: string[] = [];
  const executions: TransactionalExecution[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(['error']);
    database = await createTestDatabase();
    await database.query(
      `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_isolation to serializable`,
    );
    // A commit of the note 'slow' waits for whoever holds the lock; one of the note 'refused' fails.
    await database.query(`create table effect (run_id uuid not null, note text not null)`);
    await database.query(`
      create function at_commit() returns trigger language plpgsql as $$
      begin
        if new.note = 'slow' then
          perform pg_advisory_xact_lock(${COMMIT_LOCK});
        elsif new.note = 'refused' then
          raise exception 'refused, idle for at most %', current_setting('idle_in_transaction_session_timeout');
        end if;
        return null;
      end $$`);
    await database.query(`
      create constraint trigger at_commit after insert on effect deferrable initially deferred
      for each row execute function at_commit()`);
    node = await startStoreApp({
      url: database.url,
      providers: [
        books((execution) => {
          executions.push(execution);
          return work(execution);
        }),
      ],
    });
    node.events.on(RUN_SUCCEEDED_EVENT, ({ runId }: RunEvent) => succeeded.push(runId));
  });

  beforeEach(() => {
    succeeded.length = 0;
    executions.length = 0;
  });

  afterEach(async () => {
    await untilTrue('nothing runs any more', () => {
      const { running, detached } = node.engine.status();
      return running + detached === 0;
    });
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
    await untilNoTransaction();
    await expectAllOrNothing();
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  /** Waits until no handler's transaction is left; the store's own are over in a moment. */
  async function untilNoTransaction(): Promise<void> {
    await untilTrue('every transaction is over', async () => (await openTransactions()).length === 0);
  }

  async function openTransactions(): Promise<unknown[]> {
    return database.query(
      `select pid, state, query from pg_stat_activity
       where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`,
    );
  }

  /** Runs that succeeded have left their row, any other has left none. */
  async function expectAllOrNothing(): Promise<void> {
    const wrong = await database.query(
      `select r.id, r.status, e.note from crn_run r full join effect e on e.run_id = r.id
       where (r.status = 'succeeded') <> (e.run_id is not null) and coalesce(e.note, '') <> 'committed by hand'`,
    );
    expect(wrong).toEqual([]);
  }

  async function notesOf({ id }: Run): Promise<string[]> {
    const rows = await database.query<{ note: string }>('select note from effect where run_id = $1', [id]);
    return rows.map(({ note }) => note);
  }

  /** Creates a schedule of its own for a test: the journal keeps the runs of those before. */
  async function create(spec: Partial<ScheduleSpec> = {}): Promise<string> {
    created += 1;
    const { name } = await node.manager.create({
      name: `closing ${created}`,
      jobName: 'books',
      trigger: NEVER,
      ...spec,
    });
    return name;
  }

  /** Fires, and returns the run as soon as it is claimed. */
  async function start(name: string): Promise<{ requestId: string; runId: string }> {
    const { requestId } = await node.manager.triggerNow(name);
    await untilTrue('the handler runs', () => executions.length > 0);
    return { requestId, runId: executions.at(-1)?.runId ?? '' };
  }

  async function terminate(pid: number): Promise<void> {
    await database.query('select pg_terminate_backend($1)', [pid]);
    await untilTrue('the session is gone', async () => {
      return (await database.query('select from pg_stat_activity where pid = $1', [pid])).length === 0;
    });
  }

  /** When the node last showed that it lives. */
  async function lastBeat(): Promise<number> {
    const [row] = await database.query<{ at: number }>(
      'select max(heartbeat_at_unix_ms)::float as at from crn_node',
    );
    return row?.at ?? 0;
  }

  /** Does what another node's sweep does. */
  async function takeOver(runId: string): Promise<void> {
    await database.query(`update crn_run set status = 'abandoned', reason = 'heartbeat_lost' where id = $1`, [
      runId,
    ]);
  }

  /** Holds up every commit that waits for the lock, while something is done. */
  async function whileCommitsWait(during: () => Promise<void>): Promise<void> {
    const runner = node.dataSource.createQueryRunner();
    await runner.query('select pg_advisory_lock($1)', [COMMIT_LOCK]);
    try {
      await during();
    } finally {
      await runner.query('select pg_advisory_unlock($1)', [COMMIT_LOCK]);
      await runner.release();
    }
  }

  async function untilCommitWaits(): Promise<void> {
    await untilTrue('the commit waits for the lock', async () => {
      const rows = await database.query(
        `select from pg_locks where locktype = 'advisory' and objid = ${COMMIT_LOCK} and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.length > 0;
    });
  }

  it('commit what they wrote together with their success, and it is told', async () => {
    let isVisible: unknown[] = [];
    work = async (execution) => {
      await write(execution);
      isVisible = await database.query('select from effect where run_id = $1', [execution.runId]);
    };
    const run = await fire(node, await create());
    expect(run).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(run).not.toHaveProperty('error');
    expect(run.finishedAtUnixMs).toBeGreaterThanOrEqual(run.startedAtUnixMs ?? Infinity);
    expect(isVisible).toEqual([]);
    expect(await notesOf(run)).toEqual(['done']);
    await untilTrue('the success is told', () => succeeded.includes(run.id));
    expect(succeeded).toEqual([run.id]);
  });

  it('work in READ COMMITTED, whatever the default is', async () => {
    const levels: unknown[] = [];
    work = async (execution) => {
      levels.push(await execution.manager.query('show transaction_isolation'));
      await write(execution);
    };
    await fire(node, await create());
    expect(levels).toEqual([[{ transaction_isolation: 'read committed' }]]);
    expect(await node.dataSource.query('show transaction_isolation')).toEqual([
      { transaction_isolation: 'serializable' },
    ]);
  });

  it('leave nothing when they fail, and are tried again', async () => {
    work = async (execution) => {
      await write(execution);
      if (execution.attempt < 3) {
        throw new Error(`attempt ${execution.attempt}`);
      }
    };
    const name = await create({ retry: { maxAttempts: 3, backoffMs: 0 } });
    await node.manager.triggerNow(name);
    await untilTrue('the third attempt succeeded', async () => {
      return (await runsOf(node, name, 'succeeded')).length === 1;
    });
    const runs = await runsOf(node, name);
    expect(runs.map(({ status, error }) => error ?? status)).toEqual(['attempt 1', 'attempt 2', 'succeeded']);
    expect(new Set(executions.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('fail with a statement whose failure they swallow', async () => {
    work = async (execution) => {
      await write(execution);
      await execution.manager.query('select 1 / 0').catch(() => undefined);
    };
    const run = await fire(node, await create());
    expect(run).toMatchObject({ status: 'failed', reason: 'handler_error' });
    expect(run.error).toMatch(/transaction is aborted/);
  });

  it('may nest transactions, each to keep or to undo', async () => {
    work = async (execution) => {
      await write(execution, 'outer');
      await execution.manager
        .transaction(async (manager) => {
          await manager.query('insert into effect values ($1, $2)', [execution.runId, 'undone']);
          throw new Error('undo');
        })
        .catch(() => undefined);
      await execution.manager.transaction((manager) =>
        manager.query('insert into effect values ($1, $2)', [execution.runId, 'kept']),
      );
    };
    const run = await fire(node, await create());
    expect(run.status).toBe('succeeded');
    expect(await notesOf(run)).toEqual(['outer', 'kept']);
  });

  it('fail when a transaction that they nested is still open', async () => {
    work = async (execution) => {
      await write(execution);
      await execution.manager.queryRunner?.startTransaction();
    };
    expect(await fire(node, await create())).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('nested was still open'),
    });
  });

  it.each<[string, Work]>([
    ['by TypeORM', ({ manager }) => manager.queryRunner?.commitTransaction()],
    ['by SQL', ({ manager }) => manager.query('commit')],
    [
      'and begin another',
      async ({ manager }) => {
        await manager.queryRunner?.commitTransaction();
        await manager.queryRunner?.startTransaction();
      },
    ],
  ])('fail when they commit %s: success would no longer be of one piece', async (_how, commit) => {
    work = async (execution) => {
      await write(execution, 'committed by hand');
      await commit(execution);
    };
    expect(await fire(node, await create())).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('ended its transaction itself'),
    });
  });

  it('may change schedules in their transaction, their own as well', async () => {
    work = async (execution) => {
      await write(execution);
      await node.manager.pause(execution.scheduleName, { transaction: execution.manager });
      await node.manager.create(
        { name: 'next', jobName: 'books', trigger: NEVER },
        { transaction: execution.manager },
      );
    };
    const run = await fire(node, await create());
    expect(run.status).toBe('succeeded');
    expect((await node.manager.list()).map(({ state }) => state).toSorted()).toEqual(['armed', 'paused']);
  });

  describe('whose session is ended', () => {
    it.each<[string, Work]>([
      [
        'before their first statement',
        async (execution) => {
          await terminate(await pidOf(execution));
          await write(execution);
        },
      ],
      [
        'after their rows',
        async (execution) => {
          await write(execution);
          await terminate(await pidOf(execution));
        },
      ],
      [
        'in the middle of a statement',
        async (execution) => {
          await write(execution);
          const pid = await pidOf(execution);
          await Promise.all([execution.manager.query('select pg_sleep(600)'), terminate(pid)]);
        },
      ],
    ])('%s leave nothing, and their retry does everything', async (_when, meetsItsEnd) => {
      work = (execution) => (execution.attempt === 1 ? meetsItsEnd(execution) : write(execution));
      const name = await create({ retry: { maxAttempts: 2, backoffMs: 0 } });
      await node.manager.triggerNow(name);
      await untilTrue(
        'the retry succeeded',
        async () => (await runsOf(node, name, 'succeeded')).length === 1,
      );
      expect((await runsOf(node, name)).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
      await expectAllOrNothing();
    });

    it('during the commit leave nothing, and their retry does everything', async () => {
      let pid = 0;
      work = async (execution) => {
        pid = await pidOf(execution);
        await write(execution, execution.attempt === 1 ? 'slow' : 'done');
      };
      const name = await create({ retry: { maxAttempts: 2, backoffMs: 0 } });
      await whileCommitsWait(async () => {
        await node.manager.triggerNow(name);
        await untilCommitWaits();
        await terminate(pid);
        await untilTrue(
          'the retry succeeded',
          async () => (await runsOf(node, name, 'succeeded')).length === 1,
        );
      });
      expect((await runsOf(node, name)).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
    });
  });

  it('do not keep their node from showing that it lives while they commit', async () => {
    work = (execution) => write(execution, 'slow');
    const name = await create();
    await whileCommitsWait(async () => {
      await start(name);
      await untilCommitWaits();
      // Two beats, because the first may have been under way before.
      for (const beat of ['a', 'another']) {
        const before = await lastBeat();
        await untilTrue(`${beat} heartbeat succeeds`, async () => (await lastBeat()) > before);
      }
    });
    await untilTrue('it succeeded', async () => (await runsOf(node, name, 'succeeded')).length === 1);
  });

  it('fail when their commit is refused, and hold the lock of their record only for a bounded silence', async () => {
    work = (execution) => write(execution, 'refused');
    expect(await fire(node, await create())).toMatchObject({
      status: 'failed',
      error: 'refused, idle for at most 10s',
    });
    expect(await node.dataSource.query('show idle_in_transaction_session_timeout')).toEqual([
      { idle_in_transaction_session_timeout: '0' },
    ]);
  });

  it('have succeeded when their commit goes through though nobody hears of it, and are not tried again', async () => {
    let socket: { destroy(): void } | undefined;
    work = async (execution) => {
      socket = await socketOf(execution.manager);
      await write(execution, 'slow');
    };
    const name = await create({ retry: { maxAttempts: 2, backoffMs: 0 } });
    let requestId = '';
    await whileCommitsWait(async () => {
      ({ requestId } = await start(name));
      await untilCommitWaits();
      socket?.destroy();
      await untilTrue('the failure waits to be journaled', async () => {
        const waiting = await database.query(
          `select from pg_stat_activity where datname = current_database()
           and wait_event_type = 'Lock' and query like '%update%crn_run%finished_at_unix_ms%'`,
        );
        return waiting.length > 0;
      });
    });
    const run = await untilFireIsOver(node, name, requestId);
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(await notesOf(run)).toEqual(['slow']);
    await untilTrue('the success is told', () => succeeded.includes(run.id));
    expect(await runsOf(node, name)).toHaveLength(1);
  });

  describe('at their deadline', () => {
    it.each<[string, Work]>([
      ['are in a statement', ({ manager }) => manager.query('select pg_sleep(600)')],
      ['never settle', () => new Promise(() => undefined)],
    ])('leave neither rows nor locks, where they %s', async (_where, stays) => {
      const gate = new Gate();
      work = async (execution) => {
        if (execution.attempt === 1) {
          await execution.manager.query('lock table effect in exclusive mode');
          await write(execution);
          await Promise.race([stays(execution), gate.pass()]);
        }
        // Waits for the lock of the first attempt, whose handler may still go on.
        await write(execution);
      };
      const name = await create({ timeout: '1s', retry: { maxAttempts: 2, backoffMs: 0 } });
      await start(name);
      // The deadline is that of the first attempt alone.
      await node.manager.patch(name, { timeout: 0 });
      await untilTrue('the retry is over', async () => {
        return (await runsOf(node, name, 'succeeded', 'failed')).length === 2;
      });
      gate.open();
      const [first, second] = await runsOf(node, name);
      expect(first).toMatchObject({ status: 'failed', reason: 'timeout' });
      expect(second).toMatchObject({ status: 'succeeded' });
    });

    it('leave nothing when they return within the grace', async () => {
      work = async (execution) => {
        await write(execution);
        await heedSignal(execution.signal).catch(() => undefined);
      };
      expect(await fire(node, await create({ timeout: 100 }))).toMatchObject({
        status: 'failed',
        reason: 'timeout',
      });
    });

    it('are cut off also while they commit', async () => {
      work = (execution) => write(execution, 'slow');
      // Long enough to get as far as the commit.
      const name = await create({ timeout: '4s' });
      await whileCommitsWait(async () => {
        const { requestId } = await start(name);
        await untilCommitWaits();
        expect(await untilFireIsOver(node, name, requestId)).toMatchObject({
          status: 'failed',
          reason: 'timeout',
        });
      });
    });
  });

  it('leave nothing when they are canceled', async () => {
    const gate = new Gate();
    work = async (execution) => {
      await write(execution);
      await gate.pass();
      await write(execution, 'too late');
    };
    const name = await create();
    const { requestId, runId } = await start(name);
    await node.manager.cancelRun(runId);
    expect(await untilFireIsOver(node, name, requestId)).toMatchObject({
      status: 'canceled',
      reason: 'operator',
    });
    // Though the handler has not settled, its transaction is over.
    await untilNoTransaction();
    gate.open();
  });

  it('may commit within the grace of a cancellation', async () => {
    const graceful = await startStoreApp({
      url: database.url,
      store: { schema: 'graceful', abortGrace: '1m' },
      providers: [
        books(async (execution) => {
          executions.push(execution);
          await write(execution);
          await heedSignal(execution.signal).catch(() => undefined);
        }),
      ],
    });
    try {
      await graceful.manager.create({ name: 'canceled', jobName: 'books', trigger: NEVER });
      const { requestId } = await graceful.manager.triggerNow('canceled');
      await untilTrue('the handler runs', () => executions.length > 0);
      await graceful.manager.cancelRun(executions[0]?.runId ?? '');
      const run = await untilFireIsOver(graceful, 'canceled', requestId);
      expect(run).toMatchObject({ status: 'succeeded' });
      expect(await notesOf(run)).toEqual(['done']);
    } finally {
      await graceful.close();
      await database.query(`delete from effect where run_id in (select id from graceful.crn_run)`);
    }
  });

  describe('whose run is taken over', () => {
    it('are cut off as soon as their node learns of it', async () => {
      const gate = new Gate();
      work = async (execution) => {
        await write(execution);
        await gate.pass();
        await write(execution, 'too late');
      };
      const name = await create();
      const { runId } = await start(name);
      await takeOver(runId);
      await untilTrue('the signal aborts', () => executions[0]?.signal.aborted === true);
      await untilNoTransaction();
      gate.open();
      await untilTrue('the slot is free', () => node.engine.status().detached === 0);
      expect(await runsOf(node, name)).toMatchObject([{ id: runId, status: 'abandoned' }]);
      expect(succeeded).toEqual([]);
    });

    it('leave nothing when they return before their node learns of it', async () => {
      work = async (execution) => {
        await write(execution);
        await takeOver(execution.runId);
      };
      const name = await create();
      const { runId } = await start(name);
      await untilTrue('the slot is free', () => {
        const { running, detached } = node.engine.status();
        return running + detached === 0;
      });
      expect(await runsOf(node, name)).toMatchObject([{ id: runId, status: 'abandoned' }]);
      expect(succeeded).toEqual([]);
    });
  });

  it('share their transaction with interceptors, which undo it when they throw', async () => {
    class Books extends RunInterceptor {
      override async intercept(execution: TransactionalExecution, next: () => Promise<unknown>) {
        await write(execution, 'before');
        await next();
        await write(execution, 'after');
        if (execution.scheduleName === 'refused') {
          throw new Error('the books do not balance');
        }
      }
    }
    const intercepted = await startStoreApp({
      url: database.url,
      store: { schema: 'intercepted' },
      providers: [Books, books((execution) => write(execution))],
    });
    try {
      await intercepted.manager.create({ name: 'accepted', jobName: 'books', trigger: NEVER });
      const accepted = await fire(intercepted, 'accepted');
      expect(accepted.status).toBe('succeeded');
      expect(await notesOf(accepted)).toEqual(['before', 'done', 'after']);
      await intercepted.manager.create({ name: 'refused', jobName: 'books', trigger: NEVER });
      const refused = await fire(intercepted, 'refused');
      expect(refused).toMatchObject({
        status: 'failed',
        reason: 'interceptor_error',
        error: 'The run interceptor Books failed: the books do not balance',
      });
      expect(await notesOf(refused)).toEqual([]);
    } finally {
      await intercepted.close();
      await database.query(`delete from effect where run_id in (select id from intercepted.crn_run)`);
    }
  });

  it('wait for a connection of the pool of the application, in vain until their deadline', async () => {
    const gate = new Gate();
    let hasConnection = false;
    const small = await startStoreApp({
      url: database.url,
      imports: [TypeOrmModule.forRoot({ ...options(database.url), name: 'small', poolSize: 1 })],
      store: { schema: 'small', dataSource: 'small' },
      providers: [
        books(async (execution) => {
          if (execution.scheduleName === 'first') {
            hasConnection = true;
            await gate.pass();
          }
          await execution.manager.query('select 1');
        }),
      ],
    });
    try {
      await small.manager.create({ name: 'first', jobName: 'books', trigger: NEVER });
      await small.manager.create({ name: 'second', jobName: 'books', trigger: NEVER, timeout: 300 });
      const first = await small.manager.triggerNow('first');
      await untilTrue('the first has the connection', () => hasConnection);
      expect(await fire(small, 'second')).toMatchObject({ status: 'failed', reason: 'timeout' });
      gate.open();
      expect(await untilFireIsOver(small, 'first', first.requestId)).toMatchObject({ status: 'succeeded' });
      await untilTrue('every slot is free', () => small.engine.status().detached === 0);
      await small.manager.patch('second', { timeout: 0 });
      expect(await fire(small, 'second')).toMatchObject({ status: 'succeeded' });
    } finally {
      gate.open();
      await small.close();
    }
  });
});
