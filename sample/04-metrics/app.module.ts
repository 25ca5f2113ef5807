import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CronStoreModule } from 'nestjs-cron-store';
import { MeasureTablesHandler } from './jobs/measure-tables.handler.js';
import { ProbeUrlHandler } from './jobs/probe-url.handler.js';

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url: process.env['DATABASE_URL'] ?? '' }),
    EventEmitterModule.forRoot(),
    // Nothing here is about metrics: they are exported because an SDK is there.
    CronStoreModule.forRoot({ schema: 'cron', autoMigrate: true, management: false }),
  ],
  providers: [MeasureTablesHandler, ProbeUrlHandler],
})
export class AppModule {}
