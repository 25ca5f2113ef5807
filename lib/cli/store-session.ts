import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Command } from 'commander';
import { CronStoreModule } from '../cron-store.module.js';
import { ScheduleManager } from '../manager/index.js';
import { resolveOptions } from '../options/index.js';
import type { CliContext, GlobalOptions } from './cli-context.js';
import { UsageError } from './cli.errors.js';

/**
 * Opens the store that a command is about, in a Nest application of its own that manages and never executes, and closes
 * it again.
 *
 * @param autoMigrate whether to bring the tables up to date first.
 * @throws UsageError without a usable DATABASE_URL; CronStoreOptionsError for the options; StoreSchemaError when the tables
 *   are not what this version needs; what the database and `work` throw.
 */
export async function withManager<Result>(
  { environment }: CliContext,
  command: Command,
  work: (manager: ScheduleManager) => Promise<Result>,
  { autoMigrate = false }: { readonly autoMigrate?: boolean } = {},
): Promise<Result> {
  const { schema, abandonedAfter } = command.optsWithGlobals<GlobalOptions>();
  // Nobody heartbeats here: the shortest interval goes with whatever the nodes call abandoned.
  const store = {
    schema,
    abandonedAfter,
    autoMigrate,
    execute: false,
    heartbeatInterval: '10ms',
    listen: false,
    startupTimeout: 0,
  };
  resolveOptions(store);
  const url = databaseUrlOf(environment);
  const application = await NestFactory.createApplicationContext(
    {
      module: class CommandLine {},
      imports: [
        TypeOrmModule.forRoot({
          type: 'postgres',
          url,
          applicationName: 'cron-store',
          retryAttempts: 0,
          installExtensions: false,
          logging: false,
        }),
        CronStoreModule.forRoot({ ...store, management: false }),
      ],
    },
    { logger: false, abortOnError: false },
  );
  try {
    return await work(application.get(ScheduleManager));
  } finally {
    await application.close();
  }
}

function databaseUrlOf(environment: CliContext['environment']): string {
  const url = environment['DATABASE_URL'];
  const isUsable = url !== undefined && URL.canParse(url) && /^postgres(?:ql)?:$/.test(new URL(url).protocol);
  if (!isUsable) {
    // What it is instead may hold a password.
    throw new UsageError(
      'Set the environment variable DATABASE_URL to a PostgreSQL URL such as postgres://user:password@host:5432/database.',
    );
  }
  return url;
}
