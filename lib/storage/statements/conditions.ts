/** The conditions of one statement, each with its value as the next parameter. */
export class Conditions {
  private readonly given: unknown[] = [];

  /** Every value so far, in the order of their parameters. */
  get values(): readonly unknown[] {
    return this.given;
  }

  /** Takes a value, and returns the parameter that stands for it. */
  parameter(value: unknown): string {
    this.given.push(value);
    return `$${this.given.length}`;
  }

  /** The condition on a value, or none where the value is absent. */
  where(value: unknown, condition: (parameter: string) => string): string[] {
    return value === undefined ? [] : [condition(this.parameter(value))];
  }
}

/** All of the conditions, as they follow `where`. */
export function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'true' : conditions.join(' and ');
}
