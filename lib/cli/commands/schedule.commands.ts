import type { Command } from 'commander';
import type { ScheduleDetail } from '../../manager/index.js';
import type { JsonValue, ListedSchedule, Schedule } from '../../schedules/index.js';
import { durationText } from '../../triggers/index.js';
import { commandLineActor } from '../actor.js';
import { instantArgument, jsonArgument } from '../arguments.js';
import type { CliContext } from '../cli-context.js';
import { confirm } from '../confirm.js';
import { instantText, members, table, untilText } from '../printable.js';
import { show } from '../show.js';
import { withManager } from '../store-session.js';

interface PauseCommandOptions {
  readonly note?: string;
  readonly until?: number;
}

interface TriggerCommandOptions {
  readonly key?: string;
  readonly params?: JsonValue;
  readonly evenIfPaused?: boolean;
}

/** `schedules`: what is scheduled, and the operator's hand on it. */
export function addScheduleCommands(program: Command, context: CliContext): void {
  const schedules = program.command('schedules').description('what is scheduled, and changes to it');
  addReading(schedules, context);
  addChanges(schedules, context);
}

function addReading(schedules: Command, context: CliContext): void {
  schedules
    .command('list')
    .description('list schedules by name')
    .option('--job <name>', 'of the job')
    .action(async ({ job }: { readonly job?: string }, command: Command) => {
      const filter = job === undefined ? {} : { jobName: job };
      const listed = await withManager(context, command, (manager) => manager.list(filter));
      show(context, command, listed, schedulesTable);
    });

  schedules
    .command('orphans')
    .description('list schedules whose job no live node registers')
    .action(async (_options: unknown, command: Command) => {
      const orphans = await withManager(context, command, (manager) => manager.list({ orphaned: true }));
      show(context, command, orphans, schedulesTable);
    });

  schedules
    .command('show')
    .description('show everything about a schedule, and its next fires')
    .argument('<name>')
    .action(async (name: string, _options: unknown, command: Command) => {
      const detail = await withManager(context, command, (manager) => manager.get(name));
      show(context, command, detail, detailInWords);
    });
}

function addChanges(schedules: Command, context: CliContext): void {
  const change = { actor: commandLineActor() };

  schedules
    .command('pause')
    .description('stop a schedule from firing')
    .argument('<name>')
    .option('--note <text>', 'why')
    .option('--until <time>', 'when it resumes by itself', instantArgument)
    .action(async (name: string, options: PauseCommandOptions, command: Command) => {
      const paused = await withManager(context, command, (manager) =>
        manager.pause(name, { ...options, ...change }),
      );
      show(context, command, paused, pausedInWords);
    });

  schedules
    .command('resume')
    .description('let a schedule fire again')
    .argument('<name>')
    .action(async (name: string, _options: unknown, command: Command) => {
      const resumed = await withManager(context, command, async (manager) => {
        await manager.resume(name, change);
        const { schedule } = await manager.get(name);
        return schedule;
      });
      show(context, command, resumed, resumedInWords);
    });

  schedules
    .command('trigger')
    .description('fire a schedule once more, now')
    .argument('<name>')
    .option('--params <json>', 'params of this fire; default those of the schedule', jsonArgument)
    .option('--key <text>', 'idempotency key: the same request again fires nothing')
    .option('--even-if-paused', 'fire also while the schedule is paused')
    .action(async (name: string, { key, ...options }: TriggerCommandOptions, command: Command) => {
      const idempotency = key === undefined ? {} : { idempotencyKey: key };
      const receipt = await withManager(context, command, (manager) =>
        manager.triggerNow(name, { ...options, ...idempotency, ...change }),
      );
      show(context, command, receipt, ({ requestId, replayed }) =>
        replayed ? `It was requested before: ${requestId}.\n` : `Requested the fire ${requestId}.\n`,
      );
    });

  schedules
    .command('remove')
    .description('delete a schedule and its pending fires; its runs stay in the journal')
    .argument('<name>')
    .option('--yes', 'do not ask', false)
    .action(async (name: string, { yes }: { readonly yes: boolean }, command: Command) => {
      const removed = await withManager(context, command, async (manager) => {
        const { schedule } = await manager.get(name);
        await confirm(context.terminal, `delete the schedule ${quoted(name)}`, yes);
        // What was looked at is what is deleted, however long the answer took.
        await manager.delete(name, { ...change, expectedVersion: schedule.version });
        return schedule;
      });
      show(context, command, removed, () => `Deleted ${quoted(name)}.\n`);
    });
}

function schedulesTable(schedules: readonly ListedSchedule[]): string {
  return schedules.length === 0
    ? 'There are no such schedules.\n'
    : table(['NAME', 'JOB', 'TRIGGER', 'STATE', 'NEXT FIRE', 'LAST FIRE'], schedules.map(scheduleRow));
}

function scheduleRow(schedule: ListedSchedule): readonly string[] {
  return [
    schedule.name,
    schedule.jobName,
    triggerText(schedule),
    [schedule.state, ...(schedule.isHeld ? ['held'] : []), ...(schedule.isOrphaned ? ['orphaned'] : [])].join(
      ', ',
    ),
    instantText(schedule.nextFireAtUnixMs),
    instantText(schedule.lastFireAtUnixMs),
  ];
}

function triggerText({ kind, expr, timezone, everyMs, fireAtUnixMs }: Schedule): string {
  switch (kind) {
    case 'cron':
      return timezone === undefined ? String(expr) : `${expr} (${timezone})`;
    case 'interval':
      return everyMs === undefined ? '' : `every ${durationText(everyMs)}`;
    case 'once':
      return `once at ${instantText(fireAtUnixMs)}`;
  }
}

function detailInWords({ schedule, nextFiresUnixMs, nextFiresIfResumedUnixMs }: ScheduleDetail): string {
  const fires = schedule.state === 'paused' ? { nextFiresIfResumedUnixMs } : { nextFiresUnixMs };
  return members({ ...schedule, ...fires });
}

function pausedInWords({ name, pausedUntilUnixMs }: Schedule): string {
  return `Paused ${quoted(name)}${untilText(pausedUntilUnixMs)}.\n`;
}

function resumedInWords(schedule: ListedSchedule): string {
  return `Resumed ${quoted(schedule.name)}; ${prospectOf(schedule)}.\n`;
}

/** What is to come of a schedule as a resume leaves it. */
function prospectOf({ nextFireAtUnixMs, updatedAtUnixMs, isHeld }: ListedSchedule): string {
  if (nextFireAtUnixMs === undefined) {
    return 'it has nothing left to fire';
  }
  if (isHeld) {
    return 'it is held, and does not fire while it is';
  }
  const next = instantText(nextFireAtUnixMs);
  return nextFireAtUnixMs > updatedAtUnixMs ? `its next fire is ${next}` : `it has been due since ${next}`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
