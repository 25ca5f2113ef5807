import type { Combination } from './combinations.js';

/**
 * The suite's core: specs that between them use every package the peers are, and whatever of PostgreSQL the store relies
 * on. What only this project's own code decides is tested elsewhere, on one set of versions.
 */
export const CORE: readonly string[] = [
  'test/integration/storage/migrations.spec.ts',
  'test/integration/storage/schema-check.spec.ts',
  'test/integration/storage/drift.spec.ts',
  'test/integration/storage/host-data-source.spec.ts',
  'test/integration/storage/privileges.spec.ts',
  'test/integration/storage/transactions.spec.ts',
  'test/integration/storage/outcomes.spec.ts',
  'test/integration/storage/takeover.spec.ts',
  'test/integration/storage/claim-plans.spec.ts',
  'test/integration/engine/claiming.spec.ts',
  'test/integration/engine/events.spec.ts',
  'test/integration/engine/heartbeat-thread.spec.ts',
  'test/integration/engine/recovery.spec.ts',
  'test/integration/engine/shutdown.spec.ts',
  'test/integration/engine/store-errors.spec.ts',
  'test/integration/engine/wake-up.spec.ts',
  'test/integration/fires/backfill.spec.ts',
  'test/integration/fires/cancel.spec.ts',
  'test/integration/fires/manual-fires.spec.ts',
  'test/integration/fires/retries.spec.ts',
  'test/integration/jobs/extensions.spec.ts',
  'test/integration/jobs/transactional.spec.ts',
  'test/integration/manager/concurrency.spec.ts',
  'test/integration/manager/create.spec.ts',
  'test/integration/manager/lifecycle.spec.ts',
  'test/integration/manager/transaction.spec.ts',
  'test/integration/manager/update.spec.ts',
  'test/integration/module/boot-failure.spec.ts',
  'test/integration/module/disabled.spec.ts',
  'test/integration/module/module.spec.ts',
  'test/integration/module/start-up.spec.ts',
  'test/integration/testing/tester.spec.ts',
  'test/cluster/claiming.spec.ts',
  'test/cluster/crashes.spec.ts',
  'test/cluster/transactional.spec.ts',
  'test/e2e/health/terminus.spec.ts',
  'test/e2e/management/access.spec.ts',
  'test/e2e/management/fires.spec.ts',
  'test/e2e/management/host.spec.ts',
  'test/e2e/management/input.spec.ts',
  'test/e2e/management/open-api.spec.ts',
  'test/e2e/management/pages.spec.ts',
];

/** Specs that cannot pass in some combinations. */
interface Exception {
  readonly because: string;
  readonly applies: (combination: Combination) => boolean;
  readonly specs: readonly string[];
}

const EXCEPTIONS: readonly Exception[] = [
  {
    because:
      'Before 12.1.3 NestJS does not close an application whose start-up failed: close() rejects with what failed.',
    applies: ({ nest }) => nest !== '12',
    specs: ['test/integration/module/boot-failure.spec.ts', 'test/integration/module/start-up.spec.ts'],
  },
  {
    because:
      'They are about sessions, roles, notifications or start-up parameters, or count on a manual fire being noticed at once.',
    applies: ({ pooled }) => pooled,
    specs: [
      'test/integration/engine/claiming.spec.ts',
      'test/integration/engine/shutdown.spec.ts',
      'test/integration/engine/wake-up.spec.ts',
      'test/integration/jobs/transactional.spec.ts',
      'test/integration/module/module.spec.ts',
      'test/integration/storage/host-data-source.spec.ts',
      'test/integration/storage/privileges.spec.ts',
      'test/integration/storage/transactions.spec.ts',
      'test/e2e/management/pages.spec.ts',
    ],
  },
];

/** The specs of the core that a combination is to pass. */
export function coreOf(combination: Combination): readonly string[] {
  const exceptions = EXCEPTIONS.filter(({ applies }) => applies(combination)).flatMap(({ specs }) => specs);
  const leftOut = new Set(exceptions);
  return CORE.filter((spec) => !leftOut.has(spec));
}
