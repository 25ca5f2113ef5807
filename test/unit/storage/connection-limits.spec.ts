import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Connections } from '../../../lib/storage/connections/connections.js';
import { PostgresClock } from '../../../lib/storage/index.js';
import { fakeTime, pass } from '../engine/fake-time.js';

/** The server's part of a connection until it is ready. */
const AUTHENTICATED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

const LIMIT_MS = 5_000;

/** Lets what goes over sockets arrive, while no time passes. */
async function untilTrue(probe: () => boolean): Promise<void> {
  for (let turns = 0; !probe(); turns += 1) {
    if (turns === 1_000_000) {
      throw new Error(`Waited in vain until ${String(probe)}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('connections to a database that answers nothing', () => {
  let server: Server;
  let sockets: Socket[];
  /** Statements that have arrived, and clients that were not let in. */
  let waiting: number;
  let connections: Connections;
  /** Whether it still lets clients in. */
  let lets: boolean;

  beforeEach(async () => {
    fakeTime();
    sockets = [];
    waiting = 0;
    lets = true;
    server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        if (lets) {
          socket.write(Buffer.concat([AUTHENTICATED, READY]));
          socket.once('data', () => {
            waiting += 1;
          });
        } else {
          waiting += 1;
        }
      });
      socket.resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const dataSource = new DataSource({
      type: 'postgres',
      host: '127.0.0.1',
      port,
      username: 'u',
      database: 'd',
      connectTimeoutMS: 60 * 60 * 1_000,
    });
    // Without the statement that bounds those of a new session, which nobody would answer.
    connections = new Connections(dataSource, new PostgresClock(), false, () => undefined);
  });

  afterEach(async () => {
    jest.useRealTimers();
    sockets.forEach((socket) => socket.destroy());
    server.close();
    await once(server, 'close');
  });

  /** Asks something, and notes what becomes of it. */
  function ask(purpose: 'engine' | 'manager'): { isAnswered: boolean; error: unknown } {
    const asked: { isAnswered: boolean; error: unknown } = { isAnswered: false, error: undefined };
    connections.query(purpose, 'select 1').then(
      () => {
        asked.isAnswered = true;
      },
      (error: unknown) => {
        asked.error = error;
      },
    );
    return asked;
  }

  async function untilAsked(count: number): Promise<void> {
    await untilTrue(() => waiting === count);
  }

  it.each([
    ['a connection that does not come about', false],
    ['a statement that is not answered', true],
  ])('give %s up when its time is over, and then everything else at once', async (_, isLetIn) => {
    lets = isLetIn;
    const before = ask('engine');
    await untilAsked(1);
    connections.giveUpAfter(LIMIT_MS);
    const after = ask('manager');
    await untilAsked(2);
    await pass(LIMIT_MS - 1);
    expect([before.error, after.error]).toEqual([undefined, undefined]);
    await pass(1);
    await untilTrue(() => before.error !== undefined && after.error !== undefined);
    await expect(connections.query('heartbeat', 'select 1')).rejects.toThrow('shutdown');
    await connections.close();
  });

  it('are cut by closing, when those in use are not given back in time', async () => {
    const asked = ask('manager');
    await untilAsked(1);
    let isClosed = false;
    const closed = connections.close().then(() => {
      isClosed = true;
    });
    await pass(LIMIT_MS - 1);
    expect(isClosed).toBe(false);
    await pass(1);
    await closed;
    await untilTrue(() => asked.error !== undefined);
  });

  it('are interrupted by purpose, and can be used again', async () => {
    const [engine, manager] = [ask('engine'), ask('manager')];
    await untilAsked(2);
    connections.interrupt('engine');
    await untilTrue(() => engine.error !== undefined);
    expect(manager.error).toBeUndefined();
    ask('engine');
    await untilAsked(3);
    const closed = connections.close();
    await pass(LIMIT_MS);
    await closed;
  });

  it('do not hold up closing when they are idle, and let the sockets go', async () => {
    const asked = ask('engine');
    await untilAsked(1);
    // What an empty statement is answered with.
    sockets[0]?.write(Buffer.concat([Buffer.from([0x49, 0, 0, 0, 4]), READY]));
    await untilTrue(() => asked.isAnswered);
    let isGone = false;
    sockets[0]?.on('close', () => {
      isGone = true;
    });
    await connections.close();
    // It does not say good-bye in its turn, and is gone all the same.
    await pass(1_000);
    await untilTrue(() => {
      // The server's side learns by writing that nobody is there.
      sockets[0]?.write('anything');
      return isGone;
    });
  });
});
