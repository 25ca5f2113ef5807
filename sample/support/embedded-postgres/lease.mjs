import { realpath } from 'node:fs/promises';
import { Socket } from 'node:net';
import { Client } from 'pg';

/** Two keys, so that they do not meet the advisory locks of applications, which mostly have one. */
const LOCK_KEYS = [0x6e_63_73, 0x70_67];

/**
 * The share of a process in a running server, a lock that PostgreSQL holds for as long as the process is
 * connected. It needs no file that could be left over: when a process is killed, its share is gone.
 */
export class Lease {
  /** @type {Client} */
  #client;
  /** @type {Socket} */
  #socket;

  /**
   * @param {Client} client
   * @param {Socket} socket
   */
  constructor(client, socket) {
    this.#client = client;
    this.#socket = socket;
    // The lease alone must not keep the process from ending.
    socket.unref();
  }

  /**
   * Takes a share in the server at the port, if it serves the data folder and accepts connections.
   *
   * @param {number} port
   * @param {string} dataFolder
   * @returns {Promise<Lease | undefined>}
   */
  static async take(port, dataFolder) {
    const socket = new Socket();
    const client = new Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      database: 'postgres',
      ssl: false,
      application_name: 'embedded postgres lease',
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      stream: () => socket,
    });
    // A session that the server ends is a lost lease, and nothing worse.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await assertServes(client, dataFolder);
      // Waits while the last process before is stopping the server, and then fails with it.
      await client.query('SELECT pg_advisory_lock_shared($1, $2)', LOCK_KEYS);
      return new Lease(client, socket);
    } catch {
      socket.destroy();
      return undefined;
    }
  }

  /**
   * Gives the share back.
   *
   * @param {() => Promise<void>} stopServer called if this was the last share; no other process can get one
   *   meanwhile
   * @returns {Promise<boolean>} false if the share was lost before: the server went away, or ended the session
   */
  async release(stopServer) {
    this.#socket.ref();
    try {
      const isLast = await this.#isLast();
      if (isLast) {
        await stopServer();
      }
      return isLast !== undefined;
    } finally {
      await this.#client.end();
    }
  }

  /**
   * The own share goes first: of two processes that stop at the same time, one must find no other.
   *
   * @returns {Promise<boolean | undefined>} undefined if the session is no more
   */
  async #isLast() {
    try {
      await this.#client.query('SELECT pg_advisory_unlock_shared($1, $2)', LOCK_KEYS);
      const { rows } = await this.#client.query('SELECT pg_try_advisory_lock($1, $2) AS "isLast"', LOCK_KEYS);
      return rows[0].isLast === true;
    } catch {
      return undefined;
    }
  }
}

/**
 * @param {Client} client
 * @param {string} dataFolder
 */
async function assertServes(client, dataFolder) {
  const { rows } = await client.query('SHOW data_directory');
  if ((await realpath(rows[0].data_directory)) !== (await realpath(dataFolder))) {
    throw new Error('another server');
  }
}
