import type { Mutation } from '../mutation.js';

const CAN_FIRE = 'lib/storage/schedules/can-fire.ts';
const CANDIDATES = 'lib/storage/claims/claim-candidates.store.ts';
const CLAIMABLE = 'lib/storage/claims/claimable.ts';
const CLAIM_PLAN = 'lib/schedules/claim-plan.ts';
const CLAIM_STORE = 'lib/storage/claims/claim.store.ts';
const CLAIM_WRITER = 'lib/storage/claims/claim.writer.ts';
const CLAIMING_SPEC = 'test/integration/engine/claiming.spec.ts';
const CLAIM_PLAN_SPEC = 'test/unit/schedules/claim-plan.spec.ts';
const EXPIRED_PAUSES = 'lib/storage/schedules/expired-pause.store.ts';
const LOCKS_SPEC = 'test/integration/engine/locks.spec.ts';

/** What a claim takes, and what it leaves alone. */
export const CLAIMS: readonly Mutation[] = [
  {
    guard: '`SKIP LOCKED` for due cursors',
    guarantee: 'No claim waits for a schedule that another node has locked.',
    edits: [
      {
        file: CANDIDATES,
        text: 'for update skip locked\n      ), backlog as (',
        replacement: 'for update\n      ), backlog as (',
      },
    ],
    killer: { spec: LOCKS_SPEC, test: 'holds up no other schedule that is due' },
  },
  {
    guard: '`SKIP LOCKED` for backlogs',
    guarantee: 'No claim waits for a backlog that another node has locked.',
    edits: [
      {
        file: CANDIDATES,
        text: 'for update skip locked\n      )\n',
        replacement: 'for update\n      )\n',
      },
    ],
    killer: { spec: LOCKS_SPEC, test: 'holds up no backlog of another schedule' },
  },
  {
    guard: '`SKIP LOCKED` for requests',
    guarantee: 'No claim waits for a request that another node has locked.',
    edits: [
      {
        file: CANDIDATES,
        text: 'for update of s, q skip locked',
        replacement: 'for update of s, q',
      },
    ],
    killer: { spec: LOCKS_SPEC, test: 'of another schedule' },
  },
  {
    guard: '`SKIP LOCKED` for past ranges',
    guarantee: 'No claim waits for a range that another node has locked.',
    edits: [
      {
        file: CANDIDATES,
        text: 'for update of s, b skip locked',
        replacement: 'for update of s, b',
      },
    ],
    killer: { spec: LOCKS_SPEC, test: 'of another schedule' },
  },
  {
    guard: '`SKIP LOCKED` for ends of pauses',
    guarantee: 'A pause that has ended holds up nothing while somebody has its schedule locked.',
    edits: [{ file: EXPIRED_PAUSES, text: "'for update skip locked'", replacement: "'for update'" }],
    killer: { spec: LOCKS_SPEC, test: 'keeps its pause, which has ended, until it is free' },
  },
  {
    guard: 'condition beside the lock, for ends of pauses',
    guarantee: 'A pause is ended once, and recorded once, by whichever node has it first.',
    edits: [
      {
        file: EXPIRED_PAUSES,
        text: 'where s.name = $2 and ${isExpired}',
        replacement: 'where s.name = $2 and $1::bigint is not null',
      },
    ],
    killer: { spec: 'test/integration/manager/expired-pauses.spec.ts', test: 'is ended and recorded once' },
  },
  {
    guard: 'conditions beside the lock',
    guarantee:
      'What changed between the look of a claim and its lock is seen: a pause, a deletion, an advance.',
    edits: [
      {
        file: CANDIDATES,
        text: 'where ${due} and not ${isInBacklog(PARAMETERS)}',
        replacement:
          'where s.id in (select s.id from ${schema.schedule} s where ${due} and not ${isInBacklog(PARAMETERS)})',
      },
    ],
    killer: { spec: CLAIMING_SPEC, test: 'does not fire one that was' },
  },
  {
    guard: 'locks held until the commit',
    guarantee: 'What one node has decided to fire, no other does.',
    edits: [
      {
        file: CLAIM_STORE,
        text: 'const { activeScheduleIds, takenOver } = await this.settleActiveRuns(',
        replacement:
          "await executor.query('commit');\n    await executor.query('begin');\n    const { activeScheduleIds, takenOver } = await this.settleActiveRuns(",
      },
    ],
    killer: {
      spec: LOCKS_SPEC,
      test: 'is fired by nobody else while a claim that has decided about it is yet to be journaled',
    },
  },
  {
    guard: 'due condition',
    guarantee: 'Nothing fires early.',
    edits: [
      {
        file: CANDIDATES,
        text: 's.next_fire_at_unix_ms <= $2::bigint and ${claimable}',
        replacement: '${claimable}',
      },
    ],
    killer: {
      spec: 'test/integration/engine/misfire.spec.ts',
      test: 'claims nothing when it looks early, and fires once when it is time',
    },
  },
  {
    guard: 'advance of the cursor',
    guarantee: 'A claimed occurrence is not due for whoever comes next.',
    edits: [
      {
        file: CLAIM_WRITER,
        text: 'set next_fire_at_unix_ms = step.next, parked_reason',
        replacement: 'set parked_reason',
      },
    ],
    killer: {
      spec: CLAIMING_SPEC,
      test: 'leaves the regular fire alone when a manual one comes before and after it',
    },
  },
  {
    guard: 'consumption of requests',
    guarantee: 'A request fires once.',
    edits: [
      {
        file: CLAIM_WRITER,
        text: 'delete from ${schema.fireRequest} where id = any(',
        replacement: 'delete from ${schema.fireRequest} where false and id = any(',
      },
    ],
    killer: { spec: CLAIMING_SPEC, test: 'claims one run for each occurrence and each request' },
  },
  {
    guard: 'unique index on the occurrence',
    guarantee: 'An occurrence has one run, whatever happens to its cursor.',
    edits: [
      {
        file: 'migrations/1795910400000-create-tables.ts',
        text: "where origin = 'schedule'`",
        replacement: "where origin = 'schedule' and false`",
      },
    ],
    killer: {
      spec: 'test/integration/storage/fences.spec.ts',
      test: 'take one run of an occurrence, of a repetition',
    },
  },
  {
    guard: '`ON CONFLICT DO NOTHING`',
    guarantee: 'A fire that the fence refuses takes no other of its batch with it.',
    edits: [
      {
        file: 'lib/storage/runs/new-runs.ts',
        text: '    on conflict do nothing\n',
        replacement: '',
      },
    ],
    killer: {
      spec: 'test/integration/storage/fences.spec.ts',
      test: 'take one run of an occurrence, of a repetition',
    },
  },
  {
    guard: 'look at the last fire',
    guarantee: 'What fired before does not fire again where the journal has forgotten it.',
    edits: [
      {
        file: CLAIM_PLAN,
        text: 'schedule.lastFireAtUnixMs ?? -Infinity',
        replacement: '-Infinity',
      },
    ],
    killer: { spec: CLAIM_PLAN_SPEC, test: 'goes on behind the last fire, also where the journal no longer' },
  },
  {
    guard: 'look at the journal',
    guarantee: 'What a restored backup has forgotten is neither fired nor counted as missed again.',
    edits: [
      {
        file: CLAIM_PLAN,
        text: 'journaledThroughUnixMs.get(schedule.id) ?? -Infinity',
        replacement: '-Infinity',
      },
    ],
    killer: { spec: CLAIM_PLAN_SPEC, test: 'goes on behind what the journal holds' },
  },
  {
    guard: 'pause, for occurrences',
    guarantee: 'A paused schedule does not fire.',
    edits: [
      {
        file: CAN_FIRE,
        text: '`${CAN_FIRE} and s.next_fire_at_unix_ms is not null`',
        replacement: "'s.parked_reason is null and s.next_fire_at_unix_ms is not null'",
      },
    ],
    killer: { spec: CLAIMING_SPEC, test: 'does not fire one that was' },
  },
  {
    guard: 'pause, for requests',
    guarantee: 'A fire that was accepted and then meets a pause waits for the resume; so does a recovery.',
    edits: [
      {
        file: CLAIMABLE,
        text: '(s.is_enabled or q.fires_while_paused)',
        replacement: 'true',
      },
    ],
    killer: { spec: 'test/integration/engine/recovery.spec.ts', test: 'waits while its schedule is paused' },
  },
  {
    guard: 'parked schedules left alone',
    guarantee: 'A row that cannot be evaluated is journaled once, and not at every pass.',
    edits: [
      {
        file: CAN_FIRE,
        text: '`${CAN_FIRE} and s.next_fire_at_unix_ms is not null`',
        replacement: "'s.is_enabled and s.next_fire_at_unix_ms is not null'",
      },
    ],
    killer: { spec: CLAIMING_SPEC, test: 'does not fire one that was' },
  },
  {
    guard: 'parking',
    guarantee: 'A row that cannot be evaluated stops no other schedule.',
    edits: [
      {
        file: CLAIM_PLAN,
        text: 'const reason = messageOf(error);',
        replacement: 'const reason: string = (() => { throw error; })();',
      },
    ],
    killer: { spec: 'test/integration/engine/corrupted-rows.spec.ts', test: 'parks a schedule with' },
  },
  {
    guard: 'held jobs',
    guarantee: 'Nothing of a job that is held fires.',
    edits: [
      {
        file: CLAIMABLE,
        text: 'where not exists (',
        replacement: 'where true or not exists (',
      },
    ],
    killer: {
      spec: 'test/integration/fires/holds.spec.ts',
      test: 'holds back one job and no other, until it is released',
    },
  },
  {
    guard: 'jobs of the node',
    guarantee: 'A node claims only what it can execute; the rest stays due and untouched.',
    edits: [
      {
        file: CLAIMABLE,
        text: 'select job.name from unnest(${jobNames}::text[]) as job (name)',
        replacement:
          'select job.name from (select s.job_name where cardinality(${jobNames}::text[]) > 0) as job (name)',
      },
    ],
    killer: {
      spec: CLAIMING_SPEC,
      test: 'leaves a schedule alone whose job is registered on another node only',
    },
  },
  {
    guard: 'bound of the slots',
    guarantee: 'A node never claims more than it can start at once.',
    edits: [
      {
        file: CLAIM_PLAN,
        text: 'if (this.startedCount >= this.situation.slots) {',
        replacement: 'if (this.startedCount < 0) {',
      },
    ],
    killer: { spec: CLAIM_PLAN_SPEC, test: 'stops when the slots are used up, and leaves the rest due' },
  },
  {
    guard: 'reservation of slots',
    guarantee: 'Two claims side by side do not count on the same slots.',
    edits: [
      {
        file: 'lib/engine/claiming/run-slots.ts',
        text: 'this.reserved += reserved;',
        replacement: 'this.reserved += 0 * reserved;',
      },
    ],
    killer: {
      spec: 'test/unit/engine/run-slots.spec.ts',
      test: 'keeps for a claim what is free, and no more',
    },
  },
  {
    guard: 'order of logical times',
    guarantee: 'What was due first gets a slot first.',
    edits: [
      {
        file: 'lib/schedules/claim-candidates.ts',
        text: '      logicalTime(left) - logicalTime(right) ||\n',
        replacement: '',
      },
    ],
    killer: {
      spec: CLAIM_PLAN_SPEC,
      test: 'orders by logical time, and a regular occurrence before a request',
    },
  },
  {
    guard: 'backlogs behind everything else',
    guarantee: 'A long backfill delays nobody.',
    edits: [
      {
        file: 'lib/schedules/claim-candidates.ts',
        text: '      Number(isBacklog(left, lateness)) - Number(isBacklog(right, lateness)) ||\n',
        replacement: '',
      },
    ],
    killer: { spec: CLAIM_PLAN_SPEC, test: 'gives slots to what is on time before any backlog' },
  },
  {
    guard: 'order of a tie',
    guarantee: 'The regular occurrence goes before a request of the same instant.',
    edits: [
      {
        file: 'lib/schedules/claim-candidates.ts',
        text: "Number(left.kind !== 'occurrence') - Number(right.kind !== 'occurrence')",
        replacement: "Number(left.kind === 'occurrence') - Number(right.kind === 'occurrence')",
      },
    ],
    killer: { spec: CLAIMING_SPEC, test: 'puts the regular occurrence before a request of the same instant' },
  },
  {
    guard: 'takeover before the overlap decision',
    guarantee: 'A run of a dead node does not have the next occurrence skipped.',
    edits: [
      {
        file: CLAIM_STORE,
        text: 'running.filter((run) => !endedIds.has(run.id))',
        replacement: 'running.filter((run) => endedIds.size >= 0 && run.id !== undefined)',
      },
    ],
    killer: {
      spec: 'test/integration/engine/recovery.spec.ts',
      test: 'takes a stale run over before it lets an occurrence be skipped for it',
    },
  },
  {
    guard: 'what waits, left out of the claim',
    guarantee: 'A recovery that waits under `forbid` neither fills the batches nor keeps the node awake.',
    edits: [
      {
        file: CLAIMABLE,
        text: "(q.is_queued or q.origin in ('recovery', 'retry'))",
        replacement: 'q.is_queued',
      },
    ],
    killer: {
      spec: 'test/integration/storage/agenda.spec.ts',
      test: 'out that waits under `forbid`, and has it when nothing runs any more',
    },
  },
  {
    guard: 'what is owed waits',
    guarantee: 'A recovery is not skipped because a run of its schedule is active.',
    edits: [
      {
        file: CLAIM_PLAN,
        text: "request?.origin === 'recovery' ||",
        replacement: '',
      },
    ],
    killer: {
      spec: CLAIM_PLAN_SPEC,
      test: 'leaves a recovery pending while a run of the schedule is active',
    },
  },
  {
    guard: 'due cursors last',
    guarantee:
      'No request goes before the regular occurrence that is due before it, whatever commits meanwhile.',
    edits: [
      {
        file: CANDIDATES,
        text: '    const requested = outlook.has_requests',
        replacement:
          "    const due = await executor.query<DueRow>(this.dueText, [...values, nowUnixMs - misfireThresholdMs], 'crn_claim_due');\n    const requested = outlook.has_requests",
      },
      {
        file: CANDIDATES,
        text: "    const due = await executor.query<DueRow>(\n      this.dueText,\n      [...values, nowUnixMs - misfireThresholdMs],\n      'crn_claim_due',\n    );\n",
        replacement: '',
      },
    ],
    killer: {
      spec: 'test/integration/storage/claim-candidates.spec.ts',
      test: 'never have a request without the due cursor that goes before it',
    },
  },
  {
    guard: 'unanswered commits looked up',
    guarantee:
      'A claim that committed although nobody was told is started, and not left until it looks abandoned.',
    edits: [
      {
        file: 'lib/engine/claiming/claimer.ts',
        text: 'this.unconfirmed.push({ result: error.result, reserved });',
        replacement: 'slots.release(reserved);',
      },
    ],
    killer: {
      spec: 'test/integration/engine/store-errors.spec.ts',
      test: 'start a claim that is in the journal',
    },
  },
  {
    guard: 'unanswered commits waited for',
    guarantee: 'A commit that is still under way is not taken for one that never happened.',
    edits: [
      {
        file: 'lib/storage/claims/claim.store.ts',
        text: 'if (isUnderWay) {',
        replacement: 'if (isUnderWay && claim.transactionId === undefined) {',
      },
    ],
    killer: {
      spec: 'test/integration/engine/unanswered-commit.spec.ts',
      test: 'and is cut off from its node is waited for',
    },
  },
  {
    guard: 'boundary of the misfire threshold',
    guarantee: 'Lateness exactly at the threshold is on time.',
    edits: [
      {
        file: 'lib/schedules/misfire.ts',
        text: 'return nowUnixMs - cursorUnixMs > misfireThresholdMs;',
        replacement: 'return nowUnixMs - cursorUnixMs >= misfireThresholdMs;',
      },
    ],
    killer: {
      spec: 'test/integration/engine/misfire.spec.ts',
      test: 'fires on time up to the very threshold',
    },
  },
  {
    guard: 'time of the store',
    guarantee: 'Whether something is due is decided by one clock for all nodes.',
    edits: [
      {
        file: 'lib/storage/connections/connections.ts',
        text: '[`${this.clock.nowSql} as now`, ...columns]',
        replacement: '[`${Date.now()}::bigint as now`, ...columns]',
      },
    ],
    killer: {
      spec: 'test/integration/engine/misfire.spec.ts',
      test: 'claims nothing when it looks early, and fires once when it is time',
    },
  },
];
