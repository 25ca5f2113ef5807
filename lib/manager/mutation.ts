import type { EntityManager } from 'typeorm';
import { ScheduleInvalidError } from '../schedules/index.js';
import { EntityManagerExecutor, type Storage, type Transaction } from '../storage/index.js';

/** What every change of a schedule accepts. */
export interface MutationOptions {
  /** Who makes the change, 1–200 characters; kept with the schedule. Default `system`. */
  readonly actor?: string;
  /**
   * The `version` that the caller read. When the schedule has another one by now, ScheduleConflictError (2707) is
   * thrown and nothing changes.
   */
  readonly expectedVersion?: number;
  /**
   * The `EntityManager` of a transaction of the caller's: the change commits or rolls back with it. A refused change
   * leaves that transaction usable.
   */
  readonly transaction?: EntityManager;
}

/** The actor of whatever is done without one being named. */
export const SYSTEM_ACTOR = 'system';

const MAX_ACTOR_LENGTH = 200;
const SAVEPOINT = 'crn_change';

/** The actor of a change. */
export function actorOf(options: MutationOptions): string {
  const { actor = SYSTEM_ACTOR }: { readonly actor?: unknown } = options;
  if (typeof actor !== 'string' || actor === '' || actor.length > MAX_ACTOR_LENGTH || /\p{Cc}/u.test(actor)) {
    throw new ScheduleInvalidError(
      `actor must be a string of 1 to ${MAX_ACTOR_LENGTH} characters without control characters.`,
    );
  }
  return actor;
}

/** The version that the caller expects, if any. */
export function expectedVersionOf(options: MutationOptions): number | undefined {
  const { expectedVersion }: { readonly expectedVersion?: unknown } = options;
  if (expectedVersion === undefined) {
    return undefined;
  }
  if (typeof expectedVersion !== 'number' || !Number.isSafeInteger(expectedVersion)) {
    throw new ScheduleInvalidError(
      'expectedVersion must be the whole number that a schedule had as its version.',
    );
  }
  return expectedVersion;
}

/**
 * Runs one change together with its wake-up: in a transaction of its own, or in the caller's behind a savepoint, so
 * that a refusal does not poison it.
 */
export async function mutate<Result>(
  storage: Storage,
  { transaction }: MutationOptions,
  change: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const changeAndWake = async (within: Transaction) => {
    const result = await change(within);
    await storage.wakeUp.send(within.executor);
    return result;
  };
  if (transaction === undefined) {
    return storage.connections.transaction('manager', changeAndWake);
  }
  const executor = new EntityManagerExecutor(transaction);
  await executor.query(`savepoint ${SAVEPOINT}`);
  try {
    const nowUnixMs = await storage.connections.nowWithin(executor);
    const result = await changeAndWake({ executor, nowUnixMs });
    await executor.query(`release savepoint ${SAVEPOINT}`);
    return result;
  } catch (error) {
    await executor.query(`rollback to savepoint ${SAVEPOINT}`);
    throw error;
  }
}
