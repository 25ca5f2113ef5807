import type { Command } from 'commander';
import {
  cron,
  DEFAULT_TIMEZONE,
  describeTrigger,
  nextFires,
  normalizeTrigger,
} from '../../triggers/index.js';
import { countArgument } from '../arguments.js';
import type { CliContext } from '../cli-context.js';
import { instantText } from '../printable.js';
import { show } from '../show.js';

interface PreviewOptions {
  readonly tz?: string;
  readonly count: number;
}

/** When an expression fires. */
interface Preview {
  readonly description: string;
  readonly timezone: string;
  readonly nextFiresUnixMs: readonly number[];
}

/** `preview`: when an expression would fire, by this machine's clock and without a database. */
export function addPreviewCommand(program: Command, context: CliContext): void {
  program
    .command('preview')
    .description('show when a cron expression fires next')
    .argument('<expression>', 'five or six fields, a descriptor such as @daily, or @every 90s')
    .option('--tz <zone>', 'IANA time zone; default UTC')
    .option('--count <number>', 'how many fires', countArgument, 5)
    .action((expression: string, options: PreviewOptions, command: Command) => {
      show(context, command, previewOf(expression, options), inWords);
    });
}

function previewOf(expression: string, { tz, count }: PreviewOptions): Preview {
  const trigger = normalizeTrigger(cron(expression, tz));
  return {
    description: describeTrigger(trigger),
    timezone: (trigger.kind === 'cron' ? trigger.timezone : undefined) ?? DEFAULT_TIMEZONE,
    nextFiresUnixMs: nextFires(trigger, { after: Date.now(), count }),
  };
}

function inWords({ description, timezone, nextFiresUnixMs }: Preview): string {
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    dateStyle: 'full',
    timeStyle: 'long',
  });
  const fires = nextFiresUnixMs.map((unixMs) => `${instantText(unixMs)}  ${local.format(unixMs)}\n`);
  return `${description}\n${fires.length === 0 ? 'It never fires.\n' : fires.join('')}`;
}
