import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PartnerClient } from './partner.client.js';
import { PartnerCustomer } from './partner-customer.entity.js';
import { PartnerFeed } from './partner-feed.entity.js';
import { PartnerReconciliation } from './partner-reconciliation.entity.js';
import { PartnerSimulator } from './partner.simulator.js';
import { ReconcileCustomersHandler } from './reconcile-customers.handler.js';
import { SyncChangesHandler } from './sync-changes.handler.js';

@Module({
  imports: [TypeOrmModule.forFeature([PartnerCustomer, PartnerFeed, PartnerReconciliation])],
  providers: [PartnerSimulator, PartnerClient, SyncChangesHandler, ReconcileCustomersHandler],
})
export class PartnerModule {}
