import type { NamedContestant } from './contestant.js';
import { Database } from './database.js';
import { secondIn, settle, untilRecorded } from './execution.js';
import { withNodes } from './nodes.js';

/** Fires that every database has seen before it is measured. */
const FORMER_FIRES = 5_000;

/** The server of the benchmark, which lends a database for each measurement. */
export class Server {
  private readonly admin: Database;
  private readonly templates = new Map<NamedContestant, Promise<string>>();
  private lastNumber = 0;

  /** @param url of a superuser, who makes and drops databases. */
  constructor(private readonly url: string) {
    this.admin = new Database(url);
  }

  async version(): Promise<string> {
    return this.admin.value(`select current_setting('server_version') as value`);
  }

  /** Lends a fresh database with the contestant's tables. */
  async withDatabase<Result>(
    contestant: NamedContestant,
    work: (database: Database) => Promise<Result>,
  ): Promise<Result> {
    const template = await this.templateOf(contestant);
    const name = this.nextName();
    await this.admin.query(`create database ${name} template ${template}`);
    const database = new Database(this.urlOf(name));
    try {
      return await work(database);
    } finally {
      await database.close();
      await this.admin.query(`drop database ${name} with (force)`);
    }
  }

  /** Lends several at the same time, for measurements that return to each of them. */
  async withDatabases<Result>(
    contestant: NamedContestant,
    count: number,
    work: (databases: readonly Database[]) => Promise<Result>,
  ): Promise<Result> {
    return count === 0
      ? work([])
      : this.withDatabase(contestant, (database) =>
          this.withDatabases(contestant, count - 1, (others) => work([database, ...others])),
        );
  }

  async close(): Promise<void> {
    for (const template of this.templates.values()) {
      await this.admin.query(`drop database ${await template} with (force)`);
    }
    await this.admin.close();
  }

  private async templateOf(contestant: NamedContestant): Promise<string> {
    const existing = this.templates.get(contestant);
    if (existing !== undefined) {
      return existing;
    }
    const made = this.makeTemplate(contestant);
    this.templates.set(contestant, made);
    return made;
  }

  private async makeTemplate(contestant: NamedContestant): Promise<string> {
    const name = this.nextName();
    await this.admin.query(`create database ${name}`);
    const database = new Database(this.urlOf(name));
    await database.query('create extension pg_stat_statements');
    await contestant.prepare(database.url);
    await executeSome(database, contestant);
    await database.close();
    return name;
  }

  private nextName(): string {
    this.lastNumber += 1;
    return `bench_${process.pid}_${this.lastNumber}`;
  }

  private urlOf(name: string): string {
    const url = new URL(this.url);
    url.pathname = `/${name}`;
    return url.href;
  }
}

/**
 * Lets a contestant work for a while: what a planner thinks of tables that have been in use is not what it thinks of
 * empty ones, and nobody's tables stay empty.
 */
async function executeSome(database: Database, contestant: NamedContestant): Promise<void> {
  await contestant.store(database, { count: FORMER_FIRES, firstAtUnixMs: secondIn(-2_000) });
  const program = { contestant: contestant.name, url: database.url, settings: {} };
  await withNodes(program, 1, async ([node]) => {
    await node?.ask('untilStarted', FORMER_FIRES);
    await untilRecorded(database, contestant);
  });
  await settle(database);
}
