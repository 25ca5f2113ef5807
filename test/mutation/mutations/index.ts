import type { Mutation, RedundantGuard } from '../mutation.js';
import { CHANGES } from './changes.js';
import { CLAIMS } from './claims.js';
import { ENVIRONMENTS } from './environments.js';
import { RECOVERY } from './recovery.js';
import { RUNS } from './runs.js';
import { TRANSACTIONS } from './transactions.js';

/** Every guard whose removal turns a test red. */
export const MUTATIONS: readonly Mutation[] = [
  ...CLAIMS,
  ...TRANSACTIONS,
  ...RUNS,
  ...RECOVERY,
  ...CHANGES,
  ...ENVIRONMENTS,
];

/** Every guard behind which others stand. */
export const REDUNDANT_GUARDS: readonly RedundantGuard[] = [
  {
    guard: 'unique index on the key of a manual fire that waits',
    guarantee: 'A manual fire that is asked for again under its key happens once.',
    edits: [
      {
        file: 'migrations/1795910400000-create-tables.ts',
        text: 'crn_fire_request (schedule_id, request_key)\n       where request_key is not null`',
        replacement:
          'crn_fire_request (schedule_id, request_key)\n       where request_key is not null and false`',
      },
    ],
    survives: {
      spec: 'test/integration/fires/manual-fires.spec.ts',
      test: 'happens once under a key, from two nodes at once and again after it has finished',
    },
    because:
      'a manual fire is asked for under the lock of its schedule, so that whoever comes second finds the first',
  },
];
