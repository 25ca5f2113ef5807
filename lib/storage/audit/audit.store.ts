import type { AuditRecord } from '../../schedules/index.js';
import type { Executor } from '../connections/executor.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Writes the audit trail. */
export class AuditStore {
  private readonly insertText: string;

  constructor(schema: StoreSchema) {
    this.insertText = `
      insert into ${schema.audit} (id, at_unix_ms, actor_id, actor_name, resource, action, target, outcome, code,
        attempts, request_id, ip, user_agent, params, before, after, elapsed_ms)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`;
  }

  /** Adds a record, in the transaction of what it tells. */
  async add(executor: Executor, record: AuditRecord): Promise<void> {
    await executor.query(this.insertText, [
      record.id,
      record.atUnixMs,
      record.actorId ?? null,
      record.actorName ?? null,
      record.resource,
      record.action,
      record.target ?? null,
      record.outcome,
      record.code,
      record.attempts,
      record.requestId ?? null,
      record.ip ?? null,
      record.userAgent ?? null,
      toJson(record.params),
      toJson(record.before),
      toJson(record.after),
      record.elapsedMs,
    ]);
  }
}

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
