import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { cron, type Execution, JobHandler } from 'nestjs-cron-store';
import type { DataSource } from 'typeorm';

/** Measures how large the tables of the database are, once for each occurrence, whatever the number of attempts. */
@Injectable()
@JobHandler({
  name: 'measure-tables',
  defaultSchedule: { trigger: cron('* * * * *', 'Europe/Berlin'), recover: true },
})
export class MeasureTablesHandler implements JobHandler {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ idempotencyKey, scheduledAt }: Execution): Promise<void> {
    await this.dataSource.query(
      `insert into table_size (occurrence, measured_at, name, bytes)
       select $1, $2, oid::regclass::text, pg_total_relation_size(oid) from pg_class
       where relkind = 'r' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
       on conflict do nothing`,
      [idempotencyKey, scheduledAt],
    );
  }
}
