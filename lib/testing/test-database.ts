import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A database of its own for some tests. */
export interface TestDatabase {
  /** For `TypeOrmModule.forRoot({ type: 'postgres', url })`. */
  readonly url: string;
  /** Deletes it. Close the application before. */
  drop(): Promise<void>;
}

/**
 * Creates an empty database on a PostgreSQL server, so that test files can run at the same time, and none sees what
 * another left.
 *
 * @param serverUrl of a role that may create databases. Default: `TEST_DATABASE_URL`, else `DATABASE_URL`. A
 *   server for tests is one command, `docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=test postgres`.
 * @throws Error when there is no URL; what the server answers.
 */
export async function createTestDatabase(serverUrl = serverUrlOfTests()): Promise<TestDatabase> {
  if (serverUrl === undefined || !URL.canParse(serverUrl)) {
    throw new Error(
      'Tests of the store need a PostgreSQL server: set TEST_DATABASE_URL, as in postgres://postgres:test@127.0.0.1:5432/postgres.',
    );
  }
  const name = `cron_store_test_${randomUUID().replaceAll('-', '')}`;
  await execute(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => execute(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

function serverUrlOfTests(): string | undefined {
  return process.env['TEST_DATABASE_URL'] ?? process.env['DATABASE_URL'];
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
