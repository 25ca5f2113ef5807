import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError, Pool, type QueryResultRow } from 'pg';
import type { DataSourceOptions } from 'typeorm';

/** What PostgreSQL says where `nowait` would have to wait. */
const LOCK_NOT_AVAILABLE = '55P03';

export interface TestDatabase {
  readonly url: string;
  /** The rows of one statement. Several may run at the same time. */
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Empties tables that an application may be using at the moment. */
  empty(...tables: readonly string[]): Promise<void>;
  /** Deletes the database, with whoever is still connected to it. */
  drop(): Promise<void>;
}

/** A fresh, empty database of its own for a spec file: on the server of the test run, or on another one. */
export async function createTestDatabase(serverUrl = testServerUrl()): Promise<TestDatabase> {
  return createFrom('template1', serverUrl);
}

/** What a dump of a database would be restored to: a copy of all that is in it, while nobody is connected to it. */
export async function restoreTestDatabase(original: TestDatabase): Promise<TestDatabase> {
  const [, name = ''] = new URL(original.url).pathname.split('/');
  await execute(
    testServerUrl(),
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  return createFrom(name, testServerUrl());
}

async function createFrom(template: string, serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await execute(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);

  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const pool = new Pool({ connectionString: url.href });
  // Dropping the database ends idle connections, which is no fault.
  pool.on('error', () => undefined);

  return {
    url: url.href,
    async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) {
      const { rows } = await pool.query<Row>(sql, [...values]);
      return rows;
    },
    async empty(...tables: readonly string[]) {
      await untilTrue(`${tables.join(', ')} are nobody's for a moment`, () => emptyNow(pool, tables));
    },
    async drop() {
      await pool.end();
      await execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/**
 * Locks all of the tables or none: whoever holds one while waiting for another would be in a deadlock with an
 * application that locks them in an order of its own.
 *
 * @returns false where somebody uses one of them.
 */
async function emptyNow(pool: Pool, tables: readonly string[]): Promise<boolean> {
  const all = tables.join(', ');
  try {
    await pool.query(
      `do $$ begin lock table ${all} in access exclusive mode nowait; truncate ${all}; end $$`,
    );
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE) {
      return false;
    }
    throw error;
  }
}

/** Options of an application's TypeORM data source on the database at the URL. */
export function options(url: string): Extract<DataSourceOptions, { type: 'postgres' }> {
  return { type: 'postgres', url: applicationUrl(url) };
}

/** A proxy that pools by transaction, in front of the server of the test run, if TEST_POOLER_URL names one. */
const POOLER_URL = process.env['TEST_POOLER_URL'];

/** Whether a notification reaches who listens on an application's way to the database. */
export const CAN_LISTEN = POOLER_URL === undefined;

/** How applications reach a database of the test run's server: through the proxy, if there is one. Tests themselves do not. */
export function applicationUrl(url: string): string {
  if (POOLER_URL === undefined || new URL(url).host !== new URL(testServerUrl()).host) {
    return url;
  }
  const pooled = new URL(url);
  pooled.host = new URL(POOLER_URL).host;
  return pooled.href;
}

/**
 * Waits until the probe answers true, asking every few milliseconds, also under fake timers. What the probe
 * throws fails the test at once.
 *
 * @param description what is waited for, as in "the run is journaled"
 */
export async function untilTrue(
  description: string,
  probe: () => boolean | Promise<boolean>,
  { timeoutMs = 15_000 }: { readonly timeoutMs?: number } = {},
): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  while (!(await probe())) {
    if (deadline.aborted) {
      throw new Error(`Waited ${timeoutMs} ms in vain until: ${description}`);
    }
    await delay(10);
  }
}

function testServerUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (!url) {
    throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test`, which starts a server.');
  }
  return url;
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
