import { Injectable, Logger } from '@nestjs/common';
import { every, type Execution, JobHandler } from 'nestjs-cron-store';
import { DataSource } from 'typeorm';
import { PartnerClient } from './partner.client.js';
import { PartnerFeed } from './partner-feed.entity.js';
import { saveCustomers } from './save-customers.js';

const FEED = 'customer-changes';

/**
 * Takes over what changed at the partner since the last time. A run that the partner turns away fails, and nothing is
 * lost by it: the next one, or the operator's, reads from where the last successful one had come to.
 */
@Injectable()
@JobHandler({ name: 'partner-sync', defaultSchedule: { trigger: every('20s'), timeout: '10s' } })
export class SyncChangesHandler implements JobHandler {
  private readonly logger = new Logger('Partner');

  constructor(
    private readonly dataSource: DataSource,
    private readonly partner: PartnerClient,
  ) {}

  async execute({ signal }: Execution): Promise<void> {
    const { readThrough: since } = await this.feed();
    const { customers, readThrough } = await this.partner.changesSince(since, signal);
    // Both or nothing: what was not saved is read again.
    await this.dataSource.transaction(async (manager) => {
      await saveCustomers(manager, customers);
      await manager.save(PartnerFeed, { feed: FEED, readThrough });
    });
    this.logger.log(`Took over ${customers.length} changed customers.`);
  }

  private async feed(): Promise<Pick<PartnerFeed, 'readThrough'>> {
    const feed = await this.dataSource.manager.findOneBy(PartnerFeed, { feed: FEED });
    return feed ?? { readThrough: new Date(0) };
  }
}
