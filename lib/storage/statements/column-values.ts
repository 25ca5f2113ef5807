/** A bigint column as a number: a connection of the host's delivers it as a string, one of ours as a number. */
export function toNumber(value: number | string): number {
  return Number(value);
}

/** A nullable bigint column as a number. */
export function toOptionalNumber(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}

/** `{ [key]: value }`, or nothing where the column is null: what does not apply is absent, not null. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | null,
): { readonly [Name in Key]?: Value } {
  return value === null ? {} : ({ [key]: value } as { readonly [Name in Key]: Value });
}
