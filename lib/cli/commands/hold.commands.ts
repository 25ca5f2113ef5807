import type { Command } from 'commander';
import type { Hold } from '../../schedules/index.js';
import { commandLineActor } from '../actor.js';
import { instantArgument } from '../arguments.js';
import type { CliContext } from '../cli-context.js';
import { instantText, table, untilText } from '../printable.js';
import { show } from '../show.js';
import { withManager } from '../store-session.js';

interface TargetOptions {
  readonly job?: string;
}

interface HoldCommandOptions extends TargetOptions {
  readonly note?: string;
  readonly until?: number;
}

/** `hold`, `release` and `holds`: the switch beside the pauses of schedules. */
export function addHoldCommands(program: Command, context: CliContext): void {
  const change = { actor: commandLineActor() };

  program
    .command('hold')
    .description('hold back every fire of a job, or of the whole store')
    .option('--job <name>', 'of the job')
    .option('--note <text>', 'why')
    .option('--until <time>', 'when it ends by itself', instantArgument)
    .action(async ({ job, ...terms }: HoldCommandOptions, command: Command) => {
      const held = await withManager(context, command, (manager) =>
        manager.hold(targetOf(job), { ...terms, ...change }),
      );
      show(context, command, held, heldInWords);
    });

  program
    .command('release')
    .description('end a hold of a job, or of the whole store')
    .option('--job <name>', 'of the job')
    .action(async ({ job }: TargetOptions, command: Command) => {
      const wasHeld = await withManager(context, command, (manager) =>
        manager.release(targetOf(job), change),
      );
      show(context, command, { wasHeld }, () =>
        wasHeld ? `Released ${inWords(job)}.\n` : `There was no hold of ${inWords(job)}.\n`,
      );
    });

  program
    .command('holds')
    .description('list what is held, by whom, since when and why')
    .action(async (_options: unknown, command: Command) => {
      const holds = await withManager(context, command, (manager) => manager.listHolds());
      show(context, command, holds, holdsTable);
    });
}

function heldInWords({ jobName, untilUnixMs }: Hold): string {
  return `Held ${inWords(jobName)}${untilText(untilUnixMs)}.\n`;
}

function holdsTable(holds: readonly Hold[]): string {
  return holds.length === 0
    ? 'Nothing is held.\n'
    : table(['HELD', 'BY', 'SINCE', 'UNTIL', 'NOTE'], holds.map(holdRow));
}

function holdRow({ jobName, heldBy, heldAtUnixMs, untilUnixMs, note }: Hold): readonly string[] {
  return [
    inWords(jobName),
    heldBy,
    instantText(heldAtUnixMs),
    untilUnixMs === undefined ? 'released' : instantText(untilUnixMs),
    note ?? '',
  ];
}

function targetOf(job: string | undefined): { readonly jobName?: string } {
  return job === undefined ? {} : { jobName: job };
}

function inWords(job: string | undefined): string {
  return job === undefined ? 'everything' : `the job ${JSON.stringify(job)}`;
}
