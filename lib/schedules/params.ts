import { ScheduleInvalidError } from './schedule.errors.js';

/** Largest params of a schedule, in bytes of UTF-8 JSON. */
export const MAX_PARAMS_BYTES = 1024 * 1024;

/** Deepest nesting of a schedule's params. */
export const MAX_PARAMS_DEPTH = 100;

/**
 * Serialises params for the store, and refuses what JSON would silently change or drop (NaN, functions, symbols,
 * cycles …), so that a handler gets what was given. `undefined` means that there are none.
 */
export function serializeParams(params: unknown): string | undefined {
  if (params === undefined) {
    return undefined;
  }
  refuseWhatJsonCannotCarry(params, 'params', []);
  const text = JSON.stringify(params);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PARAMS_BYTES) {
    throw new ScheduleInvalidError(
      `params are ${bytes} bytes of JSON; at most ${MAX_PARAMS_BYTES} are stored. Store large data elsewhere and pass a reference.`,
    );
  }
  return text;
}

function refuseWhatJsonCannotCarry(value: unknown, path: string, ancestors: readonly object[]): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) {
        throw new ScheduleInvalidError(`${path} is ${value}, which JSON cannot carry; use a finite number.`);
      }
      return;
    case 'object':
      if (value !== null) {
        refuseInside(value, path, ancestors);
      }
      return;
    default:
      throw new ScheduleInvalidError(`${path} is a ${typeof value}, which JSON cannot carry.`);
  }
}

function refuseInside(value: object, path: string, ancestors: readonly object[]): void {
  if (ancestors.includes(value)) {
    throw new ScheduleInvalidError(
      `${path} refers back to an object that contains it; JSON cannot carry a cycle.`,
    );
  }
  if (ancestors.length >= MAX_PARAMS_DEPTH) {
    throw new ScheduleInvalidError(`params are nested deeper than ${MAX_PARAMS_DEPTH} levels.`);
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    refuseWhatJsonCannotCarry(value.toJSON(), path, [...ancestors, value]);
    return;
  }
  const inside = [...ancestors, value];
  for (const [key, member] of Object.entries(value)) {
    // An undefined member of an object is dropped by JSON as by every caller's expectation; in an array it would
    // become null.
    if (member !== undefined || Array.isArray(value)) {
      refuseWhatJsonCannotCarry(member, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, inside);
    }
  }
}
