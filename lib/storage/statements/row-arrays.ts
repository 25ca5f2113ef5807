/** A column of rows that travel together. */
export interface ArrayColumn<Row> {
  readonly name: string;
  readonly type: 'uuid' | 'text' | 'json' | 'bigint' | 'integer';
  /** Undefined and null are both null. */
  readonly valueOf: (row: Row) => string | number | null | undefined;
  /** Whether rows that travel together mostly have the same value, and that is sent once. Default false. */
  readonly isMostlyShared?: boolean;
}

/** How rows travel: `shared` sends what is the same in all of them once, `apart` every value of every row. */
export type RowsForm = 'shared' | 'apart';

/**
 * Rows as the parameters of one statement: an array for each column, so that a statement is prepared once for any number
 * of rows. What rows mostly share has a form of its own, because sending and unpacking so many equal values costs as much
 * as writing the rows.
 */
export class RowArrays<Row> {
  readonly names: readonly string[];

  /** @param columns at least one of which is not mostly shared. */
  constructor(private readonly columns: readonly ArrayColumn<Row>[]) {
    this.names = columns.map(({ name }) => name);
  }

  /** The form in which rows can be sent. */
  formOf(rows: readonly Row[]): RowsForm {
    const isShared = this.columns.every(
      ({ isMostlyShared, valueOf }) => isMostlyShared !== true || haveOneValue(rows, valueOf),
    );
    return isShared ? 'shared' : 'apart';
  }

  /** A query that yields rows sent in a form, whose parameters begin with `$firstParameter`. */
  selectSql(form: RowsForm, firstParameter: number): string {
    const sent = this.columns.map((column, index) => ({
      ...column,
      parameter: `$${firstParameter + index}`,
      isShared: isSentOnce(column, form),
    }));
    const arrays = sent.filter(({ isShared }) => !isShared);
    const values = sent.map(({ name, type, parameter, isShared }) =>
      isShared ? `${parameter}::${type} as ${name}` : `sent.${name}`,
    );
    return `select ${values.join(', ')}
      from unnest(${arrays.map(({ type, parameter }) => `${parameter}::${type}[]`).join(', ')})
        as sent (${arrays.map(({ name }) => name).join(', ')})`;
  }

  /** The parameters of `selectSql`. */
  values(form: RowsForm, rows: readonly Row[]): readonly unknown[] {
    const [first] = rows;
    return this.columns.map((column) => {
      const { type, valueOf } = column;
      if (isSentOnce(column, form)) {
        return first === undefined ? null : (valueOf(first) ?? null);
      }
      return arrayOf(
        type,
        rows.map((row) => valueOf(row) ?? null),
      );
    });
  }
}

/** Makes a text for each form. */
export function inEachForm(textOf: (form: RowsForm) => string): Readonly<Record<RowsForm, string>> {
  return { shared: textOf('shared'), apart: textOf('apart') };
}

function isSentOnce({ isMostlyShared }: Pick<ArrayColumn<never>, 'isMostlyShared'>, form: RowsForm): boolean {
  return form === 'shared' && isMostlyShared === true;
}

function haveOneValue<Row>(rows: readonly Row[], valueOf: ArrayColumn<Row>['valueOf']): boolean {
  const [first] = rows;
  const value = first === undefined ? undefined : valueOf(first);
  return rows.every((row) => valueOf(row) === value);
}

/** As PostgreSQL reads an array: what the driver makes of one costs several times as much. */
function arrayOf(type: ArrayColumn<never>['type'], values: readonly (string | number | null)[]): string {
  const elementOf = type === 'text' || type === 'json' ? quoted : String;
  return `{${values.map((value) => (value === null ? 'null' : elementOf(value))).join(',')}}`;
}

const HAS_SPECIAL = /["\\]/;

function quoted(value: string | number): string {
  const text = String(value);
  return `"${HAS_SPECIAL.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
}
