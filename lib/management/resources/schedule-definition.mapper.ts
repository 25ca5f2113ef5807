import type { ScheduleSpec } from '../../schedules/index.js';

/** The fields by which the API describes a schedule, as far as a specification names them differently. */
interface DefinitionFields {
  readonly name?: string;
  readonly newName?: string;
  readonly startsAtUnixMs?: number | null;
  readonly endsAtUnixMs?: number | null;
  readonly timeoutMs?: number;
  readonly expectedVersion?: number;
}

/**
 * A specification, or the part of one that changes, in the words of `ScheduleManager`. Only the names of fields are mapped: what the
 * values are worth is checked by the manager, which trusts nothing, so that code and API refuse the same.
 */
export function definitionOf(params: DefinitionFields): ScheduleSpec {
  const { name, newName, startsAtUnixMs, endsAtUnixMs, timeoutMs, expectedVersion: _, ...others } = params;
  const renamed = {
    name: newName ?? name,
    startsAt: startsAtUnixMs,
    endsAt: endsAtUnixMs,
    timeout: timeoutMs,
  };
  const given = Object.entries(renamed).filter(([, value]) => value !== undefined);
  return { ...others, ...Object.fromEntries(given) } as unknown as ScheduleSpec;
}
