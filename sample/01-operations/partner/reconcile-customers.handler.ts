import { Injectable, Logger } from '@nestjs/common';
import { cron, type Execution, JobHandler } from 'nestjs-cron-store';
import { DataSource } from 'typeorm';
import { PartnerClient } from './partner.client.js';
import { PartnerReconciliation } from './partner-reconciliation.entity.js';
import { ReconcileParams } from './reconcile-params.js';
import { saveCustomers } from './save-customers.js';

/**
 * Compares every customer with the partner's, page by page, for about twelve seconds: long enough to be interrupted.
 * With `recover`, a run that was killed is fired again with the same idempotency key, under which it finds what the
 * attempt before has done, and goes on from there.
 */
@Injectable()
@JobHandler({
  name: 'partner-reconciliation',
  params: ReconcileParams,
  defaultSchedule: { trigger: cron('* * * * *'), params: { pageSize: 25 }, recover: true, timeout: '1m' },
})
export class ReconcileCustomersHandler implements JobHandler<ReconcileParams> {
  private readonly logger = new Logger('Partner');

  constructor(
    private readonly dataSource: DataSource,
    private readonly partner: PartnerClient,
  ) {}

  async execute(execution: Execution<ReconcileParams>): Promise<void> {
    const { idempotencyKey, scheduledAt, attempt, params, signal } = execution;
    const progress = await this.progressOf(idempotencyKey, scheduledAt);
    this.logger.log(
      `Reconciliation of ${scheduledAt.toISOString()}, attempt ${attempt}, begins after page ${progress.pagesDone}.`,
    );
    while (progress.finishedAt === null) {
      await this.reconcilePage(progress, params, signal);
    }
    this.logger.log(`Reconciliation of ${scheduledAt.toISOString()} is done: ${progress.pagesDone} pages.`);
  }

  private async progressOf(occurrence: string, scheduledAt: Date): Promise<PartnerReconciliation> {
    const repository = this.dataSource.getRepository(PartnerReconciliation);
    const progress = await repository.findOneBy({ occurrence });
    return (
      progress ??
      repository.create({ occurrence, scheduledAt, pagesDone: 0, pagesTotal: null, finishedAt: null })
    );
  }

  private async reconcilePage(
    progress: PartnerReconciliation,
    { pageSize }: ReconcileParams,
    signal: AbortSignal,
  ): Promise<void> {
    const { customers, pages } = await this.partner.customers(progress.pagesDone, pageSize, signal);
    progress.pagesDone += 1;
    progress.pagesTotal = pages;
    progress.finishedAt = progress.pagesDone >= pages ? new Date() : null;
    // The page and the progress commit together, so that no page is left out and none is repeated.
    await this.dataSource.transaction(async (manager) => {
      await saveCustomers(manager, customers);
      await manager.save(progress);
    });
  }
}
