import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createProgram } from '../../../lib/cli/program.js';
import type { Terminal } from '../../../lib/cli/terminal.js';
import * as api from '../../../lib/index.js';
import { NO_EVENT_BUS_MESSAGE } from '../../../lib/events/run-event.publisher.js';
import { findOperation, OPERATIONS } from '../../../lib/management/operations/operations.js';
import { resolveOptions } from '../../../lib/options/index.js';
import {
  AUDIT_OUTCOMES,
  CONCURRENCY_POLICIES,
  defineRetry,
  defineSchedule,
  MISFIRE_POLICIES,
  RUN_REASONS,
  RUN_STATUSES,
  SPEC_FIELDS,
} from '../../../lib/schedules/index.js';
import {
  AUDIT_SORT_FIELDS,
  NODE_SORT_FIELDS,
  RUN_SORT_FIELDS,
  SCHEDULE_SORT_FIELDS,
} from '../../../lib/storage/index.js';
import { EXPECTED_COLUMNS } from '../../../lib/storage/schema-check.js';
import { parseDuration } from '../../../lib/triggers/index.js';
import { codeIn, column, PROJECT, prose, readmeText, type Table, tableIn } from './support/readme.js';
import { logLines } from './support/log-lines.js';
import { exportsOf, literalsOf, membersOf } from './support/source.js';

const EVENTS = 'lib/events/run-events.ts';

/** What stands in code in a column, in order. */
function codes(of: Table, name: string): string[] {
  return column(of, name).flatMap(codeIn);
}

it('requires the versions of Node.js that the package accepts', () => {
  const { engines }: { engines: { node: string } } = JSON.parse(
    readFileSync(`${PROJECT}package.json`, 'utf8'),
  );
  const accepted = (engines.node.match(/\d+\.\d+(?=\.\d)/g) ?? []).toSorted();
  const row = tableIn('Requirements').rows.find(([what]) => what === 'Node.js');
  expect((row?.[1]?.match(/\d+\.\d+/g) ?? []).toSorted()).toEqual(accepted);
});

describe('the options', () => {
  const table = tableIn('Options', 'Option', 'Default', 'Least');
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

describe('schedules', () => {
  const table = tableIn('Schedules', 'Field', 'Default');

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
    const read = tableIn('Reading a schedule', 'Field', 'In a specification');
    expect(codes(read, 'Field')).toEqual([
      ...membersOf('lib/schedules/schedule.ts', 'Schedule'),
      ...membersOf('lib/schedules/schedule.ts', 'ListedSchedule'),
    ]);
    const sources = codes(read, 'In a specification').map((source) => source.replace(/\..*/, ''));
    expect([...new Set(sources)].toSorted()).toEqual([...SPEC_FIELDS].toSorted());
  });

  it('have every policy, and every state', () => {
    expect(codes(tableIn('Misfire', 'Policy'), 'Policy')).toEqual(MISFIRE_POLICIES);
    CONCURRENCY_POLICIES.forEach((policy) => expect(prose()).toContain(`\`${policy}\``));
    literalsOf('lib/schedules/schedule.ts', 'ScheduleState').forEach((state) =>
      expect(prose()).toContain(`\`${state}\``),
    );
  });
});

describe('runs', () => {
  it('have every field, status, reason and origin', () => {
    expect(codes(tableIn('The run journal', 'Field'), 'Field').toSorted()).toEqual(
      [...membersOf('lib/schedules/run.ts', 'Run')].toSorted(),
    );
    const table = tableIn('The run journal', 'Status');
    expect(codes(table, 'Status')).toEqual(RUN_STATUSES);
    expect(codes(table, 'Reasons').toSorted()).toEqual(RUN_REASONS.toSorted());
    literalsOf('lib/schedules/run.ts', 'RunOrigin').forEach((origin) =>
      expect(prose()).toContain(`\`${origin}\``),
    );
  });
});

it('explains every field of an execution', () => {
  expect(codes(tableIn('The execution', 'Field'), 'Field').toSorted()).toEqual(
    [...membersOf('lib/jobs/execution.ts', 'Execution')].toSorted(),
  );
});

