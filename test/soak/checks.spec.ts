import { History, type Change, type Evidence, type RunRow, type ScheduleRow } from './checks/evidence.js';
import { CHECKS } from './checks/index.js';

const SCHEDULE: ScheduleRow = {
  id: 'the schedule',
  name: 'every second',
  kind: 'interval',
  expr: null,
  timezone: null,
  dst_gap: null,
  every_ms: 1_000,
  fire_at_unix_ms: null,
  starts_at_unix_ms: null,
  ends_at_unix_ms: null,
  anchor_at_unix_ms: 0,
  concurrency_policy: 'forbid',
  recover: true,
  retry: null,
  is_enabled: true,
  next_fire_at_unix_ms: 1_000,
  parked_reason: null,
  version: 1,
  created_at_unix_ms: 0,
  updated_at_unix_ms: 0,
};

function runAt(scheduledAtUnixMs: number, changes: Partial<RunRow> = {}): RunRow {
  return {
    id: `run ${scheduledAtUnixMs}`,
    schedule_id: SCHEDULE.id,
    schedule_name: SCHEDULE.name,
    job_name: 'quick',
    origin: 'schedule',
    scheduled_at_unix_ms: scheduledAtUnixMs,
    claimed_at_unix_ms: scheduledAtUnixMs,
    finished_at_unix_ms: null,
    heartbeat_at_unix_ms: scheduledAtUnixMs,
    status: 'running',
    reason: null,
    node_id: 'node',
    error: null,
    missed_count: 0,
    attempt: 1,
    fence: scheduledAtUnixMs,
    recoveries: 0,
    repeats_run_id: null,
    idempotency_key: `key ${scheduledAtUnixMs}`,
    request_key: null,
    ...changes,
  };
}

/** What happens to one schedule, one transaction after the other. */
class Story {
  private readonly changes: Change[] = [];
  private readonly runs = new Map<string, RunRow>();
  private readonly deeds: Evidence['deeds'][number][] = [];
  private schedule = SCHEDULE;
  private transaction = 1;

  constructor() {
    this.add({ subject: 'crn_schedule', operation: 'insert', old: null, new: SCHEDULE });
  }

  /** A claim that moves the cursor, and journals runs. */
  claims(nextFireAtUnixMs: number, ...runs: readonly RunRow[]): this {
    this.transaction += 1;
    const moved = { ...this.schedule, next_fire_at_unix_ms: nextFireAtUnixMs };
    this.add({ subject: 'crn_schedule', operation: 'update', old: this.schedule, new: moved });
    this.schedule = moved;
    runs.forEach((run) => this.insert(run));
    return this;
  }

  /** The operator's switch. */
  pauses(): this {
    this.transaction += 1;
    const paused = { ...this.schedule, is_enabled: false, version: this.schedule.version + 1 };
    this.add({ subject: 'crn_schedule', operation: 'update', old: this.schedule, new: paused });
    this.schedule = paused;
    return this;
  }

  /** A run ends. */
  ends(run: RunRow, changes: Partial<RunRow> = { status: 'succeeded' }): this {
    this.transaction += 1;
    const ended = { ...run, ...changes };
    this.add({ subject: 'crn_run', operation: 'update', old: run, new: ended });
    this.runs.set(run.id, ended);
    return this;
  }

  /** A handler works for a second. */
  executes(run: RunRow): this {
    for (const [deed, atMs] of [
      ['started', run.claimed_at_unix_ms],
      ['returned', run.claimed_at_unix_ms + 900],
    ] as const) {
      const { id: runId, schedule_id: scheduleId, scheduled_at_unix_ms: scheduledAtUnixMs } = run;
      const { attempt, fence, idempotency_key: idempotencyKey } = run;
      const told = { runId, scheduleId, scheduledAtUnixMs, attempt, fence, idempotencyKey };
      this.deeds.push({ kind: 'deed', nodeId: 'node', deed, atMs, ...told });
    }
    return this;
  }

