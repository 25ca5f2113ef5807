import type { Mutation } from '../mutation.js';

const CONNECTIONS = 'lib/storage/connections/connections.ts';
const SPEC = 'test/integration/storage/transactions.spec.ts';
const BOUNDS = 'bounds its statements, its waits and its silence, in READ COMMITTED';

/** The bounds of every transaction: what a node that freezes or is cut off holds is free again. */
export const TRANSACTIONS: readonly Mutation[] = [
  {
    guard: '`lock_timeout`',
    guarantee: 'A transaction that waits for a lock gives up its own.',
    edits: [
      {
        file: CONNECTIONS,
        text: '      `set local lock_timeout = ${TRANSACTION_LIMITS_MS.lock}`,\n',
        replacement: '',
      },
    ],
    killer: { spec: SPEC, test: BOUNDS },
  },
  {
    guard: '`statement_timeout`',
    guarantee: 'No statement of a transaction holds its locks for long.',
    edits: [
      {
        file: CONNECTIONS,
        text: '      `set local statement_timeout = ${TRANSACTION_LIMITS_MS.statement}`,\n',
        replacement: '',
      },
    ],
    killer: { spec: SPEC, test: BOUNDS },
  },
  {
    guard: '`idle_in_transaction_session_timeout`',
    guarantee: 'A node that is cut off in the middle of a claim does not hide its schedules from the others.',
    edits: [
      {
        file: CONNECTIONS,
        text: '      `set local idle_in_transaction_session_timeout = ${TRANSACTION_LIMITS_MS.idle}`,\n',
        replacement: '',
      },
    ],
    killer: {
      spec: 'test/cluster/connections.spec.ts',
      test: 'scenario 42',
    },
  },
  {
    guard: '`READ COMMITTED`',
    guarantee: 'What was committed under a lock is seen by whoever has it next, whatever the default is.',
    edits: [
      {
        file: CONNECTIONS,
        text: "'begin isolation level read committed'",
        replacement: "'begin read write'",
      },
    ],
    killer: { spec: SPEC, test: BOUNDS },
  },
];
