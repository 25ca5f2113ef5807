import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../support/free-port.js';

const START_DEADLINE_MS = 15_000;
const POLL_MS = 50;

/** The server behind a pooler. */
export interface PooledServer {
  readonly port: number;
  /** Belongs to the account that the server runs as. */
  readonly dataFolder: string;
}

/** A PgBouncer that pools by transaction, in front of every database of a server. */
export class Pooler {
  private constructor(
    /** Connects to the database `postgres` through it. */
    readonly url: string,
    readonly version: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @throws Error when there is no PgBouncer, or when it does not start. */
  static async start(server: PooledServer): Promise<Pooler> {
    const version = await installedVersion();
    const folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-pooler-'));
    await chmod(folder, 0o755);
    const port = await freePort();
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(file, configuration(server, port));
    // It refuses to run as root, as PostgreSQL does.
    const { uid, gid } = await stat(server.dataFolder);
    const account = process.getuid?.() === 0 ? { uid, gid } : {};
    const child = spawn('pgbouncer', [file], { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    const log: string[] = [];
    child.stderr.on('data', (text: Buffer) => log.push(String(text)));
    const pooler = new Pooler(`postgres://postgres@127.0.0.1:${port}/postgres`, version, child, folder);
    if (!(await pooler.answers())) {
      await pooler.stop();
      throw new Error(`PgBouncer does not start:\n${log.join('')}`);
    }
    return pooler;
  }

  async stop(): Promise<void> {
    if (this.isRunning) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  private async answers(): Promise<boolean> {
    const deadline = AbortSignal.timeout(START_DEADLINE_MS);
    while (this.isRunning && !deadline.aborted) {
      const client = new Client({ connectionString: this.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.end();
        return true;
      } catch {
        await delay(POLL_MS);
      }
    }
    return false;
  }
}

/** Server sessions take turns, so that whatever relies on the last one fails at once. */
function configuration(server: PooledServer, port: number): string {
  return `
[databases]
* = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_round_robin = 1
default_pool_size = 20
max_client_conn = 1000
server_idle_timeout = 10
log_connections = 0
log_disconnections = 0
`;
}

async function installedVersion(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('pgbouncer', ['--version']);
    return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout;
  } catch (cause) {
    throw new Error('There is no pgbouncer here. Install it (on Debian: apt-get install pgbouncer).', {
      cause,
    });
  }
}
