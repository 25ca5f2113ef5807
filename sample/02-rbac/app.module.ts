import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CronStoreModule } from 'nestjs-cron-store';
import { AuthModule } from './auth/auth.module.js';
import { JwtAuthGuard } from './auth/jwt-auth.guard.js';
import { WriteReportHandler } from './reports/write-report.handler.js';

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url: process.env['DATABASE_URL'] ?? '' }),
    EventEmitterModule.forRoot(),
    AuthModule,
    CronStoreModule.forRoot({
      schema: 'cron',
      autoMigrate: true,
      // The guard finds out who it is; the default checker looks their permissions up in `request.user.permissions`.
      management: { imports: [AuthModule], guards: [JwtAuthGuard] },
    }),
  ],
  providers: [WriteReportHandler],
})
export class AppModule {}
