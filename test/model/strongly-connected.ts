/** The part of a graph whose strongly connected components are wanted. */
export interface Subgraph {
  readonly vertexCount: number;
  readonly contains: (vertex: number) => boolean;
  /** Where the edges of each vertex begin in `targets`; one more than there are vertices. */
  readonly firstEdges: readonly number[];
  readonly targets: readonly number[];
}

/**
 * The strongly connected components, by Tarjan's algorithm without recursion. A vertex alone is a component, too.
 *
 * @returns the vertices of each.
 */
export function stronglyConnectedComponents(graph: Subgraph): number[][] {
  return new Tarjan(graph).components();
}

const UNSEEN = -1;
const DONE = Number.MAX_SAFE_INTEGER;

class Tarjan {
  private readonly order: number[];
  private readonly low: number[];
  private readonly nextEdge: number[];
  private readonly open: number[] = [];
  private readonly found: number[][] = [];
  private count = 0;

  constructor(private readonly graph: Subgraph) {
    this.order = Array.from({ length: graph.vertexCount }, () => UNSEEN);
    this.low = Array.from({ length: graph.vertexCount }, () => UNSEEN);
    this.nextEdge = [...graph.firstEdges];
  }

  components(): number[][] {
    for (let vertex = 0; vertex < this.graph.vertexCount; vertex += 1) {
      if (this.graph.contains(vertex) && this.order[vertex] === UNSEEN) {
        this.search(vertex);
      }
    }
    return this.found;
  }

  private search(root: number): void {
    const path = [root];
    this.enter(root);
    for (let vertex = path.at(-1); vertex !== undefined; vertex = path.at(-1)) {
      const target = this.takeEdge(vertex);
      if (target === undefined) {
        path.pop();
        this.leave(vertex, path.at(-1));
      } else if (this.graph.contains(target)) {
        if (this.order[target] === UNSEEN) {
          this.enter(target);
          path.push(target);
        } else {
          this.lower(vertex, numberAt(this.order, target));
        }
      }
    }
  }

  private enter(vertex: number): void {
    this.order[vertex] = this.count;
    this.low[vertex] = this.count;
    this.count += 1;
    this.open.push(vertex);
  }

  private takeEdge(vertex: number): number | undefined {
    const edge = numberAt(this.nextEdge, vertex);
    if (edge >= numberAt(this.graph.firstEdges, vertex + 1)) {
      return undefined;
    }
    this.nextEdge[vertex] = edge + 1;
    return this.graph.targets[edge];
  }

  private leave(vertex: number, parent: number | undefined): void {
    if (this.low[vertex] === this.order[vertex]) {
      const component = this.open.splice(this.open.lastIndexOf(vertex));
      for (const member of component) {
        this.order[member] = DONE;
        this.low[member] = DONE;
      }
      this.found.push(component);
    }
    if (parent !== undefined) {
      this.lower(parent, numberAt(this.low, vertex));
    }
  }

  private lower(vertex: number, bound: number): void {
    this.low[vertex] = Math.min(numberAt(this.low, vertex), bound);
  }
}

function numberAt(numbers: readonly number[], index: number): number {
  const number = numbers[index];
  if (number === undefined) {
    throw new RangeError(`There is no number at ${index}.`);
  }
  return number;
}
