import { readFileSync } from 'node:fs';
import * as api from '../../../lib/index.js';
import { codesByClass } from './support/error-codes.js';
import { anErrorOf, EXPORTED_ERRORS } from './support/exported-errors.js';
import { page, README } from './support/manual.js';
import { PROJECT } from './support/page.js';
import { PUBLIC_NAMES } from './support/public-names.js';
import { membersOf } from './support/source.js';
import { codeIn, codes, column } from './support/table.js';

const EVENTS = 'lib/events/run-events.ts';

it('requires the versions of Node.js that the package accepts', () => {
  const { engines }: { engines: { node: string } } = JSON.parse(
    readFileSync(`${PROJECT}package.json`, 'utf8'),
  );
  const accepted = (engines.node.match(/\d+\.\d+(?=\.\d)/g) ?? []).toSorted();
  for (const place of [README, page('getting-started')]) {
    const row = place.tableIn('Requirements').rows.find(([what]) => what === 'Node.js');
    expect((row?.[1]?.match(/\d+\.\d+/g) ?? []).toSorted()).toEqual(accepted);
  }
});

it('lists every error with its code', () => {
  const table = page('manager').tableIn('Errors', 'Code', 'Class');
  const listed = codes(table, 'Class').map((name, index) => [name, Number(column(table, 'Code')[index])]);
  expect(Object.fromEntries(listed)).toEqual(codesByClass());
});

it.each([...EXPORTED_ERRORS])('calls a %s so also where code is minified', (name, errorClass) => {
  const minified = class extends errorClass {};
  expect(anErrorOf(minified).name).toBe(name);
});

describe('the events', () => {
  const table = page('events').tableIn('Every event', 'Event', 'Constant', 'Class');

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
    membersOf(EVENTS, 'RunEvent').forEach((field) => expect(page('events').prose).toContain(`\`${field}\``));
  });
});

it('lists everything that can be imported, and nothing else', () => {
  const { prose } = page('api');
  const named = codeIn(prose).filter((name) => /^\w+$/.test(name));
  const listed = [...named, ...codes(page('events').tableIn('Every event', 'Class'), 'Class')];
  const elsewhere = [
    ...codes(page('events').tableIn('Every event', 'Constant'), 'Constant'),
    ...codes(page('manager').tableIn('Errors', 'Class'), 'Class'),
  ];
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !PUBLIC_NAMES.includes(name))).toEqual([]);
  expect(PUBLIC_NAMES.filter((name) => ![...listed, ...elsewhere].includes(name))).toEqual([]);
});
