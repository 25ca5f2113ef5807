import * as api from '../../../lib/index.js';
import { resolveOptions } from '../../../lib/options/index.js';
import { defineRetry } from '../../../lib/schedules/index.js';
import { parseDuration } from '../../../lib/triggers/index.js';
import { page } from './support/manual.js';
import { membersOf } from './support/source.js';
import { codeIn, codes, column } from './support/table.js';

describe('the options', () => {
  const table = page('options').tableIn('Options', 'Option', 'Default', 'Least');
  const names = codes(table, 'Option');
  const rows = names.map((name, index) => ({
    name,
    fallback: column(table, 'Default')[index] ?? '',
    least: column(table, 'Least')[index] ?? '',
  }));
  const resolved = new Map<string, unknown>(Object.entries(resolveOptions({})));

  it('are all there, and no others', () => {
    expect(names.toSorted()).toEqual(
      [
        ...new Set([
          ...membersOf('lib/options/cron-store.options.ts', 'CronStoreOptions'),
          ...membersOf('lib/options/cron-store.module-definition.ts', 'CronStoreModuleExtras'),
          ...membersOf('lib/management/management.options.ts', 'ManagementExtras'),
          ...membersOf('lib/console/console.options.ts', 'ConsoleExtras'),
        ]),
      ].toSorted(),
    );
  });

  it.each(rows.filter(({ name }) => resolved.has(name)))('$name has the default $fallback', (row) => {
    expect(valueOf(row.fallback, resolved.get(row.name))).toEqual(resolved.get(row.name));
  });

  it.each(rows.filter(({ least }) => least !== ''))('$name is at least $least', ({ name, least }) => {
    const value = Number.parseInt(least, 10);
    const given = { heartbeatInterval: 10, abandonedAfter: 20, [name]: value };
    expect(() => resolveOptions(given)).not.toThrow();
    expect(() => resolveOptions({ ...given, [name]: value - 1 })).toThrow(`${name} must be`);
  });
});

it('explains every option of a retry, with its default', () => {
  const table = page('job-handlers').tableIn('Retries', 'Of `retry`');
  expect(codes(table, 'Of `retry`')).toEqual(membersOf('lib/schedules/retry.ts', 'RetryPolicy'));
  const defaults = column(table, 'Default').map((text) => (text === '' ? 3 : Number(text)));
  expect(Object.values(defineRetry({ maxAttempts: 3 }) ?? {})).toEqual(defaults);
});

it('explains every option of a change, and those of a manual fire', () => {
  expect(codes(page('manager').tableIn('Options of a change', 'Option'), 'Option')).toEqual(
    membersOf('lib/manager/changing/mutation-options.ts', 'MutationOptions'),
  );
  expect(codes(page('manager').tableIn('Options of a change', 'Of `triggerNow`'), 'Of `triggerNow`')).toEqual(
    membersOf('lib/manager/changing/manual-fires.ts', 'TriggerOptions'),
  );
});

/** The value that a cell of defaults stands for: a duration is written as text and resolved to a number. */
function valueOf(cell: string, like: unknown): unknown {
  const text = codeIn(cell)[0] ?? cell;
  if (text === 'none') {
    return undefined;
  }
  const quoted = /^'(.*)'$/.exec(text)?.[1];
  if (quoted !== undefined) {
    return typeof like === 'number' ? parseDuration(quoted) : quoted;
  }
  return text === 'DEFAULT_AUDIT_REDACT' ? api.DEFAULT_AUDIT_REDACT : JSON.parse(text);
}
