import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Command } from 'commander';
import { CronStoreModule } from '../cron-store.module.js';
import { ScheduleManager } from '../manager/index.js';
import { resolveOptions } from '../options/index.js';
import { StoreEnvironmentError } from '../schedules/index.js';
import type { CliContext, GlobalOptions } from './cli-context.js';
import { UsageError } from './cli.errors.js';

/** What is special about the start of a session. */
export interface SessionOptions {
  /** Whether to bring the tables up to date first. */
  readonly autoMigrate?: boolean;
  /** What to do before the store is looked at, as it refuses what belongs to another environment. */
  readonly beforeStart?: (manager: ScheduleManager) => Promise<void>;
}

/**
 * Opens the store that a command is about, in a Nest application of its own that manages and never executes, and closes
 * it again.
 *
 * @throws UsageError without a usable DATABASE_URL; CronStoreOptionsError for the options; StoreSchemaError when the tables
 *   are not what this version needs; StoreEnvironmentError when the store belongs to another environment; what the
 *   database and `work` throw.
 */
export async function withManager<Result>(
  context: CliContext,
  command: Command,
  work: (manager: ScheduleManager) => Promise<Result>,
  { autoMigrate = false, beforeStart }: SessionOptions = {},
): Promise<Result> {
  const { schema, abandonedAfter } = command.optsWithGlobals<GlobalOptions>();
  // Nobody heartbeats here: the shortest interval goes with whatever the nodes call abandoned.
  const store = {
    schema,
    environment: environmentOf(context, command),
    abandonedAfter,
    autoMigrate,
    execute: false,
    heartbeatInterval: '10ms',
    listen: false,
    startupTimeout: 0,
  };
  resolveOptions(store);
  const url = databaseUrlOf(context.environment);
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
      providers: [
        // Made before anything starts.
        {
          provide: 'beforeStart',
          inject: [ScheduleManager],
          useFactory: (manager: ScheduleManager) => beforeStart?.(manager),
        },
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

/** Opens the store to see that its tables are what this version needs, whichever environment it belongs to. */
export async function checkTables(
  context: CliContext,
  command: Command,
  options: SessionOptions = {},
): Promise<void> {
  try {
    await withManager(context, command, async () => undefined, options);
  } catch (error) {
    // The tables are looked at before.
    if (!(error instanceof StoreEnvironmentError)) {
      throw error;
    }
  }
}

/** The environment that a command is given; undefined where it is none. */
export function environmentOf({ environment }: CliContext, command: Command): string | undefined {
  const { environment: given = environment['CRON_STORE_ENVIRONMENT'] } =
    command.optsWithGlobals<GlobalOptions>();
  return given === false ? undefined : given;
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
