import { brokenInvariant } from './invariants.js';
import { OWED } from './liveness.js';
import { Planner } from './plans.js';
import { keyOf } from './state-key.js';
import { INITIAL_STATE, type State } from './state.js';
import { FAIR_KINDS, type Step } from './step.js';
import { successors } from './successors.js';
import type { World } from './world.js';

/** Every reachable state, and every step between two of them. States are numbered in the order of their discovery. */
export interface StateGraph {
  readonly stateCount: number;
  readonly stepCount: number;
  /** The most steps that are needed to reach a state. */
  readonly depth: number;
  /** Where the steps of each state begin in `targets`; one more than there are states. */
  readonly firstSteps: readonly number[];
  readonly targets: readonly number[];
  /** The fair step that each step is, as a bit; 0 for none. */
  readonly fairSteps: readonly number[];
  /** The fair steps that are possible in each state, as bits. */
  readonly fairlyPossible: readonly number[];
  /** What is owed in each state, as bits in the order of `OWED`. */
  readonly owed: readonly number[];
  /** The step by which each state was discovered: the shortest way there. */
  readonly discoveries: readonly Discovery[];
}

interface Discovery {
  readonly from: number;
  readonly text: string;
}

/** What must not happen, and the shortest way to it. */
export interface Violation {
  readonly broken: string;
  readonly trace: readonly string[];
}

export type Exploration =
  | { readonly kind: 'safe'; readonly graph: StateGraph }
  | { readonly kind: 'violated'; readonly violation: Violation };

/** Visits every state breadth first, up to the first that breaks an invariant. */
export function explore(world: World): Exploration {
  return new Explorer(world).explore();
}

class Explorer {
  private readonly planner: Planner;
  private readonly numbers = new Map<string, number>();
  private readonly firstSteps: number[] = [];
  private readonly targets: number[] = [];
  private readonly fairSteps: number[] = [];
  private readonly fairlyPossible: number[] = [];
  private readonly owed: number[] = [];
  private readonly discoveries: Discovery[] = [];
  private nextLevel: State[] = [];

  constructor(private readonly world: World) {
    this.planner = new Planner(world);
  }

  explore(): Exploration {
    this.discover({ text: () => '', state: INITIAL_STATE }, -1);
    let depth = -1;
    while (this.nextLevel.length > 0) {
      const level = this.nextLevel;
      this.nextLevel = [];
      depth += 1;
      for (const state of level) {
        const violation = this.expand(state);
        if (violation !== undefined) {
          return { kind: 'violated', violation };
        }
      }
    }
    return { kind: 'safe', graph: this.graph(depth) };
  }

  private expand(state: State): Violation | undefined {
    const from = this.firstSteps.length;
    this.firstSteps.push(this.targets.length);
    let fairlyPossible = 0;
    for (const step of successors(state, this.world, this.planner)) {
      const broken = step.violation ?? brokenInvariant(step.state);
      if (broken !== undefined) {
        return { broken, trace: [...traceTo(this.discoveries, from), step.text()] };
      }
      const fair = fairBit(step);
      fairlyPossible |= fair;
      this.targets.push(this.discover(step, from));
      this.fairSteps.push(fair);
    }
    this.fairlyPossible.push(fairlyPossible);
    return undefined;
  }

  private discover({ state, text }: Step, from: number): number {
    const key = keyOf(state);
    const known = this.numbers.get(key);
    if (known !== undefined) {
      return known;
    }
    const number = this.numbers.size;
    this.numbers.set(key, number);
    this.discoveries.push({ from, text: text() });
    this.owed.push(OWED.reduce((bits, { isOwed }, bit) => bits | (Number(isOwed(state)) << bit), 0));
    this.nextLevel.push(state);
    return number;
  }

  private graph(depth: number): StateGraph {
    return {
      stateCount: this.numbers.size,
      stepCount: this.targets.length,
      depth,
      firstSteps: [...this.firstSteps, this.targets.length],
      targets: this.targets,
      fairSteps: this.fairSteps,
      fairlyPossible: this.fairlyPossible,
      owed: this.owed,
      discoveries: this.discoveries,
    };
  }
}

/** The shortest way from the beginning to a state. */
export function traceTo(discoveries: readonly Discovery[], state: number): string[] {
  const texts: string[] = [];
  for (let current = discoveries[state]; current !== undefined && current.from >= 0;) {
    texts.unshift(current.text);
    current = discoveries[current.from];
  }
  return texts;
}

function fairBit({ fair }: Step): number {
  return fair === undefined ? 0 : 1 << (2 * FAIR_KINDS.indexOf(fair.kind) + fair.node);
}
