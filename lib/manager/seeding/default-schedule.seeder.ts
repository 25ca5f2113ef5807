import { Inject, Injectable } from '@nestjs/common';
import { RunEventPublisher } from '../../events/index.js';
import { JOB_REGISTRY, type JobHandlerRegistry, type RegisteredJob } from '../../jobs/index.js';
import {
  definedFields,
  ScheduleExistsError,
  ScheduleInvalidError,
  SYSTEM_ACTOR,
  type Schedule,
  type ScheduleDefinition,
} from '../../schedules/index.js';
import { CRON_STORE_STORAGE, mintId, type Storage, type Transaction } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { type LogFacts, StoreLogger } from '../../store-logger.js';
import { isDefaultStore, STORE_NAME, storeInWords } from '../../store-name.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { defaultDefinitionOf, type DefaultDefinition } from './default-definition.js';
import { SCHEDULE_RESOURCE } from '../changing/mutations.js';
import { announceMissed, replaceSchedule, type Replacement } from '../changing/replace-schedule.js';
import { positionOfNew } from '../changing/schedule-change.js';

/** What syncing a default schedule did. */
interface SyncResult extends Pick<Replacement, 'missed'> {
  readonly kind: 'seeded' | 'updated' | 'adopted' | 'name_taken' | 'unchanged';
}

const UNCHANGED: SyncResult = { kind: 'unchanged' };

/**
 * Syncs the default schedules of this node's job handlers into the store. Each is seeded once for ever: a renamed
 * schedule gets no twin, and a deleted one does not come back with the next deployment. After that it belongs to the
 * operators, or with `onRedeploy: 'update'` to the code. Nothing is ever deleted: another deployment's schedules are not
 * touched. Any number of nodes may sync at once; the primary key and the row lock of the seed decide.
 */
