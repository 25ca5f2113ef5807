import { NO_EVENT_BUS_MESSAGE } from '../../../lib/events/run-event.publisher.js';
import { logLines } from './support/log-lines.js';
import { page } from './support/manual.js';
import { literalsOf, membersOf } from './support/source.js';
import { codeIn, codes, column } from './support/table.js';

it('explains every state of the engine', () => {
  expect(codes(page('operations').tableIn('Monitoring', 'State'), 'State')).toEqual(
    literalsOf('lib/engine/engine-status.ts', 'EngineState'),
  );
});

it('explains every fault of the engine', () => {
  expect(codes(page('operations').tableIn('Monitoring', 'Fault'), 'Fault')).toEqual(
    literalsOf('lib/engine/engine-status.ts', 'EngineFault'),
  );
});

describe('the health', () => {
  const REPORT = 'lib/health/health-report.ts';
  const table = page('operations').tableIn('Health', 'Reason', 'Status');

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
    expect(codes(page('operations').tableIn('Health', 'Threshold'), 'Threshold')).toEqual(
      membersOf('lib/health/health-thresholds.ts', 'HealthThresholds'),
    );
  });
});

it('explains every line of the log, with its level', () => {
  const table = page('operations').tableIn('Logs', 'Line', 'Level');
  const explained = table.rows.map(([line = '', level = '']) => `${codeIn(level)[0]} ${codeIn(line)[0]}`);
  const written = logLines().map(({ level, line }) => {
    return `${level} ${line === 'NO_EVENT_BUS_MESSAGE' ? NO_EVENT_BUS_MESSAGE : line}`;
  });
  expect(explained.toSorted()).toEqual([...new Set(written)].toSorted());
});
