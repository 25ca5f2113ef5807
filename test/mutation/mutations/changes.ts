import type { Mutation } from '../mutation.js';

const CONCURRENCY_SPEC = 'test/integration/manager/concurrency.spec.ts';

/** What changes of schedules, seeds and the retention leave alone. */
export const CHANGES: readonly Mutation[] = [
  {
    guard: 'expected version',
    guarantee: 'Of two operators who read the same, the second is refused with 2707.',
    edits: [
      {
        file: 'lib/manager/changing/existing-schedule.ts',
        text: 'expectedVersion !== undefined && current.version !== expectedVersion',
        replacement: 'expectedVersion !== undefined && current.version < 0',
      },
    ],
    killer: {
      spec: CONCURRENCY_SPEC,
      test: 'let the first of two operators with one version through, and refuse the second',
    },
  },
  {
    guard: 'lock before a change',
    guarantee: 'The version that is checked is still that of the row when it is written.',
    edits: [
      {
        file: 'lib/storage/schedules/schedule.store.ts',
        text: '`${this.findText} for update`',
        replacement: '`${this.findText}`',
      },
    ],
    killer: {
      spec: CONCURRENCY_SPEC,
      test: 'refuse a version that is no longer the row’s when the lock is there',
    },
  },
  {
    guard: 'cursor after the creation',
    guarantee: 'What is created under a name that was deleted does not fire an occurrence again.',
    edits: [
      {
        file: 'lib/manager/changing/schedule-change.ts',
        text: 'occurrencesOfTiming(definition, anchorAtUnixMs).next(nowUnixMs)',
        replacement: 'occurrencesOfTiming(definition, anchorAtUnixMs).next(nowUnixMs - 1)',
      },
    ],
    killer: {
      spec: 'test/integration/manager/create.spec.ts',
      test: 'never fires for a time before its creation, not even for this very instant',
    },
  },
  {
    guard: 'requests end with their schedule',
    guarantee: 'What was asked for of a schedule does not outlive it.',
    edits: [
      {
        file: 'lib/storage/schedules/schedule.store.ts',
        text: 'delete from ${schema.fireRequest} where schedule_id = $1',
        replacement: 'delete from ${schema.fireRequest} where false and schedule_id = $1',
      },
    ],
    killer: {
      spec: 'test/integration/manager/lifecycle.spec.ts',
      test: 'removes the schedule and its requests, and keeps its journal under its name',
    },
  },
  {
    guard: 'key of a manual fire',
    guarantee: 'A manual fire that is asked for again under its key happens once.',
    edits: [
      {
        file: 'lib/manager/changing/manual-fires.ts',
        text: 'if (firstId !== undefined) {',
        replacement: 'if (firstId === current.id) {',
      },
    ],
    killer: {
      spec: 'test/integration/fires/manual-fires.spec.ts',
      test: 'happens once under a key, from two nodes at once and again after it has finished',
    },
  },
  {
    guard: 'mark of a seed',
    guarantee: 'A default schedule that was deleted does not come back with the next deployment.',
    edits: [
      {
        file: 'lib/storage/schedules/seed.store.ts',
        text: 'on conflict do nothing returning 1 as taken',
        replacement:
          'on conflict (job_name, name) do update set revision = excluded.revision returning 1 as taken',
      },
    ],
    killer: { spec: 'test/integration/manager/seeding.spec.ts', test: 'does not undo a deletion' },
  },
  {
    guard: 'retention leaves alone what runs',
    guarantee: 'A run that is running stays in the journal, however old it is.',
    edits: [
      {
        file: 'lib/storage/journal/retention.store.ts',
        text: "status <> 'running' and ($3::bigint is null",
        replacement: '($3::bigint is null',
      },
    ],
    killer: {
      spec: 'test/integration/storage/journal-retention.spec.ts',
      test: 'deletes by age: a thousand at a time, by the primary key, and neither what runs',
    },
  },
  {
    guard: 'retention: `SKIP LOCKED`',
    guarantee: 'Retention waits for nobody.',
    edits: [
      {
        file: 'lib/storage/journal/retention.store.ts',
        text: 'select id from ${schema.run} where id = any(array(select id from doomed)) order by id for update skip locked',
        replacement:
          'select id from ${schema.run} where id = any(array(select id from doomed)) order by id for update',
      },
    ],
    killer: {
      spec: 'test/integration/storage/journal-retention.spec.ts',
      test: 'holds nobody up, and waits for nobody',
    },
  },
];
