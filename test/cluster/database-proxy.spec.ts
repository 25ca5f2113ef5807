import type { Socket } from 'node:net';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';

describe('the way to the database that tests disturb', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  const clients: Client[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await DatabaseProxy.open(database.url);
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await proxy.close();
    await database.drop();
  });

  async function connect(): Promise<Client> {
    const client = new Client({ connectionString: proxy.url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }

  it('passes everything on, until its connections are dropped; new ones are accepted', async () => {
    const client = await connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    const sleeping = client.query('select pg_sleep(60)');
    proxy.drop();
    await expect(sleeping).rejects.toThrow();
    await expect((await connect()).query('select 1')).resolves.toBeDefined();
  });

  it('refuses connections until it accepts them again, at the same address', async () => {
    const client = await connect();
    await proxy.refuse();
    await expect(client.query('select 1')).rejects.toThrow();
    await expect(connect()).rejects.toThrow('ECONNREFUSED');
    await proxy.accept();
    await expect((await connect()).query('select 1')).resolves.toBeDefined();
  });

  it('swallows everything as a black hole, and passes it on afterwards', async () => {
    const client = await connect();
    proxy.blackHole();
    let isAnswered = false;
    const answer = client.query('create table swallowed ()').then(() => (isAnswered = true));
    for (let trip = 0; trip < 20; trip += 1) {
      expect(await database.query(`select from pg_tables where tablename = 'swallowed'`)).toEqual([]);
    }
    expect(isAnswered).toBe(false);
    proxy.passOn();
    await answer;
    expect(await database.query(`select from pg_tables where tablename = 'swallowed'`)).toHaveLength(1);
  });

  it.each(['at rest', 'at work'])(
    'does not tell the server, as a black hole, that a client is gone %s',
    async (how) => {
      const client = await connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const isServed = async () =>
        (await database.query('select from pg_stat_activity where pid = $1', [rows[0]?.pid])).length > 0;
      await client.query('begin');
      const sleeping =
        how === 'at work' ? client.query('select pg_sleep(0.2)').catch(() => undefined) : undefined;
      proxy.blackHole();
      clients.splice(clients.indexOf(client), 1);
      socketOf(client).destroy();
      await sleeping;
      // Long enough for the news to have come, had it been passed on.
      await database.query('select pg_sleep(1)');
      expect(await isServed()).toBe(true);
      proxy.passOn();
      await untilTrue('the server has heard of it', async () => !(await isServed()));
    },
  );

  it('silences one connection and no other', async () => {
    const [silent, other] = [await connect(), await connect()];
    const { rows } = await silent.query<{ port: number }>('select inet_client_port() as port');
    proxy.silence(rows[0]?.port ?? 0);
    let isAnswered = false;
    const answer = silent.query('select 1').then(() => (isAnswered = true));
    for (let trip = 0; trip < 20; trip += 1) {
      await other.query('select 1');
    }
    expect(isAnswered).toBe(false);
    proxy.passOn();
    await answer;
  });

  it('delays what passes, and keeps its order', async () => {
    const client = await connect();
    proxy.slowDown(100);
    const startedAt = performance.now();
    const answers = await Promise.all([1, 2, 3].map((value) => client.query(`select ${value} as value`)));
    proxy.slowDown(0);
    expect(answers.map(({ rows }) => rows)).toEqual([[{ value: 1 }], [{ value: 2 }], [{ value: 3 }]]);
    // There and back, each at least as long; timers may be a little early.
    expect(performance.now() - startedAt).toBeGreaterThan(190);
  });
});

/** A client's own socket, which its types do not show. */
function socketOf(client: Client): Socket {
  const { connection } = client as Client & { readonly connection: { readonly stream: Socket } };
  return connection.stream;
}
