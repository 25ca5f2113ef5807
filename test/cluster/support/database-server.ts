import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../sample/support/embedded-postgres/start.mjs';
import { untilTrue } from '../../support/database.js';

/** What a run that is killed leaves here, the next one removes. */
const FOLDER_OF_RUNS = join(tmpdir(), `nestjs-cron-store-test-${process.getuid?.() ?? 'user'}`);

function newDataFolder(): string {
  return join(FOLDER_OF_RUNS, `${process.pid}-${randomUUID()}`);
}

/** A database server of a test's own, which it may crash or freeze. */
export class DatabaseServer {
  private frozenPids: readonly number[] = [];

  private constructor(private server: EmbeddedPostgres) {}

  static async start(dataFolder = newDataFolder()): Promise<DatabaseServer> {
    return new DatabaseServer(await startEmbeddedPostgres({ dataFolder, log: () => undefined }));
  }

  /** Starts a standby that has what this server has by now. This one is stopped meanwhile, and is back at the same address. */
  async startStandby(): Promise<DatabaseServer> {
    const dataFolder = newDataFolder();
    await this.server.stop();
    // As the owner of the data, who need not be the one of this process.
    await promisify(execFile)('cp', ['-a', this.server.dataFolder, dataFolder]);
    await writeFile(join(dataFolder, 'standby.signal'), '');
    await this.restart();
    return DatabaseServer.start(dataFolder);
  }

  get url(): string {
    return this.server.url;
  }

  /** Shuts down immediately, as a crash does: sessions end in their tracks, and the next start recovers from the log. */
  async crash(): Promise<void> {
    process.kill(await this.pid(), 'SIGQUIT');
    await untilTrue('the server is gone', async () => !(await this.accepts()));
  }

  /** Starts again after a crash or a stop, at the same address. Resolves when it answers. */
  async restart(): Promise<void> {
    const { dataFolder, port } = this.server;
    this.server = await startEmbeddedPostgres({ dataFolder, port, log: () => undefined });
  }

  /** Stops every process in its tracks: connections stay open, new ones are accepted by the system, and nobody answers. */
  async freeze(): Promise<void> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    const postmaster = await this.pid();
    // First of all, so that no session begins meanwhile; the session that asks comes last.
    process.kill(postmaster, 'SIGSTOP');
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity order by pid = pg_backend_pid()',
    );
    this.frozenPids = [postmaster, ...rows.map(({ pid }) => pid)];
    rows.forEach(({ pid }) => process.kill(pid, 'SIGSTOP'));
    client.end().catch(() => undefined);
  }

  /** Lets a frozen server go on as if nothing had happened. */
  thaw(): void {
    this.frozenPids.forEach((pid) => process.kill(pid, 'SIGCONT'));
    this.frozenPids = [];
  }

  /** Stops, and deletes the data. */
  async remove(): Promise<void> {
    this.thaw();
    await this.server.stop();
    await rm(this.server.dataFolder, { recursive: true, force: true });
  }

  private async pid(): Promise<number> {
    const [pid = ''] = (await readFile(join(this.server.dataFolder, 'postmaster.pid'), 'utf8')).split('\n');
    return Number(pid);
  }

  private async accepts(): Promise<boolean> {
    const socket = connect(this.server.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }
}
