import { Option, type Command } from 'commander';
import { MAX_RUN_LIMIT } from '../../manager/index.js';
import { RUN_STATUSES, type Run, type RunStatus } from '../../schedules/index.js';
import { countUpTo, instantArgument, runIdArgument } from '../arguments.js';
import type { CliContext } from '../cli-context.js';
import { instantText, members, table } from '../printable.js';
import { show } from '../show.js';
import { withManager } from '../store-session.js';

interface RunListOptions {
  readonly schedule?: string;
  readonly job?: string;
  readonly status?: readonly RunStatus[];
  readonly since?: number;
  readonly until?: number;
  readonly cursor?: string;
  readonly limit: number;
}

/** `runs`: the journal. */
export function addRunCommands(program: Command, context: CliContext): void {
  const runs = program.command('runs').description('the journal');

  runs
    .command('list')
    .description('list runs, the newest claim first')
    .option('--schedule <name>', 'of the schedule that has the name, or had it')
    .option('--job <name>', 'of the job')
    .addOption(new Option('--status <status...>', 'in one of the statuses').choices(RUN_STATUSES))
    .option('--since <time>', 'logical time from here on', instantArgument)
    .option('--until <time>', 'logical time up to here', instantArgument)
    .option('--cursor <id>', 'older than this run', runIdArgument)
    .option('--limit <number>', `how many, at most ${MAX_RUN_LIMIT}`, countUpTo(MAX_RUN_LIMIT), 20)
    .action(async (options: RunListOptions, command: Command) => {
      const { schedule: scheduleName, job: jobName, status: statuses, ...others } = options;
      const filter = {
        ...others,
        ...(scheduleName === undefined ? {} : { scheduleName }),
        ...(jobName === undefined ? {} : { jobName }),
        ...(statuses === undefined ? {} : { statuses }),
      };
      const found = await withManager(context, command, (manager) => manager.listRuns(filter));
      show(context, command, found, (listed) => runsTable(listed, options.limit));
    });

  runs
    .command('show')
    .description('show everything about a run')
    .argument('<id>')
    .action(async (id: string, _options: unknown, command: Command) => {
      const run = await withManager(context, command, (manager) => manager.getRun(id));
      show(context, command, run, members);
    });
}

function runsTable(runs: readonly Run[], limit: number): string {
  if (runs.length === 0) {
    return 'There are no such runs.\n';
  }
  const listed = table(
    ['ID', 'SCHEDULE', 'SCHEDULED AT', 'ORIGIN', 'STATUS', 'REASON', 'ATTEMPT', 'MS', 'NODE'],
    runs.map(runRow),
  );
  return runs.length < limit ? listed : `${listed}Older ones: --cursor ${runs.at(-1)?.id}\n`;
}

function runRow(run: Run): readonly string[] {
  return [
    run.id,
    run.scheduleName,
    instantText(run.scheduledAtUnixMs),
    run.origin,
    run.missedCount > 0 ? `${run.status} (${run.missedCount})` : run.status,
    run.reason ?? '',
    String(run.attempt),
    run.durationMs === undefined ? '' : String(run.durationMs),
    run.nodeId ?? '',
  ];
}
