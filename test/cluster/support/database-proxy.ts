import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The two halves of one connection. */
interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  /** Nothing passes, not even that one of the two is gone. */
  isSilent: boolean;
}

/** A way to the database that a test can disturb. */
export class DatabaseProxy {
  private readonly connections = new Set<Connection>();
  /** Whose other half is gone, of which they have not heard. */
  private readonly unaware = new Set<Socket>();
  private listener: Server | undefined;
  private port = 0;
  private isBlackHole = false;
  private delayMs = 0;

  private constructor(private target: URL) {}

  /** Opens a way to the database at the URL. */
  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(new URL(databaseUrl));
    await proxy.accept();
    return proxy;
  }

  /** The database's URL by this way. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Cuts every connection. New ones are accepted. */
  drop(): void {
    for (const { client, server } of this.connections) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    this.tellUnaware();
  }

  /** Cuts every connection and refuses new ones, as a server that is down. */
  async refuse(): Promise<void> {
    const closed = this.listener && once(this.listener, 'close');
    this.listener?.close();
    this.listener = undefined;
    this.drop();
    await closed;
  }

  /** Accepts connections again, after `refuse`. */
  async accept(): Promise<void> {
    const listener = createServer({ pauseOnConnect: true }, (client) => this.join(client));
    listener.listen(this.port, '127.0.0.1');
    await once(listener, 'listening');
    this.listener = listener;
    this.port = (listener.address() as AddressInfo).port;
  }

  /** From now on new connections lead to the server of another URL, as after a failover. Those that are open stay. */
  redirect(databaseUrl: string): void {
    this.target = new URL(databaseUrl);
  }

  /** From now on nothing passes, in neither direction, and nobody is told: connections stay open. */
  blackHole(): void {
    this.isBlackHole = true;
    this.connections.forEach(silence);
  }

  /** From now on nothing passes on the one connection that the server sees come from this port, and nobody is told. */
  silence(clientPort: number): void {
    [...this.connections].filter(({ server }) => server.localPort === clientPort).forEach(silence);
  }

  /** Lets everything pass again, what was held back first. */
  passOn(): void {
    this.isBlackHole = false;
    for (const connection of this.connections) {
      connection.isSilent = false;
      connection.client.resume();
      connection.server.resume();
    }
    this.tellUnaware();
  }

  /** Delays whatever passes, in both directions; 0 does not. */
  slowDown(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Cuts every connection for good. */
  async close(): Promise<void> {
    await this.refuse();
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    const connection = { client, server, isSilent: this.isBlackHole };
    this.connections.add(connection);
    this.forward(connection, client, server);
    this.forward(connection, server, client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // What failed is closed next.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.connections.delete(connection);
        if (connection.isSilent) {
          this.unaware.add(other);
        } else {
          other.destroy();
        }
      });
    }
    if (!this.isBlackHole) {
      client.resume();
    }
  }

  private tellUnaware(): void {
    this.unaware.forEach((socket) => socket.destroy());
    this.unaware.clear();
  }

  private forward(connection: Connection, from: Socket, to: Socket): void {
    let forwarded: Promise<unknown> = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      const { delayMs } = this;
      if (delayMs === 0) {
        forwarded = forwarded.then(() => to.write(chunk));
      } else {
        const due = delay(delayMs);
        forwarded = forwarded.then(() => due).then(() => to.write(chunk));
      }
    });
    from.on('end', () => {
      // That the other side has ended is heard of even where nothing is read; it must not pass either.
      if (!connection.isSilent) {
        void forwarded.then(() => to.end());
      }
    });
  }
}

function silence(connection: Connection): void {
  connection.isSilent = true;
  connection.client.pause();
  connection.server.pause();
}
