import type { MigrationInterface, QueryRunner } from 'typeorm';
import { forgetMigration } from './history.js';
import type { MigrationClass } from './index.js';
import { quoteIdentifier } from './quoting.js';

/** Lets a store remember the environment that it belongs to. */
export function addEnvironment(schema: string): MigrationClass {
  const store = `${quoteIdentifier(schema)}.crn_store`;

  return class implements MigrationInterface {
    readonly name = `CronStoreAddEnvironment_${schema}_1795996800000`;

    async up(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(`alter table ${store} add column if not exists environment text`);
      // So that there is a row to lock, before anybody has anything to write into it.
      await queryRunner.query(`insert into ${store} (id) values (true) on conflict (id) do nothing`);
    }

    async down(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(`alter table if exists ${store} drop column if exists environment`);
      await forgetMigration(queryRunner, schema, this.name);
    }
  };
}
