import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CronStoreModule } from 'nestjs-cron-store';
import { AuthModule } from './auth/auth.module.js';
import { Public } from './auth/public.js';
import { CreateTables1796100000000 } from './work/create-tables.js';
import { WorkModule } from './work/work.module.js';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env['DATABASE_URL'] ?? '',
      migrations: [CreateTables1796100000000],
      migrationsRun: true,
    }),
    EventEmitterModule.forRoot(),
    AuthModule,
    CronStoreModule.forRoot({
      schema: 'cron',
      autoMigrate: true,
      // Both are below the global prefix, and behind the global guard, which leaves `request.user`.
      management: { path: 'api' },
      // The page itself is public: it holds no data, and says where to sign in.
      console: { path: 'schedules', signInUrl: '/back-office/login', decorators: [Public()] },
    }),
    WorkModule,
  ],
})
export class AppModule {}
