import { Inject, Injectable } from '@nestjs/common';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import { definedFields, SYSTEM_ACTOR } from '../schedules/index.js';
import { checkSchema, CRON_STORE_STORAGE, type Storage, type Transaction } from '../storage/index.js';
import { StoreLogger } from '../store-logger.js';
import { isDefaultStore } from '../store-name.js';
import { AuditTrail } from './audit/audit-trail.js';
import { refuseVersion, type UnversionedOptions } from './changing/mutation-options.js';
import { Mutations, SCHEDULE_RESOURCE, type MutationScope } from './changing/mutations.js';
import { flagOption } from './changing/own-options.js';
import { StoreReader } from './reading/store-reader.js';

/** Options of a take-over. */
export interface TakeOverOptions extends UnversionedOptions {
  /**
   * Whether everything is held back afterwards, until `release({})`. `false` lets everything go on at once, and ends a
   * hold of the whole store that was there. Default true.
   */
  readonly hold?: boolean | undefined;
}

/** What a take-over did. */
export interface TakeOver {
  /** False where the store belonged to this environment already, and nothing was changed. */
  readonly isTakenOver: boolean;
  /** Whose the store is; absent where it is nobody's. */
  readonly environment?: string;
  /** Whose it was; absent where it was nobody's. */
  readonly formerEnvironment?: string;
  /** Whether everything is held back because of it. */
  readonly isHeld: boolean;
}

/**
 * Keeps an application from the store of another environment, such as a copy of production's database in staging, and
 * hands a store over from one to another.
 */
@Injectable()
export class Environments {
  private readonly logger = new StoreLogger();

  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    private readonly reader: StoreReader,
    private readonly mutations: Mutations,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Looks whose the store is. One that is nobody's goes to a node that declares an environment; who only manages, as the
   * command line does, changes nothing by looking.
   *
   * @throws StoreEnvironmentError (2708) where the store belongs to another environment.
   */
  async keep(): Promise<void> {
    const { storage, options } = this;
    if (storage === undefined) {
      return;
    }
    const isNobodys = await storage.connections.transaction('manager', async ({ executor }) => {
      const stored = await storage.environment.read(executor);
      storage.environment.refuseForeign(stored);
      return stored === undefined;
    });
    if (isNobodys && options.environment !== undefined && options.execute) {
      // No transaction of the store's own kind: one that has read whose the store is could not lock it for itself.
      const isAdopted = await storage.connections.transaction('manager', (transaction) =>
        this.adopt(storage, transaction),
      );
      if (isAdopted) {
        this.logger.log(
          `${subjectOf(options.name)} belongs to the environment ${JSON.stringify(options.environment)} from now on.`,
        );
        return;
      }
      // Somebody else came first: it may be another environment's by now.
      await this.keep();
    }
  }

  async takeOver(options: TakeOverOptions): Promise<TakeOver> {
    const storage = this.reader.refuseDisabled();
    // Where it is called before the start there was no check yet.
    await checkSchema(storage.connections, storage.schema);
    const { environment } = this.options;
    const attempt = {
      resource: SCHEDULE_RESOURCE,
      action: 'take_over',
      params: { environment },
      ownOptions: ['hold'],
      isForAnyEnvironment: true,
    } as const;
    return this.mutations.run(attempt, options, (own) => {
      refuseVersion(own, 'takeOver');
      const isHeld = flagOption(own, 'hold', true);
      return async (scope) => {
        const formerEnvironment = await storage.environment.take(scope.executor);
        const isTakenOver = formerEnvironment !== environment;
        if (isTakenOver) {
          await (isHeld ? this.holdEverything(scope, formerEnvironment) : storage.holds.remove(scope, {}));
        }
        const takeOver = {
          isTakenOver,
          ...definedFields({ environment, formerEnvironment }),
          isHeld: isTakenOver && isHeld,
        };
        return {
          result: takeOver,
          before: { environment: formerEnvironment },
          after: { environment, isHeld: takeOver.isHeld },
        };
      };
    });
  }

  private async holdEverything(
    { storage, executor, nowUnixMs, actor }: MutationScope,
    former: string | undefined,
  ): Promise<void> {
    await storage.holds.put(executor, {
      note: former === undefined ? 'Taken over.' : `Taken over from ${JSON.stringify(former)}.`,
      heldAtUnixMs: nowUnixMs,
      heldBy: actor,
    });
  }

  private async adopt(storage: Storage, transaction: Transaction): Promise<boolean> {
    const startedAt = performance.now();
    if (!(await storage.environment.adopt(transaction.executor))) {
      return false;
    }
    const { environment } = this.options;
    await this.audit.recordChange(storage, transaction, {
      actor: SYSTEM_ACTOR,
      resource: SCHEDULE_RESOURCE,
      action: 'adopt',
      outcome: 'success',
      code: 0,
      after: { environment },
      elapsedMs: performance.now() - startedAt,
    });
    return true;
  }
}

/** The store, as a sentence begins with it; the unnamed one needs no name. */
function subjectOf(store: string): string {
  return isDefaultStore(store) ? 'The store' : `The store ${JSON.stringify(store)}`;
}
