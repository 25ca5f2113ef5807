import type { Planner } from './plans.js';
import { NODE_IDS, type NodeId, type State } from './state.js';
import type { Step } from './step.js';
import { claimSteps } from './steps/claim.js';
import { faultSteps, outageSteps, restorationSteps } from './steps/faults.js';
import { heartbeatSteps } from './steps/heartbeat.js';
import { operatorSteps } from './steps/operator.js';
import { outcomeSteps } from './steps/outcome.js';
import { takeoverSteps } from './steps/takeover.js';
import { timeSteps } from './steps/time.js';
import type { World } from './world.js';

/** Every step that is possible from a state. */
export function successors(state: State, world: World, planner: Planner): Step[] {
  return [
    timeSteps(state),
    ...NODE_IDS.map((id) => nodeSteps(state, id, world, planner)),
    outageSteps(state, world),
    restorationSteps(state, world),
    operatorSteps(state, world),
  ].flat();
}

function nodeSteps(state: State, id: NodeId, world: World, planner: Planner): Step[] {
  return [
    claimSteps(state, id, world, planner),
    outcomeSteps(state, id, world),
    takeoverSteps(state, id, world),
    heartbeatSteps(state, id),
    faultSteps(state, id, world),
  ].flat();
}
