import {
  AUDIT_OUTCOMES,
  CONCURRENCY_POLICIES,
  MISFIRE_POLICIES,
  RUN_STATUSES,
} from '../../../lib/schedules/index.js';
import { EXPECTED_COLUMNS, EXPECTED_INDEXES } from '../../../lib/storage/schema/expected-schema.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type Catalog, catalogOf } from './support/catalog.js';
import { runMigrations } from './support/run-migrations.js';

/** The words of the code that the tables accept and nothing else, by the constraint that says so. */
const VOCABULARIES: Readonly<Record<string, readonly string[]>> = {
  crn_audit_outcome_check: AUDIT_OUTCOMES,
  crn_run_status_check: RUN_STATUSES,
  crn_schedule_concurrency_policy_check: CONCURRENCY_POLICIES,
  crn_schedule_misfire_policy_check: MISFIRE_POLICIES,
};

describe.each(['public', `My "Schema".x it's`])('what the migrations make in the schema %j', (schema) => {
  let database: TestDatabase;
  let made: Catalog;

  beforeAll(async () => {
    database = await createTestDatabase();
    await runMigrations(database, schema);
    made = await catalogOf(database, schema);
  });

  afterAll(() => database.drop());

  function definitionOf(name: string): string | undefined {
    return [...made.indexes, ...made.constraints].find((object) => object.name === name)?.definition;
  }

  it('has exactly the columns that the code expects, of the same types', () => {
    expect(made.columns).toEqual(EXPECTED_COLUMNS);
  });

  it('has exactly the indexes that the code expects, on the same tables', () => {
    expect(Object.fromEntries(made.indexes.map(({ name, table }) => [name, table]))).toEqual(
      EXPECTED_INDEXES,
    );
  });

  it('calls an index a key if and only if it is unique: the check at boot relies on it', () => {
    for (const { name, definition } of made.indexes) {
      expect([name, definition.startsWith('CREATE UNIQUE')]).toEqual([name, name.endsWith('key')]);
    }
  });

  it('has names that begin with those of their tables, so that no host can have the same', () => {
    for (const { name, table } of [...made.indexes, ...made.constraints]) {
      expect(name.startsWith(`${table}_`)).toBe(true);
    }
  });

  it('has the fences that no claim, no recovery and no rename gets past', () => {
    expect(definitionOf('crn_run_occurrence_key')).toBe(
      `CREATE UNIQUE INDEX crn_run_occurrence_key ON crn_run USING btree (scheduled_at_unix_ms, schedule_id) WHERE (origin = 'schedule'::text)`,
    );
    for (const [key, columns] of [
      ['crn_run_repeats_key', 'repeats_run_id'],
      ['crn_fire_request_repeats_key', 'repeats_run_id'],
      ['crn_run_request_key', 'schedule_id, request_key'],
      ['crn_fire_request_key', 'schedule_id, request_key'],
    ] as const) {
      expect(definitionOf(key)).toMatch(new RegExp(`^CREATE UNIQUE INDEX .* \\(${columns}\\)`));
    }
    expect(definitionOf('crn_schedule_name_key')).toMatch(/^CREATE UNIQUE INDEX .* \(name\)$/);
    expect(definitionOf('crn_seed_pkey')).toMatch(/^CREATE UNIQUE INDEX .* \(job_name, name\)$/);
  });

  it('has an index for exactly the schedules that can be claimed, with their jobs in it', () => {
    expect(definitionOf('crn_schedule_due_idx')).toBe(
      'CREATE INDEX crn_schedule_due_idx ON crn_schedule USING btree (next_fire_at_unix_ms, job_name) ' +
        'WHERE (is_enabled AND (parked_reason IS NULL) AND (next_fire_at_unix_ms IS NOT NULL))',
    );
  });

  it.each(Object.entries(VOCABULARIES))(
    'accepts by %s exactly the words of the code: %j',
    (constraint, words) => {
      const accepted = [...(definitionOf(constraint) ?? '').matchAll(/'(\w+)'::text/g)].map(
        ([, word]) => word,
      );

      expect(new Set(accepted)).toEqual(new Set(words));
    },
  );

  it('has no foreign keys: the journal outlives schedules', () => {
    expect(made.constraints.filter(({ definition }) => definition.startsWith('FOREIGN KEY'))).toEqual([]);
  });
});
