import type { Mutation } from '../mutation.js';

const ENVIRONMENT_STORE = 'lib/storage/environment.store.ts';
const ENVIRONMENTS_SPEC = 'test/integration/environments/environments.spec.ts';
const TAKE_OVER_SPEC = 'test/integration/environments/take-over.spec.ts';

/** Whose a store is. */
export const ENVIRONMENTS: readonly Mutation[] = [
  {
    guard: 'environment: asked in every transaction',
    guarantee: 'A node claims nothing of a store that was taken over.',
    edits: [
      {
        file: ENVIRONMENT_STORE,
        text: 'this.refuseForeign(answers.environment ?? undefined);',
        replacement: '',
      },
    ],
    killer: { spec: TAKE_OVER_SPEC, test: 'they claim nothing more, say so once in the log' },
  },
  {
    guard: 'environment: a take-over waits',
    guarantee: 'When a take-over returns, nothing of the former environment is under way.',
    edits: [
      {
        file: ENVIRONMENT_STORE,
        text: '    await executor.query(this.lockText);\n    const former',
        replacement: '    const former',
      },
    ],
    killer: { spec: TAKE_OVER_SPEC, test: 'it waits for a claim or a change that is under way' },
  },
  {
    guard: 'environment: the row locked in a caller’s transaction',
    guarantee: 'A transaction that began before a take-over changes nothing after it.',
    edits: [
      {
        file: ENVIRONMENT_STORE,
        text: '`${this.readText} for share`',
        replacement: 'this.readText',
      },
    ],
    killer: { spec: TAKE_OVER_SPEC, test: 'a change in a transaction whose snapshot is older fails' },
  },
  {
    guard: 'environment: compare-and-set on the adoption',
    guarantee: 'Of several environments that declare themselves at once, one has the store.',
    edits: [
      {
        file: ENVIRONMENT_STORE,
        text: 'set environment = excluded.environment where s.environment is null',
        replacement: 'set environment = excluded.environment',
      },
    ],
    killer: { spec: ENVIRONMENTS_SPEC, test: 'is that of exactly one of two where many nodes' },
  },
];
