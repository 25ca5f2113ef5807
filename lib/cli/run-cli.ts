import { CommanderError } from 'commander';
import { messageOf } from '../error-reading.js';
import { CronStoreOptionsError } from '../options/index.js';
import { StoreEnvironmentError } from '../schedules/index.js';
import { UsageError } from './cli.errors.js';
import { createProgram } from './program.js';
import { printable } from './printable.js';
import type { CliContext } from './cli-context.js';

const SUCCEEDED = 0;
const FAILED = 1;
const MISUSED = 2;

/**
 * Runs one command. Whatever goes wrong is one sentence on the error output.
 *
 * @param words what follows the name of the program.
 * @returns the exit code: 0 when it was done, 1 when it was refused or failed, 2 when it was not understood.
 */
export async function runCli(words: readonly string[], context: CliContext): Promise<number> {
  try {
    await createProgram(context).parseAsync([...words], { from: 'user' });
    return SUCCEEDED;
  } catch (error) {
    if (error instanceof CommanderError) {
      // It has said itself what it did not understand, or has shown what was asked for.
      return error.exitCode === 0 ? SUCCEEDED : MISUSED;
    }
    context.terminal.writeError(`error: ${printable(sentenceOf(error))}\n`);
    return error instanceof UsageError || error instanceof CronStoreOptionsError ? MISUSED : FAILED;
  }
}

/** What a person at a terminal is told: some errors can say what to do there. */
function sentenceOf(error: unknown): string {
  if (error instanceof CronStoreOptionsError) {
    return error.faults.join(' ');
  }
  if (error instanceof StoreEnvironmentError && error.own === undefined) {
    return `The schedules in this database belong to the environment ${JSON.stringify(error.stored)}, and this command was given none: add --environment ${error.stored}, or set the variable CRON_STORE_ENVIRONMENT.`;
  }
  return messageOf(error);
}
