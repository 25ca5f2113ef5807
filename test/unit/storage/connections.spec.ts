import { createServer, type AddressInfo, type Server } from 'node:net';
import { DataSource } from 'typeorm';
import { Connections } from '../../../lib/storage/connections/connections.js';
import { PostgresClock } from '../../../lib/storage/index.js';

const AUTHENTICATED = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

function terminated(): Buffer {
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe('a connection of the store', () => {
  let server: Server;

  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('that is terminated in the message that makes it ready fails what it was opened for, and not the process', async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, terminated()])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const dataSource = new DataSource({
      type: 'postgres',
      host: '127.0.0.1',
      port,
      username: 'u',
      database: 'd',
    });
    const connections = new Connections(dataSource, new PostgresClock(), true, () => undefined);

    await expect(connections.query('engine', 'select 1')).rejects.toThrow();
    await connections.close();
  });
});
