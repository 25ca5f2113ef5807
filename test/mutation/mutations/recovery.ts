import type { Mutation } from '../mutation.js';

const FIRE_REQUESTS = 'lib/storage/schedules/fire-requests.ts';
const STALE_RUNS = 'lib/storage/runs/stale-runs.store.ts';
const TAKEOVER = 'lib/storage/runs/takeover.ts';
const VIGIL = 'lib/engine/upkeep/vigil.ts';
const FENCES_SPEC = 'test/integration/storage/fences.spec.ts';
const RECOVERY_SPEC = 'test/integration/engine/recovery.spec.ts';
const TAKEOVER_SPEC = 'test/integration/storage/takeover.spec.ts';
const VIGIL_SPEC = 'test/unit/engine/vigil.spec.ts';
const VIGILANCE_SPEC = 'test/integration/engine/vigilance.spec.ts';

/** Who may be declared dead, and what becomes of what it left behind. */
export const RECOVERY: readonly Mutation[] = [
  {
    guard: 'takeover: compare-and-set on staleness',
    guarantee: 'A run whose heartbeat arrives at the last moment is spared.',
    edits: [
      {
        file: TAKEOVER,
        text: "status = 'running' and heartbeat_at_unix_ms < $2",
        replacement: "status = 'running' and $2::bigint is not null",
      },
    ],
    killer: { spec: TAKEOVER_SPEC, test: 'spares a run whose heartbeat arrived after it was looked at' },
  },
  {
    guard: 'takeover: compare-and-set on `running`',
    guarantee: 'A run that ends at the last moment is not abandoned.',
    edits: [
      {
        file: TAKEOVER,
        text: "and status = 'running' and heartbeat_at_unix_ms < $2",
        replacement: 'and heartbeat_at_unix_ms < $2',
      },
    ],
    killer: { spec: TAKEOVER_SPEC, test: 'spares a run that ended after it was looked at' },
  },
  {
    guard: 'takeover: `SKIP LOCKED`',
    guarantee: 'An outcome in flight holds up nothing but its own run.',
    edits: [
      {
        file: TAKEOVER,
        text: 'order by id for update skip locked',
        replacement: 'order by id for update',
      },
    ],
    killer: { spec: TAKEOVER_SPEC, test: 'does not wait for a run whose outcome is in flight' },
  },
  {
    guard: 'takeover and recovery in one transaction',
    guarantee: 'No crash comes between a run that is abandoned and its recovery.',
    edits: [
      {
        file: TAKEOVER,
        text: "const abandoned = rows.filter((row) => row.status === 'abandoned');",
        replacement:
          "const abandoned = rows.filter((row) => row.status === 'abandoned');\n    await executor.query('commit');\n    await executor.query('begin');",
      },
    ],
    killer: { spec: TAKEOVER_SPEC, test: 'commits together with the request of the recovery, or not at all' },
  },
  {
    guard: 'sweep: under the lock of the schedule',
    guarantee: 'A sweep and a claim never deal with one schedule at the same time.',
    edits: [
      {
        file: STALE_RUNS,
        text: 'stale.filter((run) => heldIds.has(run.schedule_id))',
        replacement: 'stale.filter((run) => heldIds.has(run.schedule_id) || true)',
      },
    ],
    killer: { spec: TAKEOVER_SPEC, test: 'comes by a sweep only under the lock of the schedule' },
  },
  {
    guard: 'sweep: `SKIP LOCKED`',
    guarantee: 'A sweep waits for no schedule that somebody holds.',
    edits: [
      {
        file: STALE_RUNS,
        text: 'order by id for update skip locked',
        replacement: 'order by id for update',
      },
    ],
    killer: { spec: TAKEOVER_SPEC, test: 'comes by a sweep only under the lock of the schedule' },
  },
  {
    guard: 'canceled runs are not recovered',
    guarantee: 'What an operator or `replace` wanted to end is not fired again because its node died.',
    edits: [
      {
        file: TAKEOVER,
        text: "rows.filter((row) => row.status === 'abandoned')",
        replacement: "rows.filter((row) => row.status !== 'running')",
      },
    ],
    killer: { spec: TAKEOVER_SPEC, test: 'does not repeat a run that somebody had asked to end' },
  },
  {
    guard: 'only a shutdown is repeated',
    guarantee: 'A run that an operator canceled is not fired again.',
    edits: [
      {
        file: 'lib/storage/runs/outcome.store.ts',
        text: "return reason === 'shutdown' ||",
        replacement: "return reason === 'shutdown' || reason === 'operator' ||",
      },
    ],
    killer: {
      spec: 'test/integration/storage/outcomes.spec.ts',
      test: 'request a repetition of what a shutdown canceled, and of nothing that nobody wants any more',
    },
  },
  {
    guard: 'vigil, for sweeps',
    guarantee: 'A sweep declares nobody dead whom it could not have heard.',
    edits: [
      {
        file: 'lib/engine/upkeep/recovery-sweep.ts',
        text: 'mayTakeOver: (nowUnixMs) => vigil.isComplete(nowUnixMs),',
        replacement: 'mayTakeOver: (nowUnixMs) => vigil.isComplete(nowUnixMs) || true,',
      },
    ],
    killer: { spec: VIGILANCE_SPEC, test: 'spares a live run, in claims and in sweeps' },
  },
  {
    guard: 'vigil, for claims',
    guarantee: 'A claim declares nobody dead whom it could not have heard.',
    edits: [
      {
        file: 'lib/engine/claiming/claimer.ts',
        text: 'mayTakeOver: (nowUnixMs) => vigil.isComplete(nowUnixMs),',
        replacement: 'mayTakeOver: (nowUnixMs) => vigil.isComplete(nowUnixMs) || true,',
      },
    ],
    killer: { spec: VIGILANCE_SPEC, test: 'spares a live run, in claims and in sweeps' },
  },
  {
    guard: 'vigil: a full `abandonedAfter`',
    guarantee: 'Every living node has had as long to heartbeat.',
    edits: [
      {
        file: VIGIL,
        text: 'nowUnixMs - this.sinceUnixMs >= this.abandonedAfterMs &&',
        replacement: '',
      },
    ],
    killer: {
      spec: VIGIL_SPEC,
      test: 'is complete when heartbeats have succeeded for a full abandonedAfter',
    },
  },
  {
    guard: 'vigil: begins anew after a gap',
    guarantee: 'A node that was frozen takes nobody over when it goes on.',
    edits: [
      {
        file: VIGIL,
        text: 'if (this.sinceUnixMs === undefined || !this.isFresh(nowUnixMs)) {',
        replacement: 'if (this.sinceUnixMs === undefined) {',
      },
    ],
    killer: { spec: VIGIL_SPEC, test: 'begins anew after a gap, as a frozen process leaves it' },
  },
  {
    guard: 'vigil: begins anew after a failure',
    guarantee: 'After an outage of the database nobody’s live runs are taken over.',
    edits: [
      {
        file: VIGIL,
        text: 'onFailure(): void {\n    this.sinceUnixMs = undefined;',
        replacement: 'onFailure(): void {',
      },
    ],
    killer: { spec: VIGIL_SPEC, test: 'begins anew after a failed heartbeat' },
  },
  {
    guard: 'vigil: hears of failures',
    guarantee: 'One failed heartbeat is enough, however soon the next succeeds.',
    edits: [
      {
        file: 'lib/engine/heartbeat/heartbeat.ts',
        text: '      vigil.onFailure();\n',
        replacement: '',
      },
    ],
    killer: {
      spec: 'test/unit/engine/heartbeat.spec.ts',
      test: 'has the vigil begin anew by one failure, however soon the next succeeds',
    },
  },
  {
    guard: 'bound of recoveries',
    guarantee: 'A handler that kills its node is not fired again for ever.',
    edits: [
      {
        file: FIRE_REQUESTS,
        text: 'where not again.counts or r.recoveries < $7',
        replacement: 'where $7::int is not null',
      },
    ],
    killer: { spec: RECOVERY_SPEC, test: 'gives a run up after maxRecoveries crashes, and says so' },
  },
  {
    guard: '`recover`',
    guarantee: 'What may not be repeated is not.',
    edits: [
      {
        file: FIRE_REQUESTS,
        text: "and (s.recover or again.origin = 'retry')",
        replacement: '',
      },
    ],
    killer: { spec: RECOVERY_SPEC, test: 'does not fire an abandoned run again without `recover`' },
  },
  {
    guard: 'one request for a repetition',
    guarantee: 'A run is repeated once, whoever notices its end.',
    edits: [
      {
        file: 'migrations/1795910400000-create-tables.ts',
        text: 'crn_fire_request (repeats_run_id)\n       where repeats_run_id is not null`',
        replacement: 'crn_fire_request (repeats_run_id)\n       where repeats_run_id is not null and false`',
      },
    ],
    killer: { spec: FENCES_SPEC, test: 'take one request for the repetition of a run, whoever asks again' },
  },
  {
    guard: 'one run for a repetition',
    guarantee: 'A repetition that was consumed is not asked for again.',
    edits: [
      {
        file: 'migrations/1795910400000-create-tables.ts',
        text: 'crn_run (repeats_run_id)\n       where repeats_run_id is not null`',
        replacement: 'crn_run (repeats_run_id)\n       where repeats_run_id is not null and false`',
      },
    ],
    killer: { spec: FENCES_SPEC, test: 'take one run of an occurrence, of a repetition' },
  },
  {
    guard: 'key of the occurrence',
    guarantee: '`execution.idempotencyKey` is the same in every attempt.',
    edits: [
      {
        file: FIRE_REQUESTS,
        text: 'r.id, r.idempotency_key, r.params,',
        replacement: 'r.id, again.request_id::text, r.params,',
      },
    ],
    killer: {
      spec: RECOVERY_SPEC,
      test: 'fires an abandoned run again with its logical time and its key, once',
    },
  },
];
