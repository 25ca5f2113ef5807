import * as api from '../../../lib/index.js';
import {
  CONCURRENCY_POLICIES,
  defineSchedule,
  MISFIRE_POLICIES,
  RUN_REASONS,
  RUN_STATUSES,
  SPEC_FIELDS,
} from '../../../lib/schedules/index.js';
import { page } from './support/manual.js';
import { literalsOf, membersOf } from './support/source.js';
import { codes, column } from './support/table.js';

describe('schedules', () => {
  const table = page('schedules').tableIn('Schedules', 'Field', 'Default');

  it('have every field of a specification', () => {
    expect(codes(table, 'Field').toSorted()).toEqual([...SPEC_FIELDS].toSorted());
  });

  it('have the defaults of the code', () => {
    const { misfirePolicy, concurrencyPolicy, recover, timeoutMs, isEnabled } = defineSchedule({
      name: 'name',
      jobName: 'job',
      trigger: api.every('1s'),
    });
    const defaults = new Map(column(table, 'Field').map((field, index) => [field, table.rows[index]?.[1]]));
    expect(Object.fromEntries(defaults)).toMatchObject({
      '`misfirePolicy`': `\`${misfirePolicy}\``,
      '`concurrencyPolicy`': `\`${concurrencyPolicy}\``,
      '`recover`': `\`${recover}\``,
      '`timeout`': String(timeoutMs),
      '`enabled`': `\`${isEnabled}\``,
    });
  });

  it('have every field that is read, with the one of a specification that it comes from', () => {
    const read = page('schedules').tableIn('Reading a schedule', 'Field', 'In a specification');
    expect(codes(read, 'Field')).toEqual([
      ...membersOf('lib/schedules/schedule.ts', 'Schedule'),
      ...membersOf('lib/schedules/schedule.ts', 'ListedSchedule'),
    ]);
    const sources = codes(read, 'In a specification').map((source) => source.replace(/\..*/, ''));
    expect([...new Set(sources)].toSorted()).toEqual([...SPEC_FIELDS].toSorted());
  });

  it('have every policy, and every state', () => {
    expect(codes(page('misfire-and-overlap').tableIn('Misfire', 'Policy'), 'Policy')).toEqual(
      MISFIRE_POLICIES,
    );
    CONCURRENCY_POLICIES.forEach((policy) =>
      expect(page('misfire-and-overlap').prose).toContain(`\`${policy}\``),
    );
    literalsOf('lib/schedules/schedule.ts', 'ScheduleState').forEach((state) =>
      expect(page('schedules').prose).toContain(`\`${state}\``),
    );
  });
});

describe('runs', () => {
  const journal = page('journal');

  it('have every field, status, reason and origin', () => {
    expect(codes(journal.tableIn('The run journal', 'Field'), 'Field').toSorted()).toEqual(
      [...membersOf('lib/schedules/run.ts', 'Run')].toSorted(),
    );
    const table = journal.tableIn('Statuses and reasons', 'Status');
    expect(codes(table, 'Status')).toEqual(RUN_STATUSES);
    expect(codes(table, 'Reasons').toSorted()).toEqual(RUN_REASONS.toSorted());
    literalsOf('lib/schedules/run.ts', 'RunOrigin').forEach((origin) =>
      expect(journal.prose).toContain(`\`${origin}\``),
    );
  });
});

it('explains every field of an execution', () => {
  expect(codes(page('job-handlers').tableIn('The execution', 'Field'), 'Field').toSorted()).toEqual(
    [...membersOf('lib/jobs/execution.ts', 'Execution')].toSorted(),
  );
});

it('explains every method of ScheduleManager', () => {
  const methods = codes(page('manager').tableIn('ScheduleManager', 'Method'), 'Method').map((call) =>
    call.replace(/\(.*/, ''),
  );
  expect(methods).toEqual(membersOf('lib/manager/schedule-manager.ts', 'ScheduleManager'));
});
