import { parseArgs } from 'node:util';

/** How a soak is asked for. */
export interface SoakOptions {
  readonly minutes: number;
  readonly nodes: number;
  /** Decides which schedules, changes and faults there are, though not when exactly. */
  readonly seed: number;
}

/** Reads the arguments of the command line. @throws Error in a sentence. */
export function soakOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: 'string' }, nodes: { type: 'string' }, seed: { type: 'string' } },
  });
  return {
    minutes: numberOf('minutes', values.minutes ?? '3', 0.1),
    nodes: Math.round(numberOf('nodes', values.nodes ?? '3', 2)),
    seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : numberOf('seed', values.seed, 0),
  };
}

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!(value >= least)) {
    throw new Error(`--${name} must be a number from ${least} on, not ${JSON.stringify(text)}.`);
  }
  return value;
}