  /** What the checks say of it; what it lacks for the audit trail is nobody's concern here. */
  contradictions(): string[] {
    const evidence: Evidence = {
      histories: [new History(SCHEDULE.id, this.changes)],
      holds: [],
      runs: [...this.runs.values()],
      pendingRequests: [],
      backfills: [],
      audit: [],
      effects: new Map(),
      deeds: this.deeds,
      events: [],
      operations: [],
      acknowledgedHolds: [],
      settledAtUnixMs: 10_000,
      maxRecoveries: 2,
    };
    return CHECKS.flatMap((check) => check(evidence)).filter((sentence) => !sentence.includes('audit trail'));
  }

  private insert(run: RunRow): void {
    this.runs.set(run.id, run);
    this.add({ subject: 'crn_run', operation: 'insert', old: null, new: run });
  }

  private add(change: Omit<Change, 'id' | 'transaction'>): void {
    const id = this.changes.length + 1;
    this.changes.push({ ...change, id, transaction: String(this.transaction) } as Change);
  }
}

const [first, second] = [runAt(1_000), runAt(2_000)];

function story(): Story {
  return new Story();
}

describe('the checks of a soak', () => {
  it('find nothing where every occurrence has its run', () => {
    const told = story()
      .claims(2_000, first)
      .executes(first)
      .ends(first)
      .claims(3_000, second)
      .executes(second)
      .ends(second);

    expect(told.contradictions()).toEqual([]);
  });

  it('find nothing where occurrences are counted as missed', () => {
    const missed = runAt(1_000, {
      status: 'missed',
      missed_count: 4,
      node_id: null,
      claimed_at_unix_ms: 4_500,
    });

    expect(story().claims(5_000, missed).contradictions()).toEqual([]);
  });

  it.each([
    [
      'an occurrence that was passed over',
      story().claims(3_000, first).executes(first).ends(first),
      'went to',
    ],
    [
      'a missed run that counts too few',
      story().claims(5_000, runAt(1_000, { status: 'missed', missed_count: 3, node_id: null })),
      'not accounted for begins at',
    ],
    [
      'an occurrence that has two runs',
      story()
        .claims(2_000, first)
        .executes(first)
        .ends(first)
        .claims(2_000, runAt(1_000, { id: 'again', status: 'skipped', node_id: null })),
      'doubles',
    ],
    [
      'a run before its time',
      story().claims(2_000, runAt(1_000, { status: 'skipped', node_id: null, claimed_at_unix_ms: 999 })),
      'before it was due',
    ],
    ['a run that never ends', story().claims(2_000, first).executes(first), 'still running'],
    [
      'a run that ends twice',
      story()
        .claims(2_000, first)
        .executes(first)
        .ends(first)
        .ends({ ...first, status: 'succeeded' }),
      'was succeeded before',
    ],
    ['a success that no handler had', story().claims(2_000, first).ends(first), 'its handler did not return'],
    [
      'a run that is executed twice',
      story().claims(2_000, first).executes(first).executes(first).ends(first),
      'started 2 times',
    ],
    [
      'two running runs of a schedule that forbids it',
      story()
        .claims(2_000, first)
        .executes(first)
        .claims(3_000, second)
        .executes(second)
        .ends(first)
        .ends(second),
      'was claimed while',
    ],
    [
      'an abandoned run that is not recovered',
      story().claims(2_000, first).executes(first).ends(first, { status: 'abandoned' }),
      'is not repeated',
    ],
    [
      'a claim while the schedule is paused',
      story().pauses().claims(2_000, first).executes(first).ends(first),
      'was paused',
    ],
    [
      'a fence that does not grow',
      story()
        .claims(2_000, first)
        .executes(first)
        .ends(first)
        .claims(3_000, { ...second, fence: 1_000 })
        .executes({ ...second, fence: 1_000 })
        .ends({ ...second, fence: 1_000 }),
      'is not larger than before',
    ],
  ])('find %s', (_, told, sentence) => {
    expect(told.contradictions()).toContainEqual(expect.stringContaining(sentence));
  });
});
