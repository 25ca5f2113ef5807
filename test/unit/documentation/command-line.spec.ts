import type { Command } from 'commander';
import { createProgram } from '../../../lib/cli/program.js';
import type { Terminal } from '../../../lib/cli/terminal.js';
import { page } from './support/manual.js';
import { codes } from './support/table.js';

it('explains every command', () => {
  const program = createProgram({ environment: {}, terminal: silentTerminal() });
  expect(codes(page('command-line').tableIn('The command line', 'Command'), 'Command').toSorted()).toEqual(
    commandsOf(program).toSorted(),
  );
});

/** The words of every command that does something. */
function commandsOf({ commands }: Command): readonly string[] {
  return commands.flatMap((command) => {
    const inner = commandsOf(command);
    return inner.length === 0 ? [command.name()] : inner.map((name) => `${command.name()} ${name}`);
  });
}

function silentTerminal(): Terminal {
  return {
    isInteractive: false,
    write: () => undefined,
    writeError: () => undefined,
    ask: () => Promise.resolve(''),
  };
}
