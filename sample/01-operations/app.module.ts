import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { CronStoreModule } from 'nestjs-cron-store';
import { DatabaseModule } from './database/database.module.js';
import { DigestModule } from './digest/digest.module.js';
import { environment } from './environment.js';
import { OperatorModule } from './operator/operator.module.js';
import { TokenGuard } from './operator/token.guard.js';
import { PartnerModule } from './partner/partner.module.js';
import { ReportingModule } from './reporting/reporting.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { VitalsModule } from './vitals/vitals.module.js';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, load: [environment] }),
    EventEmitterModule.forRoot(),
    DatabaseModule,
    CronStoreModule.forRoot({
      // Beside the application's tables, not among them.
      schema: 'cron',
      autoMigrate: true,
      // Shorter than the defaults, so that whoever tries the sample does not wait a minute to see what becomes of a
      // crash and of an outage.
      heartbeatInterval: '2s',
      abandonedAfter: '8s',
      misfireThreshold: '15s',
      shutdownTimeout: '10s',
      runRetention: '168h',
      management: { guards: [TokenGuard] },
      console: true,
    }),
    VitalsModule,
    SessionsModule,
    PartnerModule,
    DigestModule,
    ReportingModule,
    OperatorModule,
  ],
})
export class AppModule {}
