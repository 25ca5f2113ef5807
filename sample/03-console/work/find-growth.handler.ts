import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { every, type Execution, JobHandler } from 'nestjs-cron-store';
import type { DataSource } from 'typeorm';

interface Params {
  /** From how much on it is worth a complaint. */
  readonly megabytes: number;
}

/** Complains, by a run that fails, when a table has grown by more than it should within an hour. */
@Injectable()
@JobHandler({
  name: 'find-growth',
  defaultSchedule: {
    trigger: every('2m'),
    params: { megabytes: 0.2 },
    retry: { maxAttempts: 2, backoffMs: 5_000 },
  },
})
export class FindGrowthHandler implements JobHandler {
  private readonly logger = new Logger(FindGrowthHandler.name);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async execute({ params }: Execution): Promise<void> {
    const { megabytes } = params as Params;
    const growing: readonly { readonly name: string; readonly bytes: string }[] = await this.dataSource.query(
      `select name, max(bytes) - min(bytes) as bytes from table_size
       where measured_at > now() - interval '1 hour' group by name having max(bytes) - min(bytes) > $1`,
      [megabytes * 1_000_000],
    );
    if (growing.length > 0) {
      const lines = growing.map(({ name, bytes }) => `${name} by ${bytes} bytes`);
      throw new Error(
        `Within an hour these tables have grown by more than ${megabytes} MB:\n${lines.join('\n')}`,
      );
    }
    this.logger.log('No table grows faster than it should.');
  }
}
