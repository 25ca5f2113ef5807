import {
  occurrencesOfSchedule,
  occurrencesOfTiming,
  overdueGap,
  ScheduleInvalidError,
  triggerOf,
  type MissedGap,
  type Schedule,
  type ScheduleDefinition,
} from '../../schedules/index.js';
import type { Enablement, Pause, SchedulePosition } from '../../storage/index.js';
import type { SuspensionTerms } from './suspension-terms.js';

/** When a change is made, and by whom. */
export interface ChangeContext {
  readonly nowUnixMs: number;
  readonly actor: string;
}

/** Where a changed schedule stands, and what its old timing leaves behind. */
export interface ScheduleChange {
  readonly position: SchedulePosition;
  /** Occurrences that were due when the timing changed: they never run. */
  readonly missed: MissedGap | undefined;
}

/**
 * The position of a new schedule: its first occurrence strictly after the store's now. One that is created disabled
 * has no cursor, so that its first enabling starts fresh instead of catching up.
 *
 * @throws ScheduleInvalidError when it is enabled and would never fire.
 */
export function positionOfNew(definition: ScheduleDefinition, context: ChangeContext): SchedulePosition {
  const anchorAtUnixMs = definition.startsAtUnixMs ?? context.nowUnixMs;
  return {
    anchorAtUnixMs,
    nextFireAtUnixMs: definition.isEnabled ? nextFire(definition, anchorAtUnixMs, context) : undefined,
    accountedUntilUnixMs: context.nowUnixMs,
    pause: definition.isEnabled ? undefined : newPause(context, {}),
    nowUnixMs: context.nowUnixMs,
    actor: context.actor,
  };
}

/**
 * Decides what a new definition does to a schedule. The cursor is computed again only when the timing changed, when
 * the row was parked, or when the schedule becomes enabled without one; otherwise it stays, overdue or not.
 *
 * @throws ScheduleInvalidError when the schedule would be enabled without a further occurrence.
 */
export function changeSchedule(
  current: Schedule,
  definition: ScheduleDefinition,
  context: ChangeContext,
): ScheduleChange {
  const anchorAtUnixMs =
    definition.startsAtUnixMs === current.startsAtUnixMs
      ? current.anchorAtUnixMs
      : (definition.startsAtUnixMs ?? current.createdAtUnixMs);
  const isRetimed = current.state === 'parked' || !hasSameTiming(current, definition);
  // A disabled schedule without a cursor stays without one: whatever its timing, the next enabling starts fresh.
  const keepsCursor = current.nextFireAtUnixMs === undefined ? !definition.isEnabled : !isRetimed;
  return {
    position: {
      anchorAtUnixMs,
      nextFireAtUnixMs: keepsCursor
        ? current.nextFireAtUnixMs
        : nextFire(definition, anchorAtUnixMs, context),
      accountedUntilUnixMs: keepsCursor ? undefined : context.nowUnixMs,
      pause: pauseOf(current, definition, context),
      nowUnixMs: context.nowUnixMs,
      actor: context.actor,
    },
    missed: isRetimed ? gapLeftBehind(current, context.nowUnixMs) : undefined,
  };
}

/** Clears the switch. The cursor stays, so that resuming hands the gap to the misfire policy. */
export function pauseSchedule(current: Schedule, terms: SuspensionTerms, context: ChangeContext): Enablement {
  return {
    isEnabled: false,
    nextFireAtUnixMs: current.nextFireAtUnixMs,
    accountedUntilUnixMs: undefined,
    parkedReason: current.parkedReason,
    pause: newPause(context, terms),
    nowUnixMs: context.nowUnixMs,
    actor: context.actor,
  };
}

/**
 * Sets the switch. A cursor that was kept stays, overdue or not; without one, or where the row was parked, it is
 * computed from now on. Where nothing is left to fire the schedule is spent, and what is still owed to it (a recovery, a
 * manual fire) can be claimed all the same.
 *
 * @throws TriggerInvalidError when the row still cannot be evaluated.
 */
export function resumeSchedule(current: Schedule, context: ChangeContext): Enablement {
  const isKept = current.parkedReason === undefined && current.nextFireAtUnixMs !== undefined;
  const nextFireAtUnixMs = isKept
    ? current.nextFireAtUnixMs
    : occurrencesOfSchedule(current).next(context.nowUnixMs);
  return {
    isEnabled: true,
    nextFireAtUnixMs,
    accountedUntilUnixMs: isKept ? undefined : context.nowUnixMs,
    parkedReason: undefined,
    pause: undefined,
    nowUnixMs: context.nowUnixMs,
    actor: context.actor,
  };
}

function hasSameTiming(current: Schedule, definition: ScheduleDefinition): boolean {
  const before = triggerOf(current);
  const after = definition.trigger;
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return (
    [...fields].every((field) => Reflect.get(before, field) === Reflect.get(after, field)) &&
    current.startsAtUnixMs === definition.startsAtUnixMs &&
    current.endsAtUnixMs === definition.endsAtUnixMs
  );
}

function nextFire(
  definition: ScheduleDefinition,
  anchorAtUnixMs: number,
  { nowUnixMs }: ChangeContext,
): number | undefined {
  const next = occurrencesOfTiming(definition, anchorAtUnixMs).next(nowUnixMs);
  if (next === undefined && definition.isEnabled) {
    throw new ScheduleInvalidError(
      'The schedule would never fire: its trigger yields no occurrence from now on inside its window. Change trigger, startsAt or endsAt, or give `enabled: false`.',
    );
  }
  return next;
}

function pauseOf(
  current: Schedule,
  definition: ScheduleDefinition,
  context: ChangeContext,
): Pause | undefined {
  if (definition.isEnabled) {
    return undefined;
  }
  return current.isEnabled
    ? newPause(context, {})
    : {
        atUnixMs: current.pausedAtUnixMs ?? context.nowUnixMs,
        by: current.pausedBy ?? context.actor,
        note: current.pauseNote,
        untilUnixMs: current.pausedUntilUnixMs,
      };
}

function newPause({ nowUnixMs, actor }: ChangeContext, { note, untilUnixMs }: SuspensionTerms): Pause {
  return { atUnixMs: nowUnixMs, by: actor, note, untilUnixMs };
}

function gapLeftBehind(current: Schedule, nowUnixMs: number): MissedGap | undefined {
  if (current.nextFireAtUnixMs === undefined) {
    return undefined;
  }
  try {
    return overdueGap(occurrencesOfSchedule(current), current.nextFireAtUnixMs, nowUnixMs);
  } catch {
    // The old timing cannot be evaluated, so that what it would have missed cannot be counted either.
    return undefined;
  }
}
