import { Command } from 'commander';
import { PACKAGE_VERSION } from '../engine/index.js';
import type { CliContext } from './cli-context.js';
import { addHoldCommands } from './commands/hold.commands.js';
import { addMigrateCommands } from './commands/migrate.commands.js';
import { addNodesCommand } from './commands/nodes.command.js';
import { addPreviewCommand } from './commands/preview.command.js';
import { addRunCommands } from './commands/run.commands.js';
import { addScheduleCommands } from './commands/schedule.commands.js';
import { addTakeOverCommand } from './commands/take-over.command.js';

/** The program `cron-store`, with all of its commands. */
export function createProgram(context: CliContext): Command {
  const program = new Command('cron-store')
    .description('Manages the durable schedules of a database, without executing any.')
    .version(PACKAGE_VERSION)
    .option('--schema <name>', 'PostgreSQL schema of the store', 'public')
    .option(
      '--abandoned-after <duration>',
      "the nodes' abandonedAfter, after which a silent one is dead",
      '1m',
    )
    .option(
      '--environment <name>',
      'the environment of the store; default that of the variable CRON_STORE_ENVIRONMENT',
    )
    .option('--no-environment', 'the environment of the store is none')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nThe database is the one of the environment variable DATABASE_URL.\nA <time> is such as 2026-01-15T12:00:00Z, or 2026-01-15, which is its midnight in UTC.',
    )
    .configureOutput({
      writeOut: (text) => context.terminal.write(text),
      writeErr: (text) => context.terminal.writeError(text),
    })
    .exitOverride();
  addScheduleCommands(program, context);
  addRunCommands(program, context);
  addHoldCommands(program, context);
  addNodesCommand(program, context);
  addPreviewCommand(program, context);
  addMigrateCommands(program, context);
  addTakeOverCommand(program, context);
  return program;
}
