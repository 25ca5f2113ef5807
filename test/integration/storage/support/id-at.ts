/** SQL for an id as the store mints it, its time first, of SQL for its Unix ms and for a number as bigint. */
export function idAt(ms: string, number: string): string {
  const time = `lpad(to_hex(${ms}), 12, '0')`;
  return `(left(${time}, 8) || '-' || right(${time}, 4) || '-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
}
