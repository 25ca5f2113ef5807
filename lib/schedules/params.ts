import { types } from 'node:util';
import type { JsonValue } from './schedule.js';
import { ScheduleInvalidError } from './schedule.errors.js';

/** Largest params of a schedule, in bytes of UTF-8 JSON. */
export const MAX_PARAMS_BYTES = 1024 * 1024;

/** Deepest nesting of a schedule's params. */
export const MAX_PARAMS_DEPTH = 100;

/** Longest path to a fault that a message can bear. */
const LONGEST_PATH = 200;

/** Params as the handler will get them: a checked copy of what was given. Errors as in `serializeParams`. */
export function parseParams(params: unknown): JsonValue | undefined {
  const text = serializeParams(params);
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}

/**
 * Serialises params for the store, and refuses what JSON would silently change or drop (NaN, functions, maps, cycles
 * …), so that a handler gets what was given. `undefined` means that there are none.
 *
 * @throws ScheduleInvalidError that names the member at fault.
 */
export function serializeParams(params: unknown): string | undefined {
  if (params === undefined) {
    return undefined;
  }
  const text = JSON.stringify(readParams(params));
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PARAMS_BYTES) {
    throw new ScheduleInvalidError(
      `params are ${bytes} bytes of JSON; at most ${MAX_PARAMS_BYTES} are stored. Store large data elsewhere and pass a reference.`,
    );
  }
  return text;
}

/** Copies params, reading every member once: what was checked is what is stored, whatever getters do. */
function readParams(params: unknown): JsonValue {
  try {
    return jsonValueOf(params, 'params', []);
  } catch (cause) {
    if (cause instanceof ScheduleInvalidError) {
      throw cause;
    }
    throw new ScheduleInvalidError('params cannot be read: a getter, toJSON() or proxy in them throws.', {
      cause,
    });
  }
}

function jsonValueOf(value: unknown, path: string, ancestors: readonly object[]): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') {
    return value;
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : refuse(path, `is ${value}; use a finite number`);
  }
  if (typeof value === 'object') {
    return jsonObjectOf(value, path, ancestors);
  }
  return refuse(path, value === undefined ? 'is undefined' : `is a ${typeof value}`);
}

function jsonObjectOf(value: object, path: string, ancestors: readonly object[]): JsonValue {
  if (ancestors.includes(value)) {
    return refuse(path, 'refers back to an object that contains it');
  }
  if (ancestors.length >= MAX_PARAMS_DEPTH) {
    throw new ScheduleInvalidError(`params are nested deeper than ${MAX_PARAMS_DEPTH} levels.`);
  }
  const inside = [...ancestors, value];
  if (Array.isArray(value)) {
    // Not `map`, which skips the holes that JSON turns into null.
    return Array.from<unknown, JsonValue>(value, (member, index) =>
      jsonValueOf(member, `${path}[${index}]`, inside),
    );
  }
  const toJson: unknown = Reflect.get(value, 'toJSON');
  if (typeof toJson === 'function') {
    // An invalid date is null in JSON.
    return types.isDate(value) && Number.isNaN(value.getTime())
      ? refuse(path, 'is an invalid Date')
      : jsonValueOf(Reflect.apply(toJson, value, []), path, inside);
  }
  return jsonMembersOf(value, path, inside);
}

function jsonMembersOf(value: object, path: string, inside: readonly object[]): JsonValue {
  // Maps, sets, typed arrays, errors …: what they hold is not in their members.
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind !== 'Object') {
    return refuse(path, `is a ${kind}; use plain objects and arrays`);
  }
  // A member that is undefined is dropped by JSON as by every caller's expectation.
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([key, member]) => [key, jsonValueOf(member, `${path}.${key}`, inside)]),
  );
}

function refuse(path: string, fault: string): never {
  const where = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  throw new ScheduleInvalidError(`${where} ${fault}: JSON cannot carry it.`);
}