@Injectable()
export class DefaultScheduleSeeder {
  private readonly logger = new StoreLogger();
  /** Where it seeds, as lines end with it; nothing for the unnamed store. */
  private readonly place: string;

  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    @Inject(JOB_REGISTRY) private readonly registry: JobHandlerRegistry,
    private readonly audit: AuditTrail,
    private readonly events: RunEventPublisher,
    @Inject(STORE_NAME) store: string,
  ) {
    this.place = isDefaultStore(store) ? '' : ` in ${storeInWords(store)}`;
  }

  /**
   * Syncs the default schedules of jobs.
   *
   * @param jobs Default: every one of this node.
   * @throws an error that names the handler when its default schedule is invalid.
   */
  async seed(jobs: readonly RegisteredJob[] = this.registry.all()): Promise<void> {
    const { storage } = this;
    if (storage === undefined) {
      return;
    }
    for (const job of jobs) {
      const given = await defaultDefinitionOf(job);
      if (given !== undefined) {
        await this.syncAndLog(storage, given);
      }
    }
  }

  private async syncAndLog(storage: Storage, given: DefaultDefinition): Promise<void> {
    try {
      const result = await storage.environment.transaction('manager', (transaction) =>
        this.sync(storage, transaction, given),
      );
      announceMissed(this.events, result);
      this.log(result, given.definition);
    } catch (error) {
      if (error instanceof ScheduleExistsError) {
        // Created by somebody since we looked: look again.
        return this.syncAndLog(storage, given);
      }
      if (!(error instanceof ScheduleInvalidError)) {
        throw error;
      }
      // Valid, yet nothing to fire any more, such as a single fire in the past: no reason to keep an application down.
      this.logger.warn(
        `The default schedule ${described(given.definition)} was left out: ${messageOf(error)}`,
        factsOf(given.definition),
      );
    }
  }

  private log({ kind }: SyncResult, definition: ScheduleDefinition): void {
    switch (kind) {
      case 'seeded':
        this.logger.log(`Seeded the schedule ${described(definition) + this.place}.`, factsOf(definition));
        break;
      case 'updated':
        this.logger.log(`Updated the schedule ${described(definition)}.`, factsOf(definition));
        break;
      case 'adopted':
        this.logger.warn(
          `The default schedule ${described(definition)} was not seeded: another schedule has its name, and counts as seeded from now on.`,
          factsOf(definition),
        );
        break;
      case 'name_taken':
        this.logger.warn(
          `The default schedule ${described(definition)} was not seeded, and will not be: a schedule of another job has its name. Give it another name, or create it yourself.`,
          factsOf(definition),
        );
        break;
      case 'unchanged':
        break;
    }
  }

  private async sync(
    storage: Storage,
    transaction: Transaction,
    given: DefaultDefinition,
  ): Promise<SyncResult> {
    const { executor, nowUnixMs } = transaction;
    const { definition, definitionHash, revision } = given;
    const startedAt = performance.now();
    // Where somebody created a schedule of this name and job, it stays as it is and counts as the seeded one. One of
    // another job is none of the code's business: the seed names no schedule then, as after a deletion.
    const existing = await storage.schedules.find(executor, definition.name);
    const adopted = existing?.jobName === definition.jobName ? existing : undefined;
    const scheduleId = adopted?.id ?? mintId(nowUnixMs);
    const seed = { scheduleId, definitionHash, revision };
    if (!(await storage.seeds.take(executor, definition, seed, nowUnixMs))) {
      return given.onRedeploy === 'update' ? this.update(storage, transaction, given) : UNCHANGED;
    }
    if (existing !== undefined) {
      return { kind: adopted === undefined ? 'name_taken' : 'adopted' };
    }
    const position = positionOfNew(definition, { nowUnixMs, actor: SYSTEM_ACTOR.id });
    const seeded = await storage.schedules.insert(executor, scheduleId, definition, position);
    if (seeded === undefined) {
      throw new ScheduleExistsError(definition.name);
    }
    await this.record(storage, transaction, 'create', { after: seeded }, startedAt);
    return { kind: 'seeded' };
  }

  /** Follows the code, where it says something new and no newer deployment has spoken. */
  private async update(
    storage: Storage,
    transaction: Transaction,
    given: DefaultDefinition,
  ): Promise<SyncResult> {
    const { executor } = transaction;
    const startedAt = performance.now();
    const seed = await storage.seeds.findForUpdate(executor, given.definition);
    if (
      seed === undefined ||
      seed.revision > given.revision ||
      seed.definitionHash === given.definitionHash
    ) {
      return UNCHANGED;
    }
    await storage.seeds.advance(executor, given.definition, given);
    const current = await storage.schedules.findByIdForUpdate(executor, seed.scheduleId);
    if (current === undefined) {
      return UNCHANGED;
    }
    const definition = { ...given.definition, name: current.name, isEnabled: current.isEnabled };
    const scope = { ...transaction, storage, actor: SYSTEM_ACTOR.id };
    const { schedule, missed } = await replaceSchedule(scope, current, definition);
    await this.record(storage, transaction, 'update', { before: current, after: schedule }, startedAt);
    return { kind: 'updated', ...definedFields({ missed }) };
  }

  private async record(
    storage: Storage,
    transaction: Transaction,
    action: 'create' | 'update',
    { before, after }: { readonly before?: Schedule; readonly after: Schedule },
    startedAt: number,
  ): Promise<void> {
    await this.audit.recordChange(storage, transaction, {
      actor: SYSTEM_ACTOR,
      resource: SCHEDULE_RESOURCE,
      action,
      target: after.name,
      outcome: 'success',
      code: 0,
      before,
      after,
      elapsedMs: performance.now() - startedAt,
    });
    await storage.wakeUp.send(transaction.executor);
  }
}

function described({ name, jobName }: ScheduleDefinition): string {
  return `${JSON.stringify(name)} of the job ${JSON.stringify(jobName)}`;
}

function factsOf({ name, jobName }: ScheduleDefinition): LogFacts {
  return { scheduleName: name, jobName };
}
