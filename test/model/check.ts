import { explore, type StateGraph, type Violation } from './explore.js';
import { findBreach } from './fair-cycle.js';
import type { World } from './world.js';

/** What the exhaustive check of a world finds. */
export type Verdict =
  | { readonly kind: 'holds'; readonly graph: StateGraph }
  | { readonly kind: 'counterexample'; readonly violation: Violation };

/** Checks the invariants in every reachable state and at every step, then what is owed on every fair run. */
export function check(world: World): Verdict {
  const exploration = explore(world);
  if (exploration.kind === 'violated') {
    return { kind: 'counterexample', violation: exploration.violation };
  }
  const { graph } = exploration;
  const breach = findBreach(graph);
  return breach === undefined ? { kind: 'holds', graph } : { kind: 'counterexample', violation: breach };
}

/** The verdict for people. */
export function describeVerdict(name: string, verdict: Verdict): string {
  if (verdict.kind === 'holds') {
    const { stateCount, stepCount, depth } = verdict.graph;
    return `${name}: holds in ${stateCount} distinct states, ${stepCount} steps, depth ${depth}\n`;
  }
  const { broken, trace } = verdict.violation;
  const lines = trace.map((text, index) => `  ${index + 1}. ${text}\n`);
  return `${name}: breaks "${broken}"\n${lines.join('')}`;
}
