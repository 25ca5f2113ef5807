import { closeSync, openSync, writeSync } from 'node:fs';
import type { Execution } from '../../../lib/index.js';
import type { DeedRecord, NodeRecord } from './protocol.js';

/**
 * Writes down what handlers did and which events were emitted, in a file to which lines are only added: what is written
 * outlives the process, however it ends, and needs no database.
 */
export class NodeRecorder {
  private readonly file: number;
  /** Events carry no id of the node that emits them. */
  nodeId = '';

  constructor(path: string) {
    this.file = openSync(path, 'a');
  }

  deed(deed: DeedRecord['deed'], execution: Execution): void {
    const { nodeId, runId, scheduleId, scheduledAtUnixMs, attempt, fence, idempotencyKey } = execution;
    const atMs = Number(process.hrtime.bigint() / 1_000n) / 1_000;
    this.write({
      kind: 'deed',
      atMs,
      nodeId,
      deed,
      runId,
      scheduleId,
      scheduledAtUnixMs,
      attempt,
      fence,
      idempotencyKey,
    });
  }

  event(name: string, runId: string): void {
    this.write({ kind: 'event', nodeId: this.nodeId, name, runId });
  }

  close(): void {
    closeSync(this.file);
  }

  private write(record: NodeRecord): void {
    writeSync(this.file, `${JSON.stringify(record)}\n`);
  }
}
