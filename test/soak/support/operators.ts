import { setTimeout as delay } from 'node:timers/promises';
import type { ScheduleSpec } from '../../../lib/index.js';
import type { ActionName, NodeActions } from '../node/protocol.js';
import { NodeGoneError, RefusedError, type Answer } from './node-process.js';
import type { Random } from './random.js';
import { type JobChoice, randomPolicies, randomSchedule, randomTiming } from './random-schedule.js';
import type { SoakDatabase } from './soak-database.js';
import type { SoakNode } from './soak-node.js';

/** A change that an operator asked for, and what became of it. */
export interface Operation {
  /** Unique, and so the mark of this change in the audit trail. */
  readonly actor: string;
  readonly action: ActionName;
  readonly target: string;
  /** `unknown`: the node ended, or could not reach the database, so that it may have happened. */
  outcome: 'pending' | 'done' | 'refused' | 'unknown';
  code?: number | undefined;
  result?: unknown;
  /** The key under which a manual fire was asked for. */
  readonly idempotencyKey?: string;
}

/** A hold that was acknowledged, and from when on it was certainly there, in the store's time. */
export interface AcknowledgedHold {
  readonly actor: string;
  readonly acknowledgedAtUnixMs: number;
}

/** What operators need of a node. */
export type OperatedNode = Pick<SoakNode, 'affliction' | 'ask'>;

type Deed = (name: string) => Promise<void>;

const PAUSE_MS = 250;

/** Operators who change schedules all the time, each change on a random node. */
export class Operators {
  readonly operations: Operation[] = [];
  readonly holds: AcknowledgedHold[] = [];
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly heldJobs = new Set<string>();
  private readonly deeds: readonly { readonly weight: number; readonly act: Deed }[] = [
    { weight: 20, act: (name) => this.fireOnce(name) },
    { weight: 8, act: (name) => this.fire(name) },
    { weight: 9, act: (name) => this.pause(name) },
    { weight: 16, act: (name) => this.resume(name) },
    { weight: 8, act: (name) => this.retime(name) },
    { weight: 8, act: (name) => this.changePolicies(name) },
    { weight: 5, act: (name) => this.replace(name) },
    { weight: 6, act: (name) => this.remove(name) },
    { weight: 14, act: (name) => this.create(name) },
    { weight: 6, act: (name) => this.backfill(name) },
    { weight: 4, act: () => this.cancelRun() },
    { weight: 3, act: (name) => this.cancelRunsOf(name) },
    { weight: 4, act: () => this.rerun() },
    { weight: 2, act: () => this.hold() },
  ];

  constructor(
    private readonly random: Random,
    private readonly names: readonly [string, ...string[]],
    private readonly nodes: readonly OperatedNode[],
    private readonly database: SoakDatabase,
    private readonly chooseJob: JobChoice,
  ) {}

  /** Creates a schedule for every name. */
  async createAll(): Promise<void> {
    await Promise.all(this.names.map((name) => this.create(name)));
  }

