import type { MigrationInterface, QueryRunner } from 'typeorm';
import { forgetMigration } from './history.js';
import type { MigrationClass } from './index.js';
import { quoteIdentifier } from './quoting.js';

const KEY = 'crn_run_occurrence_key';

/**
 * Orders the key of occurrences by time, so that fires of the same time write into the same pages. Ordered by schedule,
 * each of many schedules had a page of its own, and those of a large journal did not stay in memory.
 */
export function orderOccurrenceKey(schema: string): MigrationClass {
  return class implements MigrationInterface {
    readonly name = `CronStoreOrderOccurrenceKey_${schema}_1796040000000`;

    async up(queryRunner: QueryRunner): Promise<void> {
      // Whoever has many millions of runs may have built it before, concurrently, under this name.
      await orderKey(queryRunner, quoteIdentifier(schema), {
        columns: ['scheduled_at_unix_ms', 'schedule_id'],
        builtAs: 'crn_run_occurrence_time_key',
      });
    }

    async down(queryRunner: QueryRunner): Promise<void> {
      await orderKey(queryRunner, quoteIdentifier(schema), {
        columns: ['schedule_id', 'scheduled_at_unix_ms'],
        builtAs: 'crn_run_occurrence_schedule_key',
      });
      await forgetMigration(queryRunner, schema, this.name);
    }
  };
}

interface KeyOrder {
  readonly columns: readonly [string, string];
  /** What the new index is called until it replaces the old one. */
  readonly builtAs: string;
}

/**
 * Either index refuses the same runs, and one of them is there at every moment, in a transaction or not.
 *
 * In a transaction the strongest lock comes first: what building takes lets those in who have read the journal and are about
 * to write to it, and what dropping takes would wait for them while they wait for what building took.
 */
async function orderKey(
  queryRunner: QueryRunner,
  inSchema: string,
  { columns, builtAs }: KeyOrder,
): Promise<void> {
  const [key]: { first: string | null }[] = await queryRunner.query(
    'select pg_get_indexdef(to_regclass($1), 1, true) as first',
    [`${inSchema}.${KEY}`],
  );
  if (key?.first === columns[0]) {
    return;
  }
  if (queryRunner.isTransactionActive) {
    await queryRunner.query(`lock table ${inSchema}.crn_run in access exclusive mode`);
  }
  await queryRunner.query(
    `create unique index if not exists ${builtAs} on ${inSchema}.crn_run (${columns.join(', ')})
       where origin = 'schedule'`,
  );
  await queryRunner.query(`drop index if exists ${inSchema}.${KEY}`);
  await queryRunner.query(`alter index ${inSchema}.${builtAs} rename to ${KEY}`);
}
