import type { QueryRunner } from 'typeorm';
import type { Executor } from './executor.js';

/** Runs statements on a connection of the application's data source. */
export class QueryRunnerExecutor implements Executor {
  constructor(private readonly queryRunner: QueryRunner) {}

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // The structured result, because the plain one is `[rows, count]` for some commands and rows for others.
    const result = await this.queryRunner.query(text, [...values], true);
    return result.records as Row[];
  }
}
