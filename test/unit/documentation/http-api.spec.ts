import { findOperation, OPERATIONS } from '../../../lib/management/operations/operations.js';
import { AUDIT_OUTCOMES } from '../../../lib/schedules/index.js';
import {
  AUDIT_SORT_FIELDS,
  NODE_SORT_FIELDS,
  RUN_SORT_FIELDS,
  SCHEDULE_SORT_FIELDS,
} from '../../../lib/storage/index.js';
import { page } from './support/manual.js';
import { membersOf } from './support/source.js';
import { codeIn, codes } from './support/table.js';

/** Actions, and the method of the manager that they are. */
const METHODS: Readonly<Record<string, string>> = {
  'sys/cron/schedule create': 'create',
  'sys/cron/schedule update': 'update',
  'sys/cron/schedule patch': 'patch',
  'sys/cron/schedule delete': 'delete',
  'sys/cron/schedule pause': 'pause',
  'sys/cron/schedule resume': 'resume',
  'sys/cron/schedule trigger_now': 'triggerNow',
  'sys/cron/schedule preview_backfill': 'previewBackfill',
  'sys/cron/schedule backfill': 'backfill',
  'sys/cron/schedule cancel_backfill': 'cancelBackfill',
  'sys/cron/schedule find_backfills': 'listBackfills',
  'sys/cron/schedule hold': 'hold',
  'sys/cron/schedule release': 'release',
  'sys/cron/schedule find_holds': 'listHolds',
  'sys/cron/schedule get': 'get',
  'sys/cron/schedule list_jobs': 'listJobs',
  'sys/cron/run cancel': 'cancelRun',
  'sys/cron/run cancel_all': 'cancelRunsOf',
  'sys/cron/run rerun': 'rerun',
};

/** What a method throws for options of changes that the API does not have. */
const ONLY_IN_CODE: Readonly<Record<string, readonly number[]>> = { cancelRun: [2706] };

describe('the management API', () => {
  const http = page('http-api');

  it('has every option', () => {
    expect(codes(http.tableIn('HTTP API and permissions', 'Of `management`'), 'Of `management`')).toEqual(
      membersOf('lib/management/management.options.ts', 'ManagementOptions'),
    );
  });

  it('has every option of the console', () => {
    expect(codes(page('console').tableIn('Console', 'Of `console`'), 'Of `console`')).toEqual(
      membersOf('lib/console/console.options.ts', 'ConsoleOptions'),
    );
  });

  it('has every action with its permission', () => {
    const { rows } = http.tableIn('Actions', 'Resource', 'Action', 'Permission');
    const listed = rows.map((row) =>
      row
        .slice(0, 3)
        .map((cell) => codeIn(cell)[0])
        .join(' '),
    );
    expect(listed.toSorted()).toEqual(
      OPERATIONS.map(({ resource, action, requires }) =>
        [resource, action, requires.kind === 'permission' ? requires.name : 'signed in'].join(' '),
      ).toSorted(),
    );
  });

  it('has the params of every action', () => {
    for (const [resource, action, , params = ''] of http.tableIn('Actions', 'Params').rows) {
      const operation = findOperation(codeIn(resource ?? '')[0] ?? '', codeIn(action ?? '')[0] ?? '');
      const shape = Object.entries(operation?.paramsShape ?? {}).map(
        ([name, { isRequired }]) => `${name}${isRequired ? '' : '?'}`,
      );
      if (params.startsWith('as ')) {
        const names = codeIn(params).filter(
          (code) => !code.includes('_') && /Version|newName|cursor/.test(code),
        );
        expect(shape).toEqual(expect.arrayContaining(names));
      } else {
        expect(codeIn(params).toSorted()).toEqual(shape.toSorted());
      }
    }
  });

  it('answers with the errors of the manager', () => {
    const { rows } = page('manager').tableIn('ScheduleManager', 'Method', 'Throws');
    const thrown = new Map(
      rows.map(([method = '', , throws = '']) => [
        /^`(\w+)/.exec(method)?.[1],
        throws
          .split(' ')
          .filter((code) => code !== '')
          .map(Number),
      ]),
    );
    for (const [action, method] of Object.entries(METHODS)) {
      const { documentation, paramsShape } = findOperation(...(action.split(' ') as [string, string])) ?? {};
      // Who cannot say which version they read is never told that it was another one.
      const isVersioned = Object.hasOwn(paramsShape ?? {}, 'expectedVersion');
      const expected = thrown.get(method)?.filter((code) => code !== 2707 || isVersioned);
      const answered = new Set([...(documentation?.errors ?? []), ...(ONLY_IN_CODE[method] ?? [])]);
      expect([action, answered]).toEqual([action, new Set(expected)]);
    }
  });

  it('has examples of the errors that it documents', () => {
    for (const { resource, action, mutates, documentation } of OPERATIONS) {
      const codes = new Set([0, ...documentation.errors, ...(mutates ? [2708] : [])]);
      const others = documentation.examples.filter(({ code }) => !codes.has(code));
      expect([resource, action, others]).toEqual([resource, action, []]);
    }
  });

  it('has the columns to sort by', () => {
    const listed = http
      .tableIn('Pages', 'Sorted by')
      .rows.map(([resource = '', fields = '']) => [codeIn(resource)[0], codeIn(fields)]);
    expect(Object.fromEntries(listed)).toEqual({
      'sys/cron/schedule': SCHEDULE_SORT_FIELDS,
      'sys/cron/run': RUN_SORT_FIELDS,
      'sys/cron/node': NODE_SORT_FIELDS,
      'sys/cron/audit': AUDIT_SORT_FIELDS,
    });
  });

  it('has every outcome of the audit trail', () => {
    expect(codes(page('manager').tableIn('The audit trail', 'Outcome'), 'Outcome')).toEqual(AUDIT_OUTCOMES);
  });
});
