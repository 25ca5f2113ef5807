import type { Terminal } from './terminal.js';

/** What a command works with. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
}

/** The options that every command has. */
export interface GlobalOptions {
  readonly schema: string;
  readonly abandonedAfter: string;
  readonly json: boolean;
  /** False where the store is to be nobody's. */
  readonly environment?: string | false;
}
