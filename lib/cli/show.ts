import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from './cli-context.js';

/** Shows a result: to people in their words, to programs as JSON. */
export function show<Result>(
  { terminal }: CliContext,
  command: Command,
  result: Result,
  inWords: (result: Result) => string,
): void {
  const { json } = command.optsWithGlobals<GlobalOptions>();
  terminal.write(json ? `${JSON.stringify(result, null, 2)}\n` : inWords(result));
}
