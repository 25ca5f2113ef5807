import type { Command } from 'commander';
import type { ScheduleManager, TakeOver } from '../../manager/index.js';
import { commandLineActor } from '../actor.js';
import type { CliContext, GlobalOptions } from '../cli-context.js';
import { UsageError } from '../cli.errors.js';
import { confirm } from '../confirm.js';
import { show } from '../show.js';
import { checkTables, environmentOf, withManager } from '../store-session.js';

interface TakeOverCommandOptions {
  readonly release: boolean;
  readonly yes: boolean;
}

/** `take-over`: whose the store is. */
export function addTakeOverCommand(program: Command, context: CliContext): void {
  program
    .command('take-over')
    .description('give a restored or copied store to the environment of --environment, and hold everything')
    .option('--release', 'hold nothing: what is due fires at once', false)
    .option('--yes', 'do not ask where nodes are alive', false)
    .action(async ({ release, yes }: TakeOverCommandOptions, command: Command) => {
      refuseUnsaid(context, command);
      // Says what is missing, where the tables are not what the questions below need.
      await checkTables(context, command);
      const results: TakeOver[] = [];
      await withManager(context, command, async () => undefined, {
        beforeStart: async (manager) => {
          await confirmWhereAlive(context, manager, yes);
          results.push(await manager.takeOver({ hold: !release, actor: commandLineActor() }));
        },
      });
      results.forEach((result) => show(context, command, result, inWords));
    });
}

function refuseUnsaid(context: CliContext, command: Command): void {
  const { environment } = command.optsWithGlobals<GlobalOptions>();
  if (environment !== false && environmentOf(context, command) === undefined) {
    throw new UsageError(
      "Say whose the store is to be, as in `cron-store take-over --environment staging`, or --no-environment for nobody's.",
    );
  }
}

/** A restored copy has no nodes. Where there are some, this may be the original. */
async function confirmWhereAlive(context: CliContext, manager: ScheduleManager, yes: boolean): Promise<void> {
  const nodes = await manager.listNodes();
  const alive = nodes.filter(({ isAlive }) => isAlive);
  if (alive.length > 0) {
    const hosts = [...new Set(alive.map(({ host }) => host))].join(', ');
    await confirm(
      context.terminal,
      `keep the nodes that are alive from claiming if they are of another environment (${alive.length}, on ${hosts})`,
      yes,
    );
  }
}

function inWords({ isTakenOver, environment, formerEnvironment, isHeld }: TakeOver): string {
  const of = environment === undefined ? 'to no environment' : `to ${JSON.stringify(environment)}`;
  if (!isTakenOver) {
    return `The store belongs ${of} already; nothing was changed.\n`;
  }
  const instead =
    formerEnvironment === undefined ? '' : `, and no longer to ${JSON.stringify(formerEnvironment)}`;
  return isHeld
    ? `The store belongs ${of} now${instead}. Everything is held until it is released.\n`
    : `The store belongs ${of} now${instead}. What is due fires.\n`;
}
