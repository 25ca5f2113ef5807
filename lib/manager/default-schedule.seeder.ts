import { Inject, Injectable, Logger } from '@nestjs/common';
import { JobHandlerRegistry, type RegisteredJob } from '../jobs/index.js';
import {
  defineSchedule,
  ScheduleExistsError,
  ScheduleInvalidError,
  type ScheduleDefinition,
} from '../schedules/index.js';
import { CRON_STORE_STORAGE, mintId, type Storage } from '../storage/index.js';
import { AuditTrail } from './audit-trail.js';
import { SYSTEM_ACTOR } from './mutation-options.js';
import { SCHEDULE_RESOURCE } from './mutations.js';
import { positionOfNew } from './schedule-change.js';

/**
 * Seeds the default schedules of this node's job handlers, each once for ever: an operator's changes are never
 * overwritten, a renamed schedule gets no twin, and a deleted one does not come back with the next deployment. Any
 * number of nodes may seed at once; the primary key of the seed decides.
 */
@Injectable()
export class DefaultScheduleSeeder {
  private readonly logger = new Logger(DefaultScheduleSeeder.name);

  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    private readonly registry: JobHandlerRegistry,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Seeds what was never seeded.
   *
   * @throws an error that names the handler when its default schedule is invalid: better at boot than at fire time.
   */
  async seed(): Promise<void> {
    const { storage } = this;
    if (storage === undefined) {
      return;
    }
    for (const job of this.registry.all()) {
      const definition = await defaultDefinitionOf(job);
      if (definition !== undefined) {
        await this.seedOne(storage, definition);
      }
    }
  }

  private async seedOne(storage: Storage, definition: ScheduleDefinition): Promise<void> {
    const { name, jobName } = definition;
    try {
      if (await this.seedInTransaction(storage, definition)) {
        this.logger.log(`Seeded the schedule ${JSON.stringify(name)} of the job ${JSON.stringify(jobName)}.`);
      }
    } catch (error) {
      if (error instanceof ScheduleExistsError) {
        // Created by somebody since we looked: look again.
        return this.seedOne(storage, definition);
      }
      if (!(error instanceof ScheduleInvalidError)) {
        throw error;
      }
      // Valid, yet nothing to fire any more, such as a single fire in the past: no reason to keep an application down.
      this.logger.warn(
        `The default schedule ${JSON.stringify(name)} of the job ${JSON.stringify(jobName)} was not seeded: ${error.message}`,
      );
    }
  }

  private async seedInTransaction(storage: Storage, definition: ScheduleDefinition): Promise<boolean> {
    const { name, jobName } = definition;
    const startedAt = performance.now();
    return storage.connections.transaction('manager', async (transaction) => {
      const { executor, nowUnixMs } = transaction;
      // Where somebody created a schedule of this name, it stays theirs and counts as the seeded one.
      const existing = await storage.schedules.find(executor, name);
      const id = existing?.id ?? mintId(nowUnixMs);
      const isFirst = await storage.seeds.take(executor, { jobName, name }, id, nowUnixMs);
      if (!isFirst || existing !== undefined) {
        return false;
      }
      const position = positionOfNew(definition, { nowUnixMs, actor: SYSTEM_ACTOR.id });
      const seeded = await storage.schedules.insert(executor, id, definition, position);
      if (seeded === undefined) {
        throw new ScheduleExistsError(name);
      }
      await this.audit.recordChange(storage, transaction, {
        actor: SYSTEM_ACTOR,
        resource: SCHEDULE_RESOURCE,
        action: 'create',
        target: name,
        outcome: 'success',
        code: 0,
        after: seeded,
        elapsedMs: performance.now() - startedAt,
      });
      await storage.wakeUp.send(executor);
      return true;
    });
  }
}

async function defaultDefinitionOf(job: RegisteredJob): Promise<ScheduleDefinition | undefined> {
  try {
    const spec = await job.defaultSchedule();
    return spec === undefined ? undefined : defineSchedule({ ...spec, jobName: job.name }, job.name);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The default schedule of ${job.place} is invalid: ${reason}`, { cause });
  }
}
