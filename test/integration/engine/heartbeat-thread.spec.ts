import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import type { ClientConfig } from 'pg';
import {
  HeartbeatThread,
  type HeartbeatThreadContext,
} from '../../../lib/engine/heartbeat/heartbeat-thread.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';

/** Long enough that a main thread that is heard is never overdue. */
const NEVER_OVERDUE_MS = 3_600_000;

/** So long that the thread waits for the server for as long as it ever does. */
const ABANDONED_AFTER_MS = 2 * NEVER_OVERDUE_MS;

const THREAD = 'the thread';

function sealed(): Promise<never> {
  return Promise.reject(new Error('The vault is sealed.'));
}

describe('the worker thread for heartbeats', () => {
  let database: TestDatabase;
  let thread: HeartbeatThread;
  let warnings: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query('create table beat (at timestamptz not null default clock_timestamp())');
  });

  beforeEach(async () => {
    await database.query('truncate beat');
    warnings = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => {
      warnings.push(String(message));
    });
  });

  afterEach(async () => {
    await thread.stop();
    // Its connection, until the server has noticed, would be taken for the next thread's.
    await untilTrue('its connection is closed', async () => (await connections()).length === 0);
    jest.restoreAllMocks();
  });

  afterAll(async () => {
    await database.drop();
  });

  function create(context: Partial<HeartbeatThreadContext> = {}, program?: string): HeartbeatThread {
    thread = new HeartbeatThread(
      {
        connectionOptions: async () => reachable(),
        statement: { text: 'insert into beat default values', values: [] },
        intervalMs: 100,
        abandonedAfterMs: ABANDONED_AFTER_MS,
        stuckAfterMs: 3_600_000,
        ...context,
      },
      program === undefined ? undefined : new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    );
    return thread;
  }

  function reachable(): ClientConfig {
    return { connectionString: database.url, application_name: THREAD };
  }

  async function beats(): Promise<number> {
    const [row] = await database.query<{ count: number }>('select count(*)::int as count from beat');
    return row?.count ?? 0;
  }

  async function connections(condition = 'true'): Promise<number[]> {
    const rows = await database.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = $1 and ${condition}`,
      [THREAD],
    );
    return rows.map(({ pid }) => pid);
  }

  /** Those that were told that they are ready: before, one that is cut was never connected. */
  async function readyConnections(): Promise<number[]> {
    return connections(`state = 'idle' and wait_event = 'ClientRead'`);
  }

  async function untilConnected(former: readonly number[] = []): Promise<number[]> {
    let pids: number[] = [];
    await untilTrue('the thread has a connection', async () => {
      pids = (await readyConnections()).filter((pid) => !former.includes(pid));
      return pids.length > 0;
    });
    return pids;
  }

  /** Lets the main thread be heard until something has happened. */
  async function heardUntil(description: string, probe: () => boolean | Promise<boolean>): Promise<void> {
    await untilTrue(description, async () => {
      thread.onBeat();
      return probe();
    });
  }

  /** @returns the server's process for a connection other than the former one. */
  async function heardUntilConnected(former?: number): Promise<number[]> {
    let pids: number[] = [];
    await heardUntil('the thread has a connection', async () => {
      pids = (await readyConnections()).filter((pid) => pid !== former);
      return pids.length > 0;
    });
    return pids;
  }

  it('has a connection before it needs one, and does nothing while the main thread is heard', async () => {
    create({ intervalMs: NEVER_OVERDUE_MS });
    thread.onBeat();
    expect(await untilConnected()).toHaveLength(1);
    thread.onBeat();
    expect(await beats()).toBe(0);
  });

  it('stands in while the main thread is silent, and the log says so when it is heard again', async () => {
    create().onBeat();
    await untilTrue('it has stood in repeatedly', async () => (await beats()) >= 3);
    expect(warnings).toEqual([]);
    await heardUntil('the log says so', () => warnings.length > 0);
    expect(warnings[0]).toMatch(/^The heartbeat of the main thread did not come for \d+ ms; a worker thread/);
  });

  it('is not spoken of where the heartbeats of the main thread failed, which have a line of their own', async () => {
    create().onBeat();
    await untilTrue('it has stood in', async () => (await beats()) > 0);
    thread.onBeat('failed');
    const before = await beats();
    // One may still be the former silence's, and the thread knows of all but the last.
    await untilTrue('it stands in again', async () => (await beats()) > before + 2);
    thread.onBeat();
    await untilTrue('the log speaks of the second time', () => warnings.length > 0);
    expect(warnings).toHaveLength(1);
  });

  it('does not begin before the main thread has been heard for the first time', async () => {
    create();
    expect(await connections()).toEqual([]);
    await thread.stop();
    thread.onBeat();
    await expect(connections()).resolves.toEqual([]);
  });

  it('is silent from `stuckAfter` on, until the main thread is heard again', async () => {
    create({ stuckAfterMs: 3_000 }).onBeat();
    await untilTrue('it has stood in', async () => (await beats()) > 0);
    await untilTrue('it is silent', async () => {
      const [row] = await database.query<{ silent: boolean }>(
        `select clock_timestamp() - max(at) > interval '1 second' as silent from beat`,
      );
      return row?.silent === true;
    });
    const before = await beats();
    thread.onBeat();
    await untilTrue('it stands in again', async () => (await beats()) > before);
  });

  it('has ended, connection and all, when stopping it has resolved', async () => {
    create().onBeat();
    await untilTrue('it has stood in', async () => (await beats()) > 0);
    await thread.stop();
    await untilTrue('its connection is closed', async () => (await connections()).length === 0);
    const before = await beats();
    thread.onBeat();
    expect(await connections()).toEqual([]);
    expect(await beats()).toBe(before);
    expect(warnings).toEqual([]);
  });

  it('connects anew, with a password as it is then, after a heartbeat of the main thread', async () => {
    let tokens = 0;
    const connectionOptions = async () => ({ ...reachable(), password: `token ${++tokens}` });
    create({ intervalMs: NEVER_OVERDUE_MS, connectionOptions }).onBeat();
    const former = await untilConnected();
    expect(tokens).toBe(1);
    await database.query('select pg_terminate_backend($1)', [former[0]]);
    await heardUntil('it asks for the options of a connection', () => tokens > 1);
    await untilConnected(former);
    expect(warnings).toEqual([]);
  });

  it('connects anew by itself, with what it has, while the main thread is silent', async () => {
    const connectionOptions = jest.fn(async () => reachable());
    create({ connectionOptions }).onBeat();
    const [former] = await untilConnected();
    await database.query('select pg_terminate_backend($1)', [former]);
    const before = await beats();
    await untilTrue('it stands in', async () => (await beats()) > before);
    expect(connectionOptions).toHaveBeenCalledTimes(1);
  });

  it('keeps trying where it cannot connect, and says so once', async () => {
    let isReachable = false;
    const connectionOptions = jest.fn(async () =>
      isReachable ? reachable() : { ...reachable(), connectionString: 'postgres://127.0.0.1:1/nowhere' },
    );
    create({ intervalMs: NEVER_OVERDUE_MS, connectionOptions });
    await heardUntil('it has tried more than once', () => connectionOptions.mock.calls.length > 2);
    isReachable = true;
    await heardUntil('it connects', async () => (await connections()).length > 0);
    expect(warnings).toEqual([expect.stringMatching(/has no connection, which is tried again/)]);
  });

  it('keeps trying where a password cannot be told, and says so once each time', async () => {
    const connectionOptions = jest
      .fn(async () => reachable())
      .mockImplementationOnce(sealed)
      .mockImplementationOnce(sealed);
    create({ intervalMs: NEVER_OVERDUE_MS, connectionOptions });
    const [former] = await heardUntilConnected();
    expect(warnings).toEqual([expect.stringMatching(/tried again with every heartbeat: The vault/)]);

    connectionOptions.mockImplementationOnce(sealed).mockImplementationOnce(sealed);
    await database.query('select pg_terminate_backend($1)', [former]);
    await heardUntilConnected(former);
    expect(warnings).toHaveLength(2);
  });

  it('does not begin when it is stopped while a password is being told', async () => {
    const tell: ((options: ClientConfig) => void)[] = [];
    const connectionOptions = () => new Promise<ClientConfig>((resolve) => tell.push(resolve));
    create({ connectionOptions }).onBeat();
    await untilTrue('it is being told', () => tell.length > 0);
    await thread.stop();
    tell.forEach((resolve) => resolve(reachable()));

    // One that begins later has begun by now.
    create({ connectionOptions: async () => ({ ...reachable(), application_name: 'later' }) }).onBeat();
    await untilTrue('the later one stands in', async () => (await beats()) > 0);
    expect(await connections()).toEqual([]);
  });

  it('loads nothing that the process preloads', async () => {
    create(
      {},
      `
      import { parentPort } from 'node:worker_threads';
      parentPort.postMessage({ kind: 'connected' });
      throw new Error('options: ' + process.execArgv);
    `,
    ).onBeat();
    await untilTrue('it has told its options', () => warnings.length > 0);
    expect(process.execArgv).not.toEqual([]);
    expect(warnings[0]).toMatch(/options: $/);
  });

  it('is started again when it crashes, and the log says why', async () => {
    create(
      {},
      `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => { throw new Error('Out of order.'); });
      parentPort.postMessage({ kind: 'connected' });
    `,
    );
    await heardUntil('it has crashed twice', () => warnings.length >= 2);
    expect(warnings[0]).toBe(
      'The worker thread for heartbeats failed, and is started again: Error: Out of order.',
    );
  });

  it('is left out where its program is missing, and the log says so once', async () => {
    const connectionOptions = jest.fn(async () => reachable());
    create({ connectionOptions }, `import 'file:///missing.js';`).onBeat();
    await heardUntil('the log says so', () => warnings.length > 0);
    thread.onBeat();
    expect(warnings).toEqual([
      expect.stringMatching(/^No worker thread can stand in for heartbeats.*missing\.js.*stuckAfter to 0/),
    ]);
    expect(connectionOptions).toHaveBeenCalledTimes(1);
  });

  it('is left out where the options hold a function, and the log says so once', async () => {
    create({ connectionOptions: async () => ({ ...reachable(), stream: () => undefined }) }).onBeat();
    await heardUntil('the log says so', () => warnings.length > 0);
    thread.onBeat();
    expect(warnings).toEqual([
      expect.stringMatching(/^No worker thread can stand in.* that cannot be handed to a thread/),
    ]);
    expect(await connections()).toEqual([]);
  });
});
