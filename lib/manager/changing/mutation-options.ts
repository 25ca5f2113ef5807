import type { EntityManager } from 'typeorm';
import {
  knownFields,
  preview,
  ScheduleInvalidError,
  SYSTEM_ACTOR,
  type Actor,
  type Fields,
  type RequestFacts,
} from '../../schedules/index.js';

/** What every change of a schedule accepts. */
export interface MutationOptions {
  /** Who makes the change: an id, or an id and a name. Kept with the schedule and in the audit trail. Default `system`. */
  readonly actor?: string | Actor | undefined;
  /** The request that asks for the change, for the audit trail. */
  readonly request?: RequestFacts | undefined;
  /**
   * The `version` that the caller read. When the schedule has another one by now, ScheduleConflictError (2707) is
   * thrown and nothing changes.
   */
  readonly expectedVersion?: number | undefined;
  /**
   * The `EntityManager` of a transaction of the caller's: the change, with its audit record, commits or rolls back with
   * it. A refused change leaves that transaction usable. A TypeError is thrown for what is no EntityManager of an active
   * transaction of the store's data source.
   */
  readonly transaction?: EntityManager | undefined;
}

/** What a change accepts that is not of one schedule which exists: there is no version that it could expect. */
export type UnversionedOptions = Omit<MutationOptions, 'expectedVersion'>;

const MAX_ACTOR_LENGTH = 200;

/** Checked options of a change. */
export interface Mutation {
  /** The change's own options, unchecked, among the others. */
  readonly own: Fields;
  readonly actor: Actor;
  readonly request: RequestFacts | undefined;
  readonly expectedVersion: number | undefined;
  readonly transaction: EntityManager | undefined;
}

const OPTION_FIELDS = ['actor', 'request', 'expectedVersion', 'transaction'];
const ACTOR_FIELDS = ['id', 'name'];
const REQUEST_FIELDS = ['requestId', 'ip', 'userAgent'];

/**
 * Checks the options of a change.
 *
 * @param ownFields further options that the change has, which are its to check.
 * @throws ScheduleInvalidError for what cannot be understood.
 */
export function mutationOf(options: unknown, ownFields: readonly string[]): Mutation {
  const fields = knownFields(options, [...OPTION_FIELDS, ...ownFields], 'the options of this change');
  return {
    own: fields,
    actor: actorOf(fields['actor']),
    request: requestOf(fields['request']),
    expectedVersion: versionOf(fields['expectedVersion']),
    // Who is no EntityManager of an active transaction is refused by the first statement.
    transaction: fields['transaction'] as EntityManager | undefined,
  };
}

/**
 * Refuses an expected version where nothing has it, so that nobody relies on a check that is not made.
 *
 * @param method completes "leave it out on …".
 * @throws ScheduleInvalidError
 */
export function refuseVersion({ expectedVersion }: Fields, method: string): void {
  if (expectedVersion !== undefined) {
    throw new ScheduleInvalidError(
      `expectedVersion belongs to one schedule that exists; leave it out on ${method}.`,
    );
  }
}

function actorOf(given: unknown): Actor {
  if (given === undefined) {
    return SYSTEM_ACTOR;
  }
  if (typeof given === 'string') {
    return { id: actorText(given, 'actor') };
  }
  const { id, name } = knownFields(given, ACTOR_FIELDS, 'actor');
  return {
    id: actorText(id, 'actor.id'),
    ...(name === undefined ? {} : { name: actorText(name, 'actor.name') }),
  };
}

function requestOf(given: unknown): RequestFacts | undefined {
  if (given === undefined) {
    return undefined;
  }
  const fields = Object.entries(knownFields(given, REQUEST_FIELDS, 'request'));
  for (const [field, value] of fields) {
    if (value !== undefined && typeof value !== 'string') {
      throw new ScheduleInvalidError(`request.${field} must be a string, not ${preview(value)}.`);
    }
  }
  return Object.fromEntries(fields);
}

function versionOf(given: unknown): number | undefined {
  if (given === undefined || (typeof given === 'number' && Number.isSafeInteger(given))) {
    return given;
  }
  throw new ScheduleInvalidError(
    'expectedVersion must be the whole number that a schedule had as its version.',
  );
}

function actorText(value: unknown, field: string): string {
  const isText =
    typeof value === 'string' && value !== '' && value.length <= MAX_ACTOR_LENGTH && value.isWellFormed();
  if (!isText || /\p{Cc}/u.test(value)) {
    throw new ScheduleInvalidError(
      `${field} must be a string of 1 to ${MAX_ACTOR_LENGTH} characters, without control characters.`,
    );
  }
  return value;
}