it('explains every method of ScheduleManager', () => {
  const methods = codes(tableIn('ScheduleManager', 'Method'), 'Method').map((call) =>
    call.replace(/\(.*/, ''),
  );
  expect(methods).toEqual(membersOf('lib/manager/schedule-manager.ts', 'ScheduleManager'));
});

it('explains every option of a change, and those of a manual fire', () => {
  expect(codes(tableIn('Options of a change', 'Option'), 'Option')).toEqual(
    membersOf('lib/manager/mutation-options.ts', 'MutationOptions'),
  );
  expect(codes(tableIn('Options of a change', 'Of `triggerNow`'), 'Of `triggerNow`')).toEqual(
    membersOf('lib/manager/manual-fires.ts', 'TriggerOptions'),
  );
});

it('explains every option of a retry, with its default', () => {
  const table = tableIn('Retries', 'Of `retry`');
  expect(codes(table, 'Of `retry`')).toEqual(membersOf('lib/schedules/retry.ts', 'RetryPolicy'));
  const defaults = column(table, 'Default').map((text) => (text === '' ? 3 : Number(text)));
  expect(Object.values(defineRetry({ maxAttempts: 3 }) ?? {})).toEqual(defaults);
});

it('explains every command', () => {
  const program = createProgram({ environment: {}, terminal: silentTerminal() });
  expect(codes(tableIn('The command line', 'Command'), 'Command').toSorted()).toEqual(
    commandsOf(program).toSorted(),
  );
});

it('explains every state of the engine', () => {
  expect(codes(tableIn('Monitoring', 'State'), 'State')).toEqual(
    literalsOf('lib/engine/engine-status.ts', 'EngineState'),
  );
});

it('explains every fault of the engine', () => {
  expect(codes(tableIn('Monitoring', 'Fault'), 'Fault')).toEqual(
    literalsOf('lib/engine/engine-status.ts', 'EngineFault'),
  );
});

describe('the health', () => {
  const REPORT = 'lib/health/health-report.ts';
  const table = tableIn('Health', 'Reason', 'Status');

  it('has every reason, with the status that it makes', () => {
    const statuses = codes(table, 'Status');
    const reasons = codes(table, 'Reason').slice(0, statuses.length);
    const ofStatus = (status: string) => reasons.filter((_, index) => statuses[index] === status);
    expect(column(table, 'Reason').flatMap(codeIn)).toEqual(reasons);
    expect(ofStatus('down')).toEqual(literalsOf(REPORT, 'DownReason'));
    expect(ofStatus('degraded')).toEqual([
      ...literalsOf('lib/engine/engine-status.ts', 'EngineFault'),
      ...literalsOf(REPORT, 'DegradedReason'),
    ]);
  });

  it('has every threshold', () => {
    expect(codes(tableIn('Health', 'Threshold'), 'Threshold')).toEqual(
      membersOf('lib/health/health-thresholds.ts', 'HealthThresholds'),
    );
  });
});

it('explains every line of the log, with its level', () => {
  const table = tableIn('Logs', 'Line', 'Level');
  const explained = table.rows.map(([line = '', level = '']) => `${codeIn(level)[0]} ${codeIn(line)[0]}`);
  const written = logLines().map(({ level, line }) => {
    return `${level} ${line === 'NO_EVENT_BUS_MESSAGE' ? NO_EVENT_BUS_MESSAGE : line}`;
  });
  expect(explained.toSorted()).toEqual([...new Set(written)].toSorted());
});

it('names every table of the store', () => {
  const tables = Object.keys(EXPECTED_COLUMNS);
  expect(tables.filter((table) => !prose().includes(`\`${table}\``))).toEqual([]);
});

it('names every reason of an invalid trigger', () => {
  const reasons = literalsOf('lib/triggers/trigger-invalid.error.ts', 'TriggerFault');
  expect(reasons.filter((reason) => !prose().includes(`\`${reason}\``))).toEqual([]);
});

it('lists every error with its code', () => {
  const table = tableIn('Errors', 'Code', 'Class');
  const listed = codes(table, 'Class').map((name, index) => [name, Number(column(table, 'Code')[index])]);
  expect(Object.fromEntries(listed)).toEqual(codesByClass());
});

describe('the management API', () => {
  const HEADING = 'HTTP API and permissions';

  it('has every option', () => {
    expect(codes(tableIn(HEADING, 'Of `management`'), 'Of `management`')).toEqual(
      membersOf('lib/management/management.options.ts', 'ManagementOptions'),
    );
  });

  it('has every option of the console', () => {
    expect(codes(tableIn('Console', 'Of `console`'), 'Of `console`')).toEqual(
      membersOf('lib/console/console.options.ts', 'ConsoleOptions'),
    );
  });

  it('has every action with its permission', () => {
    const { rows } = tableIn('Actions', 'Resource', 'Action', 'Permission');
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
    for (const [resource, action, , params = ''] of tableIn('Actions', 'Params').rows) {
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
    const listed = tableIn('Pages', 'Sorted by').rows.map(([resource = '', fields = '']) => [
      codeIn(resource)[0],
      codeIn(fields),
    ]);
    expect(Object.fromEntries(listed)).toEqual({
      'sys/cron/schedule': SCHEDULE_SORT_FIELDS,
      'sys/cron/run': RUN_SORT_FIELDS,
      'sys/cron/node': NODE_SORT_FIELDS,
      'sys/cron/audit': AUDIT_SORT_FIELDS,
    });
  });

  it('has every outcome of the audit trail', () => {
    expect(codes(tableIn('The audit trail', 'Outcome'), 'Outcome')).toEqual(AUDIT_OUTCOMES);
  });
});

describe('the events', () => {
  const table = tableIn('Events', 'Event', 'Constant', 'Class');

  it('are all there, by name and constant', () => {
    const constants = Object.entries(api).filter(([name]) => name.endsWith('_EVENT'));
    expect(codes(table, 'Event').toSorted()).toEqual(constants.map(([, event]) => String(event)).toSorted());
    codes(table, 'Constant').forEach((constant, index) =>
      expect(Reflect.get(api, constant)).toBe(codes(table, 'Event')[index]),
    );
  });

  it.each(codes(table, 'Class').map((name, index) => ({ name, index })))(
    '$name has its fields',
    ({ name, index }) => {
      const fields = membersOf(EVENTS, name).filter((member) => member !== 'constructor');
      expect(codeIn(table.rows[index]?.[3] ?? '')).toEqual(fields);
    },
  );

  it('have the common fields', () => {
    membersOf(EVENTS, 'RunEvent').forEach((field) => expect(prose()).toContain(`\`${field}\``));
  });
});

it('names everything that can be imported', () => {
  const text = readmeText();
  expect(importable().filter((name) => !new RegExp(`\`${name}\\b`).test(text))).toEqual([]);
});

it('names nothing as public that cannot be imported', () => {
  const [, publicNames = ''] = prose().split(/^## (?:Public API|License)$/m);
  const named = codeIn(publicNames).filter((name) => !name.startsWith('nestjs-cron-store'));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !importable().includes(name))).toEqual([]);
});

/** The names that the entry points of the package export. */
function importable(): readonly string[] {
  return ['lib/index.ts', 'lib/health/index.ts', 'lib/health/terminus.ts', 'lib/testing/index.ts'].flatMap(
    exportsOf,
  );
}

/** The words of every command that does something. */
function commandsOf({ commands }: Command): readonly string[] {
  return commands.flatMap((command) => {
    const inner = commandsOf(command);
    return inner.length === 0 ? [command.name()] : inner.map((name) => `${command.name()} ${name}`);
  });
}

function silentTerminal(): Terminal {
  return {
    isInteractive: false,
    write: () => undefined,
    writeError: () => undefined,
    ask: () => Promise.resolve(''),
  };
}

/** The exported errors with a code, made with whatever their constructors need to run. */
function codesByClass(): Readonly<Record<string, number>> {
  const classes = Object.entries(api).filter(([, value]) => isErrorClass(value));
  return Object.fromEntries(
    classes.map(([name, value]) => {
      const error: unknown = Reflect.construct(value as new () => unknown, ['', []]);
      return [name, Number((error as { readonly code: unknown }).code)];
    }),
  );
}

function isErrorClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof api.CronStoreError;
}

/** The value that a cell of defaults stands for: a duration is written as text and resolved to a number. */
function valueOf(cell: string, like: unknown): unknown {
  const text = codeIn(cell)[0] ?? cell;
  const quoted = /^'(.*)'$/.exec(text)?.[1];
  if (quoted !== undefined) {
    return typeof like === 'number' ? parseDuration(quoted) : quoted;
  }
  return text === 'DEFAULT_AUDIT_REDACT' ? api.DEFAULT_AUDIT_REDACT : JSON.parse(text);
}
