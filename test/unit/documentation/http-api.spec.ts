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
      OPERATIONS.map(({ resource, action, permission }) => `${resource} ${action} ${permission}`).toSorted(),
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
