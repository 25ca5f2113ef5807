import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { every, type Execution, JobHandler } from 'nestjs-cron-store';
import type { Repository } from 'typeorm';
import { DatabaseVitals } from './database-vitals.entity.js';

type Measurement = Pick<DatabaseVitals, 'connections' | 'databaseBytes' | 'cacheHitRatio'>;

/** Measures the database every ten seconds. What was not measured in time cannot be measured later, hence `skip`. */
@Injectable()
@JobHandler({ name: 'database-vitals', defaultSchedule: { trigger: every('10s'), misfirePolicy: 'skip' } })
export class RecordVitalsHandler implements JobHandler {
  constructor(@InjectRepository(DatabaseVitals) private readonly vitals: Repository<DatabaseVitals>) {}

  async execute({ idempotencyKey, nodeId }: Execution): Promise<void> {
    await this.vitals.insert({
      occurrence: idempotencyKey,
      takenAt: new Date(),
      nodeId,
      ...(await this.measure()),
    });
  }

  private async measure(): Promise<Measurement> {
    const [measurement] = await this.vitals.query<Measurement[]>(`
      select numbackends as connections,
        pg_database_size(datid)::float8 as "databaseBytes",
        blks_hit::float8 / nullif(blks_hit + blks_read, 0) as "cacheHitRatio"
      from pg_stat_database where datname = current_database()`);
    if (measurement === undefined) {
      throw new Error('PostgreSQL keeps no statistics of this database.');
    }
    return measurement;
  }
}
