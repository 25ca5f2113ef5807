import type { AuditRecord, JsonValue } from '../api/answers.js';
import { writeJson } from './json-text.js';

interface Change {
  readonly field: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Fields that say when and by whom a row was written, which the record itself says. */
const BOOKKEEPING = new Set(['version', 'updatedAtUnixMs', 'updatedBy']);

/** What a change changed, field by field, and what was asked for. */
export function AuditDiff({ record }: { readonly record: AuditRecord }) {
  const changes = changesOf(record.before, record.after);
  return (
    <div class="stack">
      {changes.length > 0 && (
        <table class="table diff">
          <caption class="visually-hidden">What changed</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">
                  <code>{field}</code>
                </th>
                <td>
                  {before === undefined ? (
                    <span class="muted">—</span>
                  ) : (
                    <del class="code">{writeJson(before)}</del>
                  )}
                </td>
                <td>
                  {after === undefined ? (
                    <span class="muted">—</span>
                  ) : (
                    <ins class="code">{writeJson(after)}</ins>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {record.params !== undefined && (
        <details>
          <summary>What was asked for</summary>
          <pre class="code block">{writeJson(record.params)}</pre>
        </details>
      )}
      <p class="row-detail">{requestOf(record)}</p>
    </div>
  );
}

function changesOf(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const old = membersOf(before);
  const changed = membersOf(after);
  return [...new Set([...old.keys(), ...changed.keys()])]
    .filter((field) => !BOOKKEEPING.has(field))
    .map((field) => ({ field, before: old.get(field), after: changed.get(field) }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

function membersOf(value: JsonValue | undefined): ReadonlyMap<string, JsonValue> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : new Map();
}

function requestOf({ ip, requestId, userAgent, elapsedMs }: AuditRecord): string {
  return [
    ip === undefined ? '' : `From ${ip}`,
    requestId === undefined ? '' : `request ${requestId}`,
    userAgent ?? '',
    `took ${elapsedMs} ms`,
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
}
