import { traceTo, type StateGraph, type Violation } from './explore.js';
import { OWED } from './liveness.js';
import { stronglyConnectedComponents } from './strongly-connected.js';

/**
 * Looks for a fair run of the system on which something stays owed for ever.
 *
 * Such a run ends in a strongly connected component of the states in which it is owed (staying in one state for ever
 * included), and visits some of its states and steps for ever. It is weakly fair when each fair step is either taken in
 * there, or impossible somewhere in there: visiting the whole component over and over is the fairest run there is, so
 * that none of its runs is fair when this one is not.
 */
export function findBreach(graph: StateGraph): Violation | undefined {
  for (const [bit, { text }] of OWED.entries()) {
    const stuck = stuckComponent(graph, 1 << bit);
    if (stuck !== undefined) {
      const trace = traceTo(graph.discoveries, Math.min(...stuck));
      return { broken: text, trace: [...trace, `From here on ${stuck.length} state(s) may go on for ever`] };
    }
  }
  return undefined;
}

function stuckComponent(graph: StateGraph, owed: number): number[] | undefined {
  return stronglyConnectedComponents({
    vertexCount: graph.stateCount,
    contains: (state) => ((graph.owed[state] ?? 0) & owed) !== 0,
    firstEdges: graph.firstSteps,
    targets: graph.targets,
  })
    .filter((component) => isFair(graph, component))
    .toSorted((left, right) => Math.min(...left) - Math.min(...right))[0];
}

function isFair(graph: StateGraph, component: readonly number[]): boolean {
  const inside = new Set(component);
  let alwaysPossible = -1;
  let taken = 0;
  for (const state of component) {
    alwaysPossible &= graph.fairlyPossible[state] ?? 0;
    for (let step = graph.firstSteps[state] ?? 0; step < (graph.firstSteps[state + 1] ?? 0); step += 1) {
      if (inside.has(graph.targets[step] ?? -1)) {
        taken |= graph.fairSteps[step] ?? 0;
      }
    }
  }
  return (alwaysPossible & ~taken) === 0;
}
