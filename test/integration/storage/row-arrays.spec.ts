import { RowArrays, type RowsForm } from '../../../lib/storage/statements/row-arrays.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly kind: string | undefined;
  readonly at: number | undefined;
  readonly params: string | null;
}

const ROWS = new RowArrays<Row>([
  { name: 'id', type: 'uuid', valueOf: ({ id }) => id },
  { name: 'name', type: 'text', valueOf: ({ name }) => name },
  { name: 'kind', type: 'text', valueOf: ({ kind }) => kind, isMostlyShared: true },
  { name: 'at', type: 'bigint', valueOf: ({ at }) => at, isMostlyShared: true },
  { name: 'params', type: 'json', valueOf: ({ params }) => params },
]);

const [ONE, TWO] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'] as const;
const first: Row = {
  id: ONE,
  name: 'a, "b" {c} \\ NULL',
  kind: 'null',
  at: 1_700_000_000_000,
  params: '["x"]',
};
const second: Row = { ...first, id: TWO, name: '', params: null };

describe('Rows that travel as arrays', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  const received = (form: RowsForm, rows: readonly Row[]) =>
    database.query(
      `select id, name, kind, at::float8 as at, params::text as params from (${ROWS.selectSql(form, 1)}) as sent`,
      ROWS.values(form, rows),
    );

  it.each(['shared', 'apart'] as const)('arrive as they were sent, what they share sent %s', async (form) => {
    expect(await received(form, [first, second])).toEqual([first, second]);
  });

  it.each(['shared', 'apart'] as const)('arrive with nulls in common, sent %s', async (form) => {
    const nothing = { kind: undefined, at: undefined };
    const rows = [
      { ...first, ...nothing },
      { ...second, ...nothing },
    ];
    expect(await received(form, rows)).toMatchObject([
      { id: ONE, kind: null, at: null },
      { id: TWO, kind: null, at: null },
    ]);
  });

  it.each(['shared', 'apart'] as const)('may be none, sent %s', async (form) => {
    expect(await received(form, [])).toEqual([]);
  });

  it('share what is the same in all of them, also where none has it', () => {
    expect(ROWS.formOf([])).toBe('shared');
    expect(ROWS.formOf([first])).toBe('shared');
    expect(ROWS.formOf([first, second])).toBe('shared');
    expect(ROWS.formOf([first, { ...second, at: undefined }])).toBe('apart');
    expect(ROWS.formOf([first, { ...second, kind: 'other' }])).toBe('apart');
  });

  it('keep what differs where it mostly does not', async () => {
    const rows = [first, { ...second, kind: undefined, at: 0 }];
    expect(await received(ROWS.formOf(rows), rows)).toEqual([first, { ...second, kind: null, at: 0 }]);
  });
});
