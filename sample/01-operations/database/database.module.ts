import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { environment, type Environment } from '../environment.js';
import { CreateTables1796000000000 } from './1796000000000-create-tables.js';
import { openMigrated } from './open-migrated.js';

/** The application's database: its own tables are in the schema `operations`. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [environment.KEY],
      useFactory: ({ DATABASE_URL }: Environment) => ({
        type: 'postgres',
        url: DATABASE_URL,
        schema: 'operations',
        applicationName: 'operations',
        autoLoadEntities: true,
        migrations: [CreateTables1796000000000],
        // What does not work at start-up is told at once; whoever supervises the process starts it again.
        toRetry: () => false,
      }),
      dataSourceFactory: openMigrated,
    }),
  ],
})
export class DatabaseModule {}
