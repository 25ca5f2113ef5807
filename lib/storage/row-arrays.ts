/** A column of rows that travel as arrays. */
export interface ArrayColumn<Row> {
  readonly name: string;
  readonly type: string;
  readonly valueOf: (row: Row) => unknown;
  /** Whether rows may be without a value. */
  readonly isNullable: boolean;
}

/** A column in which every row has a value. */
export function required<Row>(
  name: string,
  type: string,
  valueOf: (row: Row) => string | number,
): ArrayColumn<Row> {
  return { name, type, valueOf, isNullable: false };
}

/** A column in which rows may be without a value. */
export function nullable<Row>(
  name: string,
  type: string,
  valueOf: (row: Row) => string | number | null | undefined,
): ArrayColumn<Row> {
  return { name, type, valueOf: (row) => valueOf(row) ?? null, isNullable: true };
}

/**
 * Rows as the parameters of one statement: an array for each column, so that a statement is prepared once for any number
 * of rows.
 *
 * What is the same in every row is sent once, which most columns of a batch of fires are: shorter arrays are filled up
 * with nulls by `unnest`, and a null in a column that has none stands for the first value.
 */
export class RowArrays<Row> {
  readonly names: readonly string[];

  /** @param columns the first of which tells the rows apart. */
  constructor(private readonly columns: readonly ArrayColumn<Row>[]) {
    this.names = columns.map(({ name }) => name);
  }

  /** A query that yields the rows, whose parameters begin with `$firstParameter`. */
  selectSql(firstParameter: number): string {
    const arrays = this.columns.map(({ type }, index) => `$${firstParameter + index}::${type}[]`);
    const values = this.columns.map(({ name, isNullable }, index) =>
      isNullable ? `sent.${name}` : `coalesce(sent.${name}, (${arrays[index]})[1]) as ${name}`,
    );
    return `select ${values.join(', ')} from unnest(${arrays.join(', ')}) as sent (${this.names.join(', ')})`;
  }

  /** The parameters of `selectSql`. */
  values(rows: readonly Row[]): readonly unknown[] {
    return this.columns.map(({ valueOf, isNullable }, index) => {
      const values = rows.map((row) => valueOf(row));
      const isUniform = index > 0 && values.every((value) => value === values[0]);
      if (!isUniform) {
        return values;
      }
      return isNullable ? (values[0] === null ? [] : values) : values.slice(0, 1);
    });
  }
}
