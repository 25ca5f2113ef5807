import type { Operation } from '../support/operators.js';
import {
  groupedBy,
  type AuditRow,
  type Check,
  type Evidence,
  type History,
  type ScheduleChange,
} from './evidence.js';
import { insertedRequests } from './requests.check.js';

/** Every change that was acknowledged is on record once, and every refusal at most once, as a refusal. */
export const operationsAreOnRecord: Check = ({ operations, audit }) => {
  const byActor = groupedBy(audit, (record) => record.actor_id);
  return operations.flatMap((operation) => {
    const records = byActor.get(operation.actor) ?? [];
    const successes = records.filter(({ outcome }) => outcome === 'success').length;
    const failures = records.length - successes;
    return isRecorded(operation, successes, failures)
      ? []
      : [
          `${operation.actor}, ${operation.action} of ${operation.target}, ${operation.outcome} (${operation.code}): the audit trail has ${successes} successes and ${failures} failures.`,
        ];
  });
};

/** Every version of every schedule is on record, with what was before and what came after. */
export const versionsAreOnRecord: Check = ({ histories, audit }) => {
  const changes = audit.filter(({ outcome }) => outcome === 'success');
  const byVersion = groupedBy(
    changes.filter(({ before, after }) => after?.version !== undefined && after.version !== before?.version),
    ({ after }) => [after?.id, after?.version].join(' '),
  );
  const deletions = groupedBy(
    changes.filter(({ action }) => action === 'delete'),
    ({ before }) => before?.id,
  );
  return histories.flatMap((history) =>
    history.schedule.flatMap((change) => {
      const { old: before, new: after } = change;
      if (after === null) {
        return recordFaults(history, change, deletions.get(history.scheduleId));
      }
      return after.version === before?.version
        ? []
        : recordFaults(history, change, byVersion.get([history.scheduleId, after.version].join(' ')));
    }),
  );
};

/** A manual fire under one key was asked for once, whoever else asked for it, and every answer names it. */
export const keysAreOneFire: Check = (evidence) => {
  const requests = new Map(
    evidence.histories
      .flatMap((history) => insertedRequests(history.changes))
      .map((request) => [request.id, request]),
  );
  const answered = evidence.operations.flatMap(({ action, outcome, idempotencyKey, result, target }) =>
    action === 'triggerNow' && outcome === 'done'
      ? [{ target, idempotencyKey, receipt: result as { requestId: string; replayed: boolean } }]
      : [],
  );
  const firsts = new Set<string>();
  return answered.flatMap(({ target, idempotencyKey, receipt }) => {
    const { requestId, replayed } = receipt;
    const request = requests.get(requestId);
    if (request === undefined || (request.request_key ?? undefined) !== idempotencyKey) {
      return [`The fire ${requestId} of ${target} was acknowledged and never requested under that key.`];
    }
    if (replayed) {
      return [];
    }
    const isSecond = firsts.has(requestId);
    firsts.add(requestId);
    return isSecond ? [`The fire ${requestId} of ${target} was acknowledged twice as the first one.`] : [];
  });
};

function isRecorded({ outcome }: Operation, successes: number, failures: number): boolean {
  switch (outcome) {
    case 'done':
      return successes === 1 && failures === 0;
    case 'refused':
      return successes === 0 && failures <= 1;
    case 'unknown':
      return successes + failures <= 1 || (successes === 1 && failures === 1);
    case 'pending':
      return false;
  }
}

function recordFaults(
  history: History,
  { old: before, new: after }: ScheduleChange,
  records: readonly AuditRow[] = [],
): string[] {
  const [record, ...others] = records;
  const what = `${history.name}, version ${after?.version ?? 'deleted'} (${history.scheduleId})`;
  if (record === undefined || others.length > 0) {
    return [`The audit trail has ${records.length} records of ${what}.`];
  }
  const isRight = isSame(record.before, before) && isSame(record.after, after);
  return isRight ? [] : [`The audit trail says otherwise than the table of ${what}.`];
}

function isSame(audited: AuditRow['before'], row: ScheduleChange['old']): boolean {
  if (row === null) {
    return audited === null;
  }
  return (
    audited?.id === row.id &&
    audited.name === row.name &&
    audited.version === row.version &&
    audited.isEnabled === row.is_enabled &&
    (audited.nextFireAtUnixMs ?? null) === row.next_fire_at_unix_ms
  );
}

/** How many changes were made, by what became of them. */
export function countOperations({ operations }: Evidence): Readonly<Record<Operation['outcome'], number>> {
  const counts = { pending: 0, done: 0, refused: 0, unknown: 0 };
  operations.forEach(({ outcome }) => (counts[outcome] += 1));
  return counts;
}
