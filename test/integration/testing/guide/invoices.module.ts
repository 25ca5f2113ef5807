import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CronStoreModule, every, type Execution, JobHandler } from 'nestjs-cron-store';

@JobHandler({ name: 'send-invoices', defaultSchedule: { trigger: every('1h'), recover: true } })
export class SendInvoices implements JobHandler {
  readonly sent: string[] = [];
  mail: Promise<unknown> = Promise.resolve();

  async execute({ idempotencyKey }: Execution) {
    await this.mail;
    this.sent.push(idempotencyKey);
  }
}

@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      useFactory: () => ({ type: 'postgres', url: process.env['DATABASE_URL'] ?? '' }),
    }),
    EventEmitterModule.forRoot(),
    CronStoreModule.forRoot({ autoMigrate: true }),
  ],
  providers: [SendInvoices],
})
export class InvoicesModule {}
