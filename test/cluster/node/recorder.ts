import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { Execution, RunEvent, RunEventName } from '../../../lib/index.js';

/** What a handler did. */
export type Deed = 'started' | 'returned' | 'threw' | 'aborted';

/**
 * Writes down what handlers did and which events were emitted, on connections of its own that nothing in a test cuts.
 * What a handler did is written before it goes on, so that whatever it did can be found in the records.
 */
@Injectable()
export class Recorder implements OnApplicationShutdown {
  private readonly pool: pg.Pool;
  private readonly pending = new Set<Promise<unknown>>();

  constructor(
    private readonly nodeName: string,
    url: string,
  ) {
    this.pool = new pg.Pool({ connectionString: url, application_name: 'cluster recorder', max: 2 });
    // The test may drop its database under a node that still lives.
    this.pool.on('error', () => undefined);
  }

  /** Writes down what a handler did. */
  async deed(deed: Deed, execution: Execution): Promise<void> {
    await this.write(
      `insert into cluster_deed (node, node_id, deed, run_id, schedule_id, schedule_name, scheduled_at_unix_ms,
         origin, attempt, idempotency_key)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        this.nodeName,
        execution.nodeId,
        deed,
        execution.runId,
        execution.scheduleId,
        execution.scheduleName,
        execution.scheduledAtUnixMs,
        execution.origin,
        execution.attempt,
        execution.idempotencyKey,
      ],
    );
  }

  /** Writes down an event. */
  async event(name: RunEventName, event: RunEvent): Promise<void> {
    await this.write('insert into cluster_event (node, name, run_id, payload) values ($1, $2, $3, $4)', [
      this.nodeName,
      name,
      event.runId,
      JSON.stringify(event),
    ]);
  }

  async isGateOpen(gate: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('select from cluster_gate where name = $1', [gate]);
    return rowCount === 1;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.pending);
  }

  private async write(text: string, values: readonly unknown[]): Promise<void> {
    const written = this.pool.query(text, [...values]).finally(() => this.pending.delete(written));
    this.pending.add(written);
    await written;
  }
}