  /** Changes something several times a second, until the signal aborts. */
  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Nobody waits for anybody: what is asked of a frozen node is answered when it has thawed.
      const done: Promise<unknown> = this.random
        .weighted(this.deeds)
        .act(this.random.pick(this.names))
        .finally(() => this.underWay.delete(done));
      this.underWay.add(done);
      await delay(PAUSE_MS);
    }
    await Promise.all(this.underWay);
  }

  /** Lets everything that was paused go on, so that nothing waits for an operator. */
  async resumeAll(): Promise<void> {
    const rows = await this.database.query<{ name: string }>(
      'select name from crn_schedule where not is_enabled',
    );
    await Promise.all(rows.map(({ name }) => this.resume(name)));
  }

  /** The same fire, asked for on two nodes at once. */
  private async fireOnce(name: string): Promise<void> {
    const idempotencyKey = `key ${this.random.integer(1, 40)}`;
    await Promise.all(
      [1, 2].map(() =>
        this.change('triggerNow', name, { idempotencyKey }, (node, actor) =>
          node.ask('triggerNow', name, { actor, idempotencyKey }),
        ),
      ),
    );
  }

  private async fire(name: string): Promise<void> {
    const evenIfPaused = this.random.chance(0.5);
    await this.change('triggerNow', name, {}, (node, actor) =>
      node.ask('triggerNow', name, { actor, evenIfPaused, params: { ms: 100 } }),
    );
  }

  private async pause(name: string): Promise<void> {
    const endsAfterMs = this.random.chance(0.5) ? this.random.integer(1_000, 8_000) : undefined;
    const until = endsAfterMs && (await this.database.now()) + endsAfterMs;
    await this.change('pause', name, {}, (node, actor) =>
      node.ask('pause', name, { actor, ...(until === undefined ? {} : { until }) }),
    );
  }

  private async resume(name: string): Promise<void> {
    await this.change('resume', name, {}, (node, actor) => node.ask('resume', name, { actor }));
  }

  private async retime(name: string): Promise<void> {
    const timing = randomTiming(this.random, await this.database.now());
    await this.change('patch', name, {}, (node, actor) =>
      node.ask('patch', name, { startsAt: null, endsAt: null, ...timing }, { actor }),
    );
  }

  private async changePolicies(name: string): Promise<void> {
    const policies = randomPolicies(this.random);
    await this.change('patch', name, {}, (node, actor) =>
      node.ask('patch', name, { backfillLimit: null, retry: null, ...policies }, { actor }),
    );
  }

  /** A whole new definition but for `recover`. */
  private async replace(name: string): Promise<void> {
    const { recover: _recover, ...spec } = await this.randomSchedule(name);
    const [row] = await this.database.query<{ recover: boolean; version: number }>(
      'select recover, version from crn_schedule where name = $1',
      [name],
    );
    if (row !== undefined) {
      await this.change('update', name, {}, (node, actor) =>
        node.ask('update', name, { ...spec, recover: row.recover }, { actor, expectedVersion: row.version }),
      );
    }
  }

  private async remove(name: string): Promise<void> {
    await this.change('delete', name, {}, (node, actor) => node.ask('delete', name, { actor }));
  }

  private async create(name: string): Promise<void> {
    const spec = await this.randomSchedule(name);
    await this.change('create', name, {}, (node, actor) => node.ask('create', spec, { actor }));
  }

  private async backfill(name: string): Promise<void> {
    const to = (await this.database.now()) - this.random.integer(0, 5_000);
    const from = to - this.random.integer(1_000, 20_000);
    await this.change('backfill', name, {}, (node, actor) =>
      node.ask('backfill', name, { from, to }, { actor }),
    );
  }

  private async cancelRun(): Promise<void> {
    const [row] = await this.database.query<{ id: string }>(
      "select id from crn_run where status = 'running' and schedule_name = any($1) order by id desc limit 1",
      [this.names],
    );
    if (row !== undefined) {
      await this.change('cancelRun', row.id, {}, (node, actor) => node.ask('cancelRun', row.id, { actor }));
    }
  }

  private async cancelRunsOf(name: string): Promise<void> {
    await this.change('cancelRunsOf', name, {}, (node, actor) => node.ask('cancelRunsOf', name, { actor }));
  }

  private async rerun(): Promise<void> {
    const [row] = await this.database.query<{ id: string }>(
      `select id from crn_run where status in ('succeeded', 'failed', 'abandoned') and job_name <> 'killing'
         and schedule_name = any($1) order by id desc offset $2 limit 1`,
      [this.names, this.random.integer(0, 20)],
    );
    if (row !== undefined) {
      await this.change('rerun', row.id, {}, (node, actor) => node.ask('rerun', row.id, { actor }));
    }
  }

  /** Holds a job for a while. */
  private async hold(): Promise<void> {
    const jobName = this.random.pick(['quick', 'slow', 'failing', 'transactional']);
    if (this.heldJobs.has(jobName)) {
      return;
    }
    this.heldJobs.add(jobName);
    const held = await this.change('hold', jobName, {}, (node, actor) =>
      node.ask('hold', { jobName }, { actor }),
    );
    if (held.outcome === 'done') {
      this.holds.push({ actor: held.actor, acknowledgedAtUnixMs: await this.database.now() });
    }
    await delay(this.random.integer(500, 5_000));
    // Until it is certain that nothing is held: nobody else would release it.
    for (let released = false; !released;) {
      const release = await this.change('release', jobName, {}, (node, actor) =>
        node.ask('release', { jobName }, { actor }),
      );
      released = release.outcome === 'done';
      await delay(PAUSE_MS);
    }
    this.heldJobs.delete(jobName);
  }

  private async randomSchedule(name: string): Promise<ScheduleSpec> {
    return randomSchedule(this.random, name, await this.database.now(), this.chooseJob);
  }

  private async change<Action extends keyof NodeActions>(
    action: Action,
    target: string,
    facts: Pick<Operation, 'idempotencyKey'>,
    perform: (node: OperatedNode, actor: string) => Promise<Answer<Action>>,
  ): Promise<Operation> {
    const operation: Operation = {
      actor: `operator ${this.operations.length + 1}`,
      action,
      target,
      ...facts,
      outcome: 'pending',
    };
    this.operations.push(operation);
    try {
      const node = this.random.pick(this.nodes.filter(({ affliction }) => affliction !== 'restarting'));
      if (node === undefined) {
        throw new NodeGoneError('Every node is being restarted.');
      }
      operation.result = await perform(node, operation.actor);
      operation.outcome = 'done';
    } catch (error) {
      if (error instanceof RefusedError && error.code !== undefined) {
        operation.outcome = 'refused';
        operation.code = error.code;
      } else if (error instanceof RefusedError || error instanceof NodeGoneError) {
        operation.outcome = 'unknown';
        operation.result = error.message;
      } else {
        throw error;
      }
    }
    return operation;
  }
}
