import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Client, type QueryResultRow } from 'pg';
import {
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../sample/support/embedded-postgres/start.mjs';
import { untilTrue } from '../support/database.js';

/** What a run that is killed leaves here, the next one removes. */
const FOLDER_OF_RUNS = join(tmpdir(), `nestjs-cron-store-test-${process.getuid?.() ?? 'user'}`);
const PROCESS = join(import.meta.dirname, '../support/embedded-postgres-process.mjs');

interface ServerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly url: string;
  readonly port: number;
}

describe('the embedded PostgreSQL server', () => {
  const servers: EmbeddedPostgres[] = [];
  const children: ServerProcess['child'][] = [];
  const folders: string[] = [];
  const dataFolder = freshFolder();

  afterEach(async () => {
    await Promise.all(children.splice(0).map(end));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  afterAll(async () => {
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  function freshFolder(): string {
    const folder = join(FOLDER_OF_RUNS, `${process.pid}-${randomUUID()}`);
    folders.push(folder);
    return folder;
  }

  async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ dataFolder, log: () => undefined, ...options });
    servers.push(server);
    folders.push(server.dataFolder);
    return server;
  }

  /** In a process group of its own, as a terminal gives one to a program. */
  async function startProcess(folder = dataFolder): Promise<ServerProcess> {
    const child = spawn(process.execPath, [PROCESS, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    children.push(child);
    for await (const line of createInterface(child.stdout)) {
      const server: Omit<EmbeddedPostgres, 'stop'> = JSON.parse(line);
      folders.push(server.dataFolder);
      return { child, url: server.url, port: server.port };
    }
    throw new Error('The process ended without a server.');
  }

  it('answers on the loopback, with the settings it was made with', async () => {
    const server = await start({ dataFolder: freshFolder(), settings: { max_connections: '37' } });

    expect(server.url).toBe(`postgres://postgres@127.0.0.1:${server.port}/postgres`);
    expect(await query(server.url, 'SHOW max_connections')).toEqual([{ max_connections: '37' }]);
    expect(await query(server.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
  });

  it('keeps the data from one start to the next', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept_by_restart AS SELECT 1 AS id');
    await first.stop();
    const second = await start();

    expect(await query(second.url, 'SELECT id FROM kept_by_restart')).toEqual([{ id: 1 }]);
  });

  it('stops once, however often it is told to', async () => {
    const server = await start();
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();

    expect(await answers(server.url)).toBe(false);
  });

  it('says where it listens and where its data is', async () => {
    const sentences: string[] = [];
    const server = await start({ log: (sentence) => sentences.push(sentence) });

    expect(sentences).toEqual([
      `PostgreSQL listens on 127.0.0.1:${server.port}, its data is in ${server.dataFolder}`,
    ]);
  });

  describe('shared by several processes', () => {
    it('runs until the last of them stops, whichever has started it', async () => {
      const starter = await startProcess();
      const joined = await start();
      expect(joined.port).toBe(starter.port);

      await end(starter.child);
      expect(await answers(joined.url)).toBe(true);

      await joined.stop();
      expect(await answers(joined.url)).toBe(false);
    });

    it('is one server when they start at the same time on a folder without data', async () => {
      const folder = freshFolder();
      const processes = await Promise.all([startProcess(folder), startProcess(folder), startProcess(folder)]);

      expect(new Set(processes.map(({ port }) => port)).size).toBe(1);
    });

    it('is stopped when they all stop at the same time', async () => {
      const processes = await Promise.all([startProcess(), startProcess(), startProcess()]);
      await Promise.all(processes.map(({ child }) => end(child)));

      expect(await Promise.all(processes.map(({ url }) => answers(url)))).toEqual([false, false, false]);
    });
  });

  describe('after a disaster', () => {
    it('is joined, and then stopped, when the process that started it was killed', async () => {
      const starter = await startProcess();
      await query(starter.url, 'CREATE TABLE kept_by_killed_process AS SELECT 1 AS id');
      starter.child.kill('SIGKILL');
      await once(starter.child, 'exit');
      await untilNobodyHasAShare(starter.url);

      const joined = await start();
      expect(joined.port).toBe(starter.port);
      expect(await query(joined.url, 'SELECT id FROM kept_by_killed_process')).toEqual([{ id: 1 }]);

      await joined.stop();
      expect(await answers(joined.url)).toBe(false);
    });

    it('is not reached by Ctrl-C, which goes to all processes of a terminal', async () => {
      const { child, url } = await startProcess();
      process.kill(-Number(child.pid), 'SIGINT');
      await once(child, 'exit');

      expect(await answers(url)).toBe(true);
      await untilNobodyHasAShare(url);
      await (await start()).stop();
    });

    it('is stopped also by a process whose sessions have all been ended', async () => {
      const server = await start();
      await query(
        server.url,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
      );
      await untilNobodyHasAShare(server.url);
      await server.stop();

      expect(await answers(server.url)).toBe(false);
    });

    it('recovers when the server itself was killed', async () => {
      const first = await start();
      await query(first.url, 'CREATE TABLE kept_by_killed_server AS SELECT 1 AS id');
      process.kill(await serverPid(first), 'SIGKILL');
      await untilTrue('the killed server no longer answers', async () => !(await answers(first.url)));

      const second = await start();
      expect(await query(second.url, 'SELECT id FROM kept_by_killed_server')).toEqual([{ id: 1 }]);
    });

    it('does not take another process for the server that once had its process id', async () => {
      const first = await start();
      const lockFile = join(first.dataFolder, 'postmaster.pid');
      const lines = (await readFile(lockFile, 'utf8')).split('\n');
      await first.stop();
      await writeFile(lockFile, [process.pid, ...lines.slice(1)].join('\n'));

      expect(await answers((await start()).url)).toBe(true);
    });
  });

  describe('where it cannot be had as wished', () => {
    it('names a port that is taken, and serves when the port is free again', async () => {
      const { port, release } = await takePort();
      try {
        await expect(start({ port })).rejects.toThrow(
          `PostgreSQL cannot listen on port ${port} of 127.0.0.1 (Address already in use). Choose another port`,
        );
        await expect(start({ port })).rejects.toThrow(EmbeddedPostgresError);
      } finally {
        await release();
      }
      expect((await start({ port })).port).toBe(port);
    });

    it('refuses a port that is none', async () => {
      await expect(start({ port: 70_000 })).rejects.toThrow(
        'The port must be a whole number from 1 to 65535, not 70000.',
      );
    });

    it('leaves a folder alone that holds something else', async () => {
      const { dataFolder: sibling } = await start();
      const folder = `${sibling}-diary`;
      folders.push(folder);
      await mkdir(folder);
      await writeFile(join(folder, 'diary.txt'), 'mine');

      await expect(start({ dataFolder: folder })).rejects.toThrow(`${folder} holds something else`);
      expect(await readFile(join(folder, 'diary.txt'), 'utf8')).toBe('mine');
    });

    it('serves data in a folder that only this user may enter, or says where else it is', async () => {
      const closed = freshFolder();
      await mkdir(closed, { recursive: true });
      await chmod(closed, 0o700);
      const isRoot = process.getuid?.() === 0;
      const wanted = join(closed, 'data');

      const server = await start({ dataFolder: wanted });
      folders.push(dirname(server.dataFolder));

      expect(server.dataFolder).toBe(isRoot ? `/var/tmp/nestjs-cron-store-0/data${wanted}` : wanted);
      expect(await answers(server.url)).toBe(true);
    });
  });
});

/** Lets the process leave the server, and waits for its end. */
async function end(child: ServerProcess['child']): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.stdin.end();
    await exit;
  }
}

async function query(url: string, sql: string): Promise<QueryResultRow[]> {
  const client = new Client({ connectionString: url });
  // A server that is stopped meanwhile says so here too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await query(url, 'SELECT 1');
    return true;
  } catch {
    return false;
  }
}

/** Sessions end a moment after their process, or after they are told to. */
async function untilNobodyHasAShare(url: string): Promise<void> {
  await untilTrue('nobody has a share in the server', async () => {
    const sql = `SELECT FROM pg_stat_activity WHERE application_name = 'embedded postgres lease'`;
    return (await query(url, sql)).length === 0;
  });
}

async function serverPid({ dataFolder }: EmbeddedPostgres): Promise<number> {
  return Number.parseInt(await readFile(join(dataFolder, 'postmaster.pid'), 'utf8'), 10);
}

/** A port that another program listens on. */
async function takePort(): Promise<{ readonly port: number; readonly release: () => Promise<void> }> {
  const taker = createServer();
  await new Promise<void>((resolve) => taker.listen(0, '127.0.0.1', resolve));
  const address = taker.address();
  if (typeof address !== 'object' || address === null) {
    throw new Error('A listening server has a port.');
  }
  return { port: address.port, release: () => new Promise((resolve) => taker.close(() => resolve())) };
}
