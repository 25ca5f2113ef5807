import { RefusedError } from '../../../lib/cli/cli.errors.js';
import { confirm } from '../../../lib/cli/confirm.js';
import type { Terminal } from '../../../lib/cli/terminal.js';

/** A terminal with a person who answers; nobody is there without an answer. */
function terminalOf(answer?: string): Terminal & { readonly questions: string[] } {
  const questions: string[] = [];
  return {
    questions,
    isInteractive: answer !== undefined,
    write: () => undefined,
    writeError: () => undefined,
    ask: async (question) => {
      questions.push(question);
      return answer ?? '';
    },
  };
}

describe('confirm', () => {
  it.each(['y', 'Y', 'yes', ' YES '])('goes on after %p', async (answer) => {
    const terminal = terminalOf(answer);
    await confirm(terminal, 'delete it', false);
    expect(terminal.questions).toEqual(['This will delete it. Go on? [y/N] ']);
  });

  it.each(['', 'n', 'no', 'yeah'])('changes nothing after %p', async (answer) => {
    await expect(confirm(terminalOf(answer), 'delete it', false)).rejects.toThrow(
      new RefusedError('Nothing was changed.'),
    );
  });

  it('does not ask whoever agreed before', async () => {
    const terminal = terminalOf('n');
    await confirm(terminal, 'delete it', true);
    expect(terminal.questions).toEqual([]);
  });

  it('refuses where nobody can be asked', async () => {
    const terminal = terminalOf();
    await expect(confirm(terminal, 'delete it', false)).rejects.toThrow('give --yes');
    expect(terminal.questions).toEqual([]);
  });
});
