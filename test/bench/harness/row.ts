import type { Server } from './server.js';

/** What was measured in one round: figures by their names, which carry the unit. */
export type Figures = Readonly<Record<string, number>>;

/** A line of a row's table, with its figures of every round. */
export interface Line {
  readonly label: string;
  readonly rounds: readonly Figures[];
  /** What stands behind the figures, as a table of its own. */
  readonly detail?: Readonly<Record<string, Figures>>;
}

/** What a row measures with. */
export interface Bench {
  readonly server: Server;
  /** Fewer rounds and smaller loads, for a first look. */
  readonly isQuick: boolean;
  readonly rounds: number;
  /** Whether a contestant takes part. */
  readonly isChosen: (contestant: string) => boolean;
}

/** A row of the benchmark. */
export interface Row {
  readonly name: string;
  /** What it measures, in a sentence. */
  readonly title: string;
  measure(bench: Bench): Promise<readonly Line[]>;
}
