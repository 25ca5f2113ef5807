import { createInterface } from 'node:readline/promises';

/** Where a command writes, and whom it asks. */
export interface Terminal {
  /** Whether a person is there to answer. */
  readonly isInteractive: boolean;
  write(text: string): void;
  writeError(text: string): void;
  /** Asks a question, and returns what was answered. */
  ask(question: string): Promise<string>;
}

/** The terminal of this process. */
export class ProcessTerminal implements Terminal {
  readonly isInteractive = process.stdin.isTTY && process.stderr.isTTY;

  constructor() {
    // Whoever reads may have seen enough, as `head` has.
    process.stdout.on('error', () => undefined);
  }

  write(text: string): void {
    process.stdout.write(text);
  }

  writeError(text: string): void {
    process.stderr.write(text);
  }

  async ask(question: string): Promise<string> {
    // On the error output, so that a question is never part of a redirected result.
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await reader.question(question);
    } finally {
      reader.close();
    }
  }

  /** Resolves when everything is written. */
  async flush(): Promise<void> {
    await Promise.all(
      [process.stdout, process.stderr].map(
        (stream) => new Promise<void>((resolve) => void stream.write('', () => resolve())),
      ),
    );
  }
}
