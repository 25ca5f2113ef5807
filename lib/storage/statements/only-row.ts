/** The row of a statement that yields exactly one, whatever is in the tables. @throws Error where the database sent none. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) {
    throw new Error('The database answered without the row that it was asked for.');
  }
  return row;
}
