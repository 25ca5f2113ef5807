import type { FireIndex, NodeId, State } from './state.js';
import { MANUAL_FIRE } from './state.js';

/**
 * Steps that happen sooner or later when they stay possible (weak fairness). All others may never happen: faults,
 * operators' changes, and the end of a freeze.
 */
export const FAIR_KINDS = [
  'tick',
  'read',
  'write',
  'commit',
  'request',
  'outcome',
  'sweep',
  'beat',
  'vigil',
  'expire',
  'restart',
] as const;
export type FairKind = (typeof FAIR_KINDS)[number];

/** One step from a state. */
export interface Step {
  /** What happens, for people. */
  readonly text: () => string;
  /** What has to happen sooner or later, for one node or for all. */
  readonly fair?: { readonly kind: FairKind; readonly node: NodeId };
  readonly state: State;
  /** The invariant that the step itself breaks. */
  readonly violation?: string;
}

export function nodeName(node: NodeId): string {
  return node === 0 ? 'Node A' : 'Node B';
}

export function fireName(fire: FireIndex): string {
  return fire === MANUAL_FIRE ? 'the manual fire' : `occurrence ${fire + 1}`;
}
