import type { Mutation } from '../mutation.js';

const ACTIVE_RUN = 'lib/engine/execution/active-run.ts';
const ACTIVE_RUN_SPEC = 'test/unit/engine/active-run.spec.ts';
const HEARTBEAT_STORE = 'lib/storage/nodes/heartbeat.store.ts';
const OUTCOME_STORE = 'lib/storage/runs/outcome.store.ts';
const OUTCOMES_SPEC = 'test/integration/storage/outcomes.spec.ts';
const SHUTDOWN_SPEC = 'test/integration/engine/shutdown.spec.ts';

/** How a run ends, and who may say so. */
export const RUNS: readonly Mutation[] = [
  {
    guard: 'outcome: compare-and-set on `running`',
    guarantee: 'A run that was taken over is not overwritten by its late executor.',
    edits: [
      {
        file: OUTCOME_STORE,
        text: "and ${isRunning('mine')} and mine.node_id = $1",
        replacement: 'and mine.node_id = $1',
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'leave a run as it is that was abandoned, and say so' },
  },
  {
    guard: 'outcome: compare-and-set on the node',
    guarantee: 'A node ends only runs of its own.',
    edits: [
      {
        file: OUTCOME_STORE,
        text: "and ${isRunning('mine')} and mine.node_id = $1",
        replacement: "and ${isRunning('mine')} and $1::text is not null",
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'leave a run alone that is another node’s' },
  },
  {
    guard: 'no event without its outcome',
    guarantee: 'An outcome that the journal refused is told to nobody.',
    edits: [
      {
        file: 'lib/engine/execution/outcome-writer.ts',
        text: 'this.observer.onRefused(outcome);',
        replacement: 'this.observer.onJournaled({ outcome, willRepeat: false });',
      },
    ],
    killer: {
      spec: 'test/integration/engine/recovery.spec.ts',
      test: 'refuses the outcome of a run that was taken over before its handler could know',
    },
  },
  {
    guard: 'schedules held before a repetition is requested',
    guarantee: 'No request outlives the schedule that it is for.',
    edits: [
      {
        file: OUTCOME_STORE,
        text: 'order by id for key share skip locked',
        replacement: 'order by id',
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'request no repetition that outlives the schedule' },
  },
  {
    guard: 'outcome: `SKIP LOCKED`',
    guarantee: 'A schedule that somebody has locked keeps no other outcome out of the journal.',
    edits: [
      {
        file: OUTCOME_STORE,
        text: 'order by id for key share skip locked',
        replacement: 'order by id for key share',
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'wait for no schedule that somebody has locked' },
  },
  {
    guard: 'heartbeat: only what is running',
    guarantee: 'The last sign of life of a run that was abandoned stays what it was.',
    edits: [
      {
        file: HEARTBEAT_STORE,
        text: "where r.id = sent.id and ${isRunning('r')} and r.node_id = $1",
        replacement: 'where r.id = sent.id and r.node_id = $1',
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'leave a run as it is that was abandoned, and say so' },
  },
  {
    guard: 'heartbeat: says what is running',
    guarantee: 'A node learns of the runs that it has lost.',
    edits: [
      {
        file: HEARTBEAT_STORE,
        text: "where r.id = any($6::uuid[]) and ${isRunning('r')} and r.node_id = $1",
        replacement: 'where r.id = any($6::uuid[]) and r.node_id = $1',
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'leave a run as it is that was abandoned, and say so' },
  },
  {
    guard: 'heartbeat: `SKIP LOCKED`',
    guarantee: 'A commit that takes long does not make the other runs of its node look abandoned.',
    edits: [
      {
        file: HEARTBEAT_STORE,
        text: 'for update skip locked\n        ) run',
        replacement: 'for update\n        ) run',
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'keep a node alive whose one run is locked' },
  },
  {
    guard: 'stand-in heartbeat: only what is running',
    guarantee: 'A thread that beats for a blocked event loop revives nothing that is over.',
    edits: [
      {
        file: HEARTBEAT_STORE,
        text: "where status = 'running' and node_id = $1",
        replacement: 'where node_id = $1',
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'refresh by a stand-in what is running and the node’s own' },
  },
  {
    guard: 'stand-in heartbeat: only the node’s own',
    guarantee: 'It does not keep runs alive whose node is dead.',
    edits: [
      {
        file: HEARTBEAT_STORE,
        text: "where status = 'running' and node_id = $1",
        replacement: "where status = 'running' and $1::text is not null",
      },
    ],
    killer: { spec: OUTCOMES_SPEC, test: 'refresh by a stand-in what is running and the node’s own' },
  },
  {
    guard: 'heartbeats until the outcome is written',
    guarantee:
      'A run whose handler has ended does not look abandoned while its outcome waits for the database.',
    edits: [
      {
        file: 'lib/engine/heartbeat/heartbeat.ts',
        text: 'const runs = [...slots.active, ...endedRuns()];',
        replacement: 'const runs = [...slots.active, ...[...endedRuns()].slice(0, 0)];',
      },
    ],
    killer: {
      spec: 'test/integration/engine/store-errors.spec.ts',
      test: 'do not make a run look abandoned whose handler has ended and whose outcome waits',
    },
  },
  {
    guard: 'abort on takeover',
    guarantee: 'A handler whose run was taken over has its signal aborted.',
    edits: [
      {
        file: 'lib/engine/heartbeat/heartbeat.ts',
        text: 'lost.onTakenOver();',
        replacement: '',
      },
    ],
    killer: {
      spec: 'test/integration/engine/recovery.spec.ts',
      test: 'aborts the handler of a run that was taken over, and drops what it does',
    },
  },
  {
    guard: 'deadline by the clock, not by its timer',
    guarantee: 'A handler that returns after its deadline has failed, also where no timer got to say so.',
    edits: [
      {
        file: ACTIVE_RUN,
        text: '} else if (this.isTimedOut()) {',
        replacement: '} else if (this.isTimedOut() && this.isDecided) {',
      },
    ],
    killer: {
      spec: ACTIVE_RUN_SPEC,
      test: 'fails a handler that returned after the deadline although no timer could tell it',
    },
  },
  {
    guard: 'timeout outranks shutdown',
    guarantee: 'A run that timed out while its node was shutting down has failed.',
    edits: [
      {
        file: ACTIVE_RUN,
        text: 'this.isTimedOut() || this.cancelReason === undefined ? this.timedOut()',
        replacement: 'this.cancelReason === undefined ? this.timedOut()',
      },
    ],
    killer: { spec: ACTIVE_RUN_SPEC, test: 'fails as timed out, which outranks it' },
  },
  {
    guard: 'shutdown outranks the error',
    guarantee: 'What a handler throws because it was aborted is no failure.',
    edits: [
      {
        file: ACTIVE_RUN,
        text: '} else if (this.cancelReason !== undefined) {',
        replacement: '} else if (this.cancelReason !== undefined && this.isDecided) {',
      },
    ],
    killer: { spec: SHUTDOWN_SPEC, test: 'aborts and cancels what does not end in time; recover: ' },
  },
  {
    guard: 'operator outranks shutdown',
    guarantee: 'What nobody wants any more is not fired again by a shutdown.',
    edits: [
      {
        file: ACTIVE_RUN,
        text: "if (this.cancelReason === undefined || reason !== 'shutdown') {",
        replacement: 'if (reason !== undefined) {',
      },
    ],
    killer: { spec: ACTIVE_RUN_SPEC, test: 'outranks a shutdown, before and after it' },
  },
  {
    guard: 'signal at the deadline',
    guarantee: 'A handler hears of its deadline.',
    edits: [
      {
        file: ACTIVE_RUN,
        text: 'this.abort(timeoutMessage(this.bounds.timeoutMs));\n    this.grantGrace();',
        replacement: 'this.grantGrace();',
      },
    ],
    killer: {
      spec: ACTIVE_RUN_SPEC,
      test: 'aborts the signal at the deadline, and fails when the grace runs out',
    },
  },
  {
    guard: 'grace',
    guarantee: 'A handler that never settles has failed when its grace is over.',
    edits: [
      {
        file: ACTIVE_RUN,
        text: 'this.abort(timeoutMessage(this.bounds.timeoutMs));\n    this.grantGrace();',
        replacement: 'this.abort(timeoutMessage(this.bounds.timeoutMs));',
      },
    ],
    killer: {
      spec: 'test/integration/engine/timeouts.spec.ts',
      test: 'fails a run whose handler never settles, opens its gate, and keeps its slot',
    },
  },
  {
    guard: 'slots of handlers that never settle',
    guarantee: 'A node whose handlers go on for ever stops claiming instead of piling them up.',
    edits: [
      {
        file: 'lib/engine/claiming/run-slots.ts',
        text: 'return this.size - this.occupants.size',
        replacement: 'return this.size - this.active.length',
      },
    ],
    killer: {
      spec: 'test/integration/engine/timeouts.spec.ts',
      test: 'fails a run whose handler never settles, opens its gate, and keeps its slot',
    },
  },
  {
    guard: 'clamped timers',
    guarantee: 'A deadline beyond what a timer takes does not pass at once.',
    edits: [
      {
        file: 'lib/engine/timing/long-timer.ts',
        text: 'Math.min(Math.ceil(remainingMs), MAX_TIMER_MS)',
        replacement: 'Math.max(Math.ceil(remainingMs), 0)',
      },
    ],
    killer: {
      spec: 'test/unit/engine/long-timer.spec.ts',
      test: 'waits for delays beyond what a timer takes',
    },
  },
  {
    guard: 'transactional: record before the commit',
    guarantee: 'A transactional handler whose run was taken over leaves nothing behind.',
    edits: [
      {
        file: 'lib/storage/connections/handler-transaction.ts',
        text: 'if (!isWritten) {',
        replacement: 'if (!isWritten && outcome.runId === nodeId) {',
      },
    ],
    killer: {
      spec: 'test/integration/jobs/transactional.spec.ts',
      test: 'leave nothing when they return before their node learns of it',
    },
  },
  {
    guard: 'transactional: no commit after the end',
    guarantee: 'A handler whose run is over must not commit.',
    edits: [
      {
        file: ACTIVE_RUN,
        text: '    this.ending.throwIfAborted();\n',
        replacement: '',
      },
    ],
    killer: { spec: ACTIVE_RUN_SPEC, test: 'must not commit when it was taken over, nor when it is over' },
  },
  {
    guard: 'drain before the node leaves',
    guarantee: 'A shutdown waits for what runs, and journals how it ended.',
    edits: [
      {
        file: 'lib/engine/engine.ts',
        text: '    await this.drain();\n    this.storage?.connections.giveUpAfter(LAST_WORDS_MS);',
        replacement: '    this.storage?.connections.giveUpAfter(LAST_WORDS_MS);',
      },
    ],
    killer: { spec: SHUTDOWN_SPEC, test: 'aborts and cancels what does not end in time; recover: ' },
  },
  {
    guard: 'no claim while draining',
    guarantee: 'A node that shuts down takes nothing on.',
    edits: [
      {
        file: 'lib/engine/engine-node.ts',
        text: 'Promise.all([poller.stop(), sweep.stop()',
        replacement: 'Promise.all([sweep.stop()',
      },
    ],
    killer: { spec: SHUTDOWN_SPEC, test: 'waits for running handlers, and claims nothing meanwhile' },
  },
  {
    guard: 'heartbeats while draining',
    guarantee: 'What is still finishing is not taken over.',
    edits: [
      {
        file: 'lib/engine/engine-node.ts',
        text: 'Promise.all([poller.stop(), sweep.stop()',
        replacement: 'Promise.all([this.parts.heartbeat.stop(), poller.stop(), sweep.stop()',
      },
    ],
    killer: { spec: SHUTDOWN_SPEC, test: 'keeps the heartbeats of running handlers alive to the end' },
  },
];
