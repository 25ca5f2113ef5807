import { Injectable } from '@nestjs/common';
import { every, JobHandler } from 'nestjs-cron-store';
import { metrics } from '@opentelemetry/api';
import { DataSource } from 'typeorm';

/** How large the tables of the database are: a job whose result is a metric itself. */
@Injectable()
@JobHandler({ name: 'measure-tables', defaultSchedule: { trigger: every('2s') } })
export class MeasureTablesHandler implements JobHandler {
  private readonly size = metrics
    .getMeter('sample')
    .createGauge('sample.tables.size', { unit: 'By', description: 'Size of the tables with their indexes.' });

  constructor(private readonly dataSource: DataSource) {}

  async execute(): Promise<void> {
    const [row]: { bytes: string }[] = await this.dataSource.query(
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r'`,
    );
    this.size.record(Number(row?.bytes ?? 0));
  }
}
