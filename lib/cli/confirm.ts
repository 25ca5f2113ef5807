import { RefusedError } from './cli.errors.js';
import type { Terminal } from './terminal.js';

/**
 * Has a person agree to what cannot be undone.
 *
 * @param what completes "This will …".
 * @throws RefusedError when nobody is there to agree, or does not.
 */
export async function confirm(terminal: Terminal, what: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) {
    return;
  }
  if (!terminal.isInteractive) {
    throw new RefusedError(
      `This would ${what}, and there is no terminal to ask on: give --yes to have it done.`,
    );
  }
  const answer = await terminal.ask(`This will ${what}. Go on? [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) {
    throw new RefusedError('Nothing was changed.');
  }
}
