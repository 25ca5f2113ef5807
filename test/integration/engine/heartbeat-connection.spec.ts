import { createServer, type AddressInfo } from 'node:net';
import type { ClientConfig } from 'pg';
import { HeartbeatConnection } from '../../../lib/engine/heartbeat/heartbeat-connection.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';

/** Messages of a server. */
const AUTHENTICATED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const TERMINATED = Buffer.from('E\0\0\0\x2bSFATAL\0C57P01\0Mterminating connection\0\0');

/** How long it waits for the server: longer than one that merely takes its time. */
const PATIENCE_MS = 5_000;

describe('the connection of the worker thread for heartbeats', () => {
  let database: TestDatabase;
  let told: string[];

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  beforeEach(() => {
    told = [];
  });

  afterAll(async () => {
    await database.drop();
  });

  function create(options: ClientConfig = reachable('kept')): HeartbeatConnection {
    // Those of earlier tests are told to nobody.
    const heard = told;
    return new HeartbeatConnection(options, PATIENCE_MS, {
      onConnected: () => heard.push('connected'),
      onDisconnected: () => heard.push('disconnected'),
      onUnreachable: () => heard.push('unreachable'),
    });
  }

  function reachable(name: string): ClientConfig {
    return { connectionString: database.url, application_name: name };
  }

  /** The server's processes for the connections of this name. */
  async function processes(name: string): Promise<number[]> {
    const rows = await database.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and application_name = $1',
      [name],
    );
    return rows.map(({ pid }) => pid);
  }

  it('is kept', async () => {
    const connection = create();
    await connection.open();
    await connection.open();
    await connection.run({ text: 'select $1', values: ['a value'] });
    expect(told).toEqual(['connected']);
  });

  it('is missed when it is lost, and opened again when it is needed', async () => {
    const connection = create(reachable('lost'));
    await connection.open();
    await database.query('select pg_terminate_backend($1)', await processes('lost'));
    await untilTrue('the loss is noticed', () => told.length > 1);
    await connection.run({ text: 'select', values: [] });
    expect(told).toEqual(['connected', 'disconnected', 'connected']);
  });

  it('is opened by other options without being missed, and only the new one counts', async () => {
    const connection = create(reachable('former'));
    await connection.open();
    await connection.reopen(reachable('latter'));
    await untilTrue('the former one is closed', async () => (await processes('former')).length === 0);
    expect(await processes('latter')).toHaveLength(1);
    await connection.run({ text: 'select', values: [] });
    expect(told).toEqual(['connected', 'connected']);
  });

  it('does not wait for a server that does not answer', async () => {
    const connection = create();
    await connection.open();
    await expect(connection.run({ text: 'select pg_sleep(3600)', values: [] })).rejects.toThrow('timeout');
    await connection.run({ text: 'select', values: [] });
    expect(told).toEqual(['connected', 'disconnected', 'connected']);
  });

  it('that is terminated in the message that makes it ready is missed, and does not end the thread', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await create({ host: '127.0.0.1', port, user: 'u', database: 'd' }).open();
    await untilTrue('the loss is noticed', () => told.length > 1);
    expect(told).toEqual(['connected', 'disconnected']);
    await new Promise((resolve) => server.close(resolve));
  });

  it('is told when it cannot be opened', async () => {
    await create({ host: '127.0.0.1', port: 1 }).open();
    expect(told).toEqual(['unreachable']);
  });
});
