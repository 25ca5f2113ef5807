import type { Contestant } from './contestant.js';
import { Database } from './database.js';

/** The server of the benchmark, which lends a database for each measurement. */
export class Server {
  private readonly admin: Database;
  private readonly templates = new Map<Contestant, Promise<string>>();
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
    contestant: Contestant,
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
    contestant: Contestant,
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

  private async templateOf(contestant: Contestant): Promise<string> {
    const existing = this.templates.get(contestant);
    if (existing !== undefined) {
      return existing;
    }
    const made = this.makeTemplate(contestant);
    this.templates.set(contestant, made);
    return made;
  }

  private async makeTemplate(contestant: Contestant): Promise<string> {
    const name = this.nextName();
    await this.admin.query(`create database ${name}`);
    const database = new Database(this.urlOf(name));
    await database.query('create extension pg_stat_statements');
    await database.close();
    await contestant.prepare(this.urlOf(name));
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
