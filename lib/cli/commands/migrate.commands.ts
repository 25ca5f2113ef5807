import type { Command } from 'commander';
import { resolveOptions } from '../../options/index.js';
import { migrationSql, StoreSchemaError } from '../../storage/index.js';
import type { CliContext, GlobalOptions } from '../cli-context.js';
import { RefusedError } from '../cli.errors.js';
import { show } from '../show.js';
import { checkTables } from '../store-session.js';

/** `migrate`: the tables of the store. */
export function addMigrateCommands(program: Command, context: CliContext): void {
  const migrate = program.command('migrate').description("the store's tables");

  migrate
    .command('up')
    .description('bring the tables up to date, as autoMigrate does')
    .action(async (_options: unknown, command: Command) => {
      await checkTables(context, command, { autoMigrate: true });
      show(context, command, { schema: schemaOf(command), isReady: true }, ready);
    });

  migrate
    .command('status')
    .description('check whether the tables are what this version needs; changes nothing')
    .action(async (_options: unknown, command: Command) => {
      try {
        await checkTables(context, command);
      } catch (error) {
        if (error instanceof StoreSchemaError) {
          throw new RefusedError(`${error.message} Or run cron-store migrate up.`);
        }
        throw error;
      }
      show(context, command, { schema: schemaOf(command), isReady: true }, ready);
    });

  migrate
    .command('sql')
    .description('print what the migrations would run, without a database')
    .action(async (_options: unknown, command: Command) => {
      const { schema } = resolveOptions({ schema: schemaOf(command) });
      const statements = await migrationSql(schema);
      show(context, command, statements, () => statements.map((statement) => `${statement};\n`).join('\n'));
    });
}

function ready({ schema }: { readonly schema: string }): string {
  return `The schema ${JSON.stringify(schema)} is ready.\n`;
}

function schemaOf(command: Command): string {
  return command.optsWithGlobals<GlobalOptions>().schema;
}
