import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The application's own tables. */
export class CreateTables1796100000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'create table sign_in_session (token text primary key, user_id text not null, expires_at timestamptz not null)',
    );
    await queryRunner.query(
      `create table table_size (occurrence text, measured_at timestamptz not null, name text, bytes bigint not null,
         primary key (occurrence, name))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table table_size, sign_in_session');
  }
}
