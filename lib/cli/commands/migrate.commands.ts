import type { Command } from 'commander';
import { resolveOptions } from '../../options/index.js';
import { MigrationRefusedError, type MigrationSql, migrationSql } from '../../storage/index.js';
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
      try {
        await checkTables(context, command, { autoMigrate: true });
      } catch (error) {
        if (error instanceof MigrationRefusedError) {
          throw new RefusedError(`${error.refusal} Run it as the role that owns the tables.`);
        }
        throw error;
      }
      show(context, command, { schema: schemaOf(command), isReady: true }, ready);
    });

  migrate
    .command('status')
    .description('check whether the tables are what this version needs; changes nothing')
    .action(async (_options: unknown, command: Command) => {
      await checkTables(context, command);
      show(context, command, { schema: schemaOf(command), isReady: true }, ready);
    });

  migrate
    .command('sql')
    .description('print what the migrations would run, without a database')
    .action(async (_options: unknown, command: Command) => {
      const { schema } = resolveOptions({ schema: schemaOf(command) });
      const sql = await migrationSql(schema);
      show(context, command, sql.statements, () => scriptOf(sql));
    });
}

function ready({ schema }: { readonly schema: string }): string {
  return `The schema ${JSON.stringify(schema)} is ready.\n`;
}

function scriptOf({ createSchema, statements }: MigrationSql): string {
  return [`-- ${createSchema}; -- where there is none yet\n`, ...statements.map((each) => `${each};\n`)].join(
    '\n',
  );
}

function schemaOf(command: Command): string {
  return command.optsWithGlobals<GlobalOptions>().schema;
}
