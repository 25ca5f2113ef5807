import { readdirSync, readFileSync } from 'node:fs';
import { EXPECTED_COLUMNS } from '../../../lib/storage/schema-check.js';
import { manualProse } from './support/manual.js';
import { PROJECT } from './support/page.js';
import { literalsOf } from './support/source.js';

it('names every table of the store', () => {
  const tables = Object.keys(EXPECTED_COLUMNS);
  expect(tables.filter((table) => !manualProse.includes(`\`${table}\``))).toEqual([]);
});

it('names every reason of an invalid trigger', () => {
  const reasons = literalsOf('lib/triggers/trigger-invalid.error.ts', 'TriggerFault');
  expect(reasons.filter((reason) => !manualProse.includes(`\`${reason}\``))).toEqual([]);
});
